// SPDX-License-Identifier: Apache-2.0
//
// Each file is a File of ours with the default layer's own behind it, to which everything goes that
// does not fail.

#include "tests/hammer/fault_vfs.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "tests/hammer/model_disk.h"

namespace clearance::hammer {
namespace {

// Pages in the log after which it is folded into the database.
constexpr int kPagesOfLog = 6;

struct File {
  sqlite3_file base;
  const char* path;  // null: a file without a name
  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

struct Armed {
  Fault fault;
  std::atomic<unsigned> ops = 0;  // 0: none
  std::atomic<int> calls_until = 0;
  std::atomic<int> strikes = 0;
};

Armed& Present() {
  static Armed& armed = *new Armed;
  return armed;
}

ModelDisk& Disk() {
  static ModelDisk& disk = *new ModelDisk;
  return disk;
}

// Whether this call fails.
bool Fails(Op op) {
  Armed& armed = Present();
  if ((armed.ops & op) == 0) return false;
  const int left = armed.calls_until.fetch_sub(1) - 1;
  if (left > 0 || (left < 0 && !armed.fault.lasts)) return false;
  ++armed.strikes;
  return true;
}

int Code() { return Present().fault.code; }

File* Ours(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* Inner(sqlite3_file* file) { return Ours(file)->inner(); }

sqlite3_vfs* DefaultVfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  return vfs;
}

int WriteThrough(sqlite3_file* file, std::string_view bytes, sqlite3_int64 offset) {
  const int result = Inner(file)->pMethods->xWrite(Inner(file), bytes.data(),
                                                   static_cast<int>(bytes.size()), offset);
  if (result == SQLITE_OK && Ours(file)->path != nullptr) {
    Disk().Write(Ours(file)->path, static_cast<std::uint64_t>(offset), bytes);
  }
  return result;
}

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const std::string_view all(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  if (!Fails(kWrite)) return WriteThrough(file, all, offset);
  // After the half write of a crash nothing more is written.
  if (Present().fault.does_half && Present().strikes == 1) {
    WriteThrough(file, all.substr(0, all.size() / 2), offset);
  }
  return Code();
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (Fails(kTruncate)) return Code();
  const int result = Inner(file)->pMethods->xTruncate(Inner(file), size);
  if (result == SQLITE_OK && Ours(file)->path != nullptr) {
    Disk().Truncate(Ours(file)->path, static_cast<std::uint64_t>(size));
  }
  return result;
}

int Sync(sqlite3_file* file, int /*flags*/) {
  const bool fails = Fails(kSync);
  if (Ours(file)->path != nullptr) {
    if (!fails) Disk().Sync(Ours(file)->path);
    if (fails && Present().fault.loses_unsynced) Disk().LoseUnsynced(Ours(file)->path);
  }
  return fails ? Code() : SQLITE_OK;
}

using Methods = sqlite3_io_methods;

// A method that goes to the inner file, unless it fails.
template <auto kMethod, Op kOp, class... Arguments>
int Through(sqlite3_file* file, Arguments... arguments) {
  if (Fails(kOp)) return Code();
  return (Inner(file)->pMethods->*kMethod)(Inner(file), arguments...);
}

template <auto kMethod, class... Arguments>
auto Forward(sqlite3_file* file, Arguments... arguments) {
  return (Inner(file)->pMethods->*kMethod)(Inner(file), arguments...);
}

// Locks are let go, whatever fails.
int SharedLock(sqlite3_file* file, int offset, int count, int flags) {
  if ((flags & SQLITE_SHM_LOCK) != 0 && Fails(kSharedLock)) return Code();
  return Inner(file)->pMethods->xShmLock(Inner(file), offset, count, flags);
}

// This thread's last.
sqlite3*& LastConnection() {
  thread_local sqlite3* connection = nullptr;
  return connection;
}

int OnConnection(sqlite3* database, char** /*error*/, const void* /*api*/) {
  LastConnection() = database;
  return SQLITE_OK;
}

// In the place of the store's own setting of how long the log may get.
int Control(sqlite3_file* file, int what, void* argument) {
  if (what == SQLITE_FCNTL_PRAGMA) {
    const char* const name = static_cast<char**>(argument)[1];
    if (std::string_view(name) == "wal_autocheckpoint") {
      return sqlite3_wal_autocheckpoint(LastConnection(), kPagesOfLog);
    }
  }
  return Inner(file)->pMethods->xFileControl(Inner(file), what, argument);
}

constexpr Methods kMethods = {
    .iVersion = 3,
    .xClose = Forward<&Methods::xClose>,
    .xRead = Through<&Methods::xRead, kRead>,
    .xWrite = Write,
    .xTruncate = Truncate,
    .xSync = Sync,
    .xFileSize = Through<&Methods::xFileSize, kSize>,
    .xLock = Through<&Methods::xLock, kLock>,
    .xUnlock = Forward<&Methods::xUnlock>,
    .xCheckReservedLock = Through<&Methods::xCheckReservedLock, kLock>,
    .xFileControl = Control,
    .xSectorSize = Forward<&Methods::xSectorSize>,
    .xDeviceCharacteristics = Forward<&Methods::xDeviceCharacteristics>,
    .xShmMap = Through<&Methods::xShmMap, kSharedMap>,
    .xShmLock = SharedLock,
    .xShmBarrier = Forward<&Methods::xShmBarrier>,
    .xShmUnmap = Forward<&Methods::xShmUnmap>,
    .xFetch = Forward<&Methods::xFetch>,
    .xUnfetch = Forward<&Methods::xUnfetch>,
};

int Open(sqlite3_vfs* /*vfs*/, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
  file->pMethods = nullptr;
  if (Fails(kOpen)) return Code();
  const int result = DefaultVfs()->xOpen(DefaultVfs(), name, Inner(file), flags, out);
  file->pMethods = Inner(file)->pMethods == nullptr ? nullptr : &kMethods;
  Ours(file)->path = name;
  return result;
}

int Delete(sqlite3_vfs* /*vfs*/, const char* path, int sync_directory) {
  if (Fails(kDelete)) return Code();
  const int result = DefaultVfs()->xDelete(DefaultVfs(), path, 0);
  if (result == SQLITE_OK) Disk().Delete(path, sync_directory != 0);
  return result;
}

int Access(sqlite3_vfs* /*vfs*/, const char* path, int flags, int* out) {
  return Fails(kAccess) ? Code() : DefaultVfs()->xAccess(DefaultVfs(), path, flags, out);
}

// Nobody else will let a lock go.
int Sleep(sqlite3_vfs* /*vfs*/, int microseconds) { return microseconds; }

sqlite3_vfs MakeVfs() {
  sqlite3_vfs vfs = *DefaultVfs();
  vfs.szOsFile += static_cast<int>(sizeof(File));
  vfs.pNext = nullptr;
  vfs.zName = "clearance-faults";
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xSleep = Sleep;
  return vfs;
}

sqlite3_mem_methods& DefaultMemory() {
  static sqlite3_mem_methods methods;
  return methods;
}

void* Allocate(int size) { return Fails(kAllocate) ? nullptr : DefaultMemory().xMalloc(size); }

void* Reallocate(void* old, int size) {
  return Fails(kAllocate) ? nullptr : DefaultMemory().xRealloc(old, size);
}

void TakeMemory() {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &DefaultMemory());
  sqlite3_mem_methods ours = DefaultMemory();
  ours.xMalloc = Allocate;
  ours.xRealloc = Reallocate;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}

bool SetUp() {
  TakeMemory();
  static sqlite3_vfs vfs = MakeVfs();
  sqlite3_vfs_register(&vfs, 0);
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(OnConnection));
  return true;
}

}  // namespace

void Arm(const Fault& fault, int call) {
  Heal();
  Armed& armed = Present();
  armed.fault = fault;
  armed.calls_until = call;
  armed.strikes = 0;
  armed.ops = fault.ops;
}

void Heal() { Present().ops = 0; }

int Strikes() { return Present().strikes; }

Pause::Pause() : ops_(Present().ops.exchange(0)) {}

Pause::~Pause() { Present().ops = ops_; }

const char* FaultVfs() {
  static const bool is_set_up = SetUp();
  (void)is_set_up;
  return "clearance-faults";
}

void BeginDisk(const std::string& directory) { Disk().Begin(directory); }

void WriteDiskAfter(Loss loss, testing::Random* random, const std::string& directory) {
  Disk().WriteAfter(loss, random, directory);
}

}  // namespace clearance::hammer

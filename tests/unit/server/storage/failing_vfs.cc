// SPDX-License-Identifier: Apache-2.0
//
// Each file is a File of ours with the default layer's own behind it, to which everything goes.

#include "tests/unit/server/storage/failing_vfs.h"

#include <csignal>

namespace clearance::testing {
namespace {

struct File {
  sqlite3_file base;
  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* Inner(sqlite3_file* file) { return reinterpret_cast<File*>(file)->inner(); }

sqlite3_vfs* DefaultVfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  return vfs;
}

void LiveOrDie() {
  if (VfsFailures().calls_to_live.load() < 0) return;
  if (VfsFailures().calls_to_live.fetch_sub(1) == 0) raise(SIGKILL);
}

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  LiveOrDie();
  const int failure = VfsFailures().write;
  if (failure != SQLITE_OK) return failure;
  return Inner(file)->pMethods->xWrite(Inner(file), bytes, size, offset);
}

int Sync(sqlite3_file* file, int flags) {
  LiveOrDie();
  ++VfsFailures().syncs;
  const int failure = VfsFailures().sync;
  return failure != SQLITE_OK ? failure : Inner(file)->pMethods->xSync(Inner(file), flags);
}

// A method that goes to the inner file as it is.
template <auto kMethod, class... Arguments>
auto Forward(sqlite3_file* file, Arguments... arguments) {
  return (Inner(file)->pMethods->*kMethod)(Inner(file), arguments...);
}

using Methods = sqlite3_io_methods;

constexpr Methods kMethods = {
    .iVersion = 3,
    .xClose = Forward<&Methods::xClose>,
    .xRead = Forward<&Methods::xRead>,
    .xWrite = Write,
    .xTruncate = Forward<&Methods::xTruncate>,
    .xSync = Sync,
    .xFileSize = Forward<&Methods::xFileSize>,
    .xLock = Forward<&Methods::xLock>,
    .xUnlock = Forward<&Methods::xUnlock>,
    .xCheckReservedLock = Forward<&Methods::xCheckReservedLock>,
    .xFileControl = Forward<&Methods::xFileControl>,
    .xSectorSize = Forward<&Methods::xSectorSize>,
    .xDeviceCharacteristics = Forward<&Methods::xDeviceCharacteristics>,
    .xShmMap = Forward<&Methods::xShmMap>,
    .xShmLock = Forward<&Methods::xShmLock>,
    .xShmBarrier = Forward<&Methods::xShmBarrier>,
    .xShmUnmap = Forward<&Methods::xShmUnmap>,
    .xFetch = Forward<&Methods::xFetch>,
    .xUnfetch = Forward<&Methods::xUnfetch>,
};

int Open(sqlite3_vfs* /*vfs*/, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
  const int result = DefaultVfs()->xOpen(DefaultVfs(), name, Inner(file), flags, out);
  file->pMethods = Inner(file)->pMethods == nullptr ? nullptr : &kMethods;
  return result;
}

int Sleep(sqlite3_vfs* /*vfs*/, int microseconds) {
  ++VfsFailures().sleeps;
  return DefaultVfs()->xSleep(DefaultVfs(), microseconds);
}

sqlite3_vfs MakeVfs() {
  sqlite3_vfs vfs = *DefaultVfs();
  vfs.szOsFile += static_cast<int>(sizeof(File));
  vfs.pNext = nullptr;
  vfs.zName = "clearance-failing";
  vfs.xOpen = Open;
  vfs.xSleep = Sleep;
  return vfs;
}

}  // namespace

Failures& VfsFailures() {
  static Failures& failures = *new Failures;
  return failures;
}

const char* FailingVfs() {
  static sqlite3_vfs vfs = MakeVfs();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  (void)registered;
  return vfs.zName;
}

void MakeFailingVfsTheDefault() { sqlite3_vfs_register(sqlite3_vfs_find(FailingVfs()), 1); }

}  // namespace clearance::testing

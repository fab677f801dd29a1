// SPDX-License-Identifier: Apache-2.0
//
// A server's store and ledger, in this process, on files that fail: a story of changes is told once
// for every call of SQLite to its files (and to its memory) and every way in which that can fail,
// once or from then on, and for every write at which the power may go.
//
//   store_faults [--seed=S] [--losses=N] [--stride=N]
//
// What is promised, and looked at after each:
//   - a change that was acknowledged is there, of a shape or a scene, with its revision and to the
//     last bit: at once, after the process's end, and after a loss of power at any moment;
//   - a change that was refused for the store's sake is not there. Only where the process ends, or
//     the power goes, before a later change was stored may it be there, and then wholly;
//   - while the store fails the ledger says so, from before the refusal on, and that it is well
//     again from before the next acknowledgement on;
//   - a store is opened again, and takes changes, once the fault is over.
// Exits with 1 where one of these is broken, or a kind of fault never happened.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "server/app/restore.h"
#include "server/guard/refusal.h"
#include "server/storage/data_directory.h"
#include "server/storage/shape_ledger.h"
#include "server/storage/sqlite_shape_store.h"
#include "tests/hammer/fault_vfs.h"
#include "tests/hammer/result_line.h"
#include "tests/hammer/story.h"

ABSL_FLAG(std::uint64_t, seed, 1, "Of what a loss of power leaves.");
ABSL_FLAG(int, stride, 1, "Of the calls after the first ones one in so many fails.");
ABSL_FLAG(int, losses, 2, "How often chance says what each loss of power leaves.");

namespace clearance::hammer {
namespace {

using server::ShapeOutcome;

// What a fault lasts for before it is healed.
constexpr int kRefusalsUntilHealed = 2;

// Of these each fails in turn, however long the stride.
constexpr int kFirstCalls = 10;

constexpr Fault kFaults[] = {
    {"write fails", kWrite, SQLITE_IOERR_WRITE},
    {"write fails after half", kWrite, SQLITE_IOERR_WRITE, false, true},
    {"disk is full", kWrite, SQLITE_FULL},
    {"disk is full after half", kWrite, SQLITE_FULL, false, true},
    {"sync fails", kSync, SQLITE_IOERR_FSYNC},
    {"sync fails and loses", kSync, SQLITE_IOERR_FSYNC, false, false, true},
    {"truncation fails", kTruncate, SQLITE_IOERR_TRUNCATE},
    {"read fails", kRead, SQLITE_IOERR_READ},
    {"no file size", kSize, SQLITE_IOERR_FSTAT},
    {"open fails", kOpen, SQLITE_CANTOPEN},
    {"lock fails", kLock, SQLITE_IOERR_LOCK},
    {"lock is taken", kLock, SQLITE_BUSY},
    {"shared memory fails", kSharedMap, SQLITE_IOERR_SHMMAP},
    {"shared lock fails", kSharedLock, SQLITE_IOERR_SHMLOCK},
    {"shared lock is taken", kSharedLock, SQLITE_BUSY},
    {"deletion fails", kDelete, SQLITE_IOERR_DELETE},
    {"no access", kAccess, SQLITE_IOERR_ACCESS},
    {"no memory", kAllocate, SQLITE_NOMEM},
};
constexpr Fault kPowerLoss = {"power goes", kChanges, SQLITE_IOERR, true};
constexpr Fault kPowerLossInAWrite = {"power goes in a write", kChanges, SQLITE_IOERR, true, true};

// Where one telling of the story is, and what was seen of it. A copy of the directory `disk` stands
// in for the disk after a loss of power.
struct Telling {
  std::string directory, disk;
  State acknowledged;
  // What may be there instead, after a crash: each a change that was refused since the last one
  // that was stored.
  std::vector<State> doubtful;
  int refusals = 0;
  bool ends_with_fault = false;  // as with a loss of power
  std::string fault;             // what is wrong; "" as long as nothing is

  void Fail(const std::string& what) {
    if (fault.empty()) fault = what;
  }
  bool IsOver() const { return !fault.empty() || (ends_with_fault && Strikes() > 0); }
  bool Allows(const State& state) const {
    return state == acknowledged || std::ranges::count(doubtful, state) > 0;
  }
};

absl::StatusOr<std::unique_ptr<server::SqliteShapeStore>> OpenStore(
    const std::string& directory, std::unique_ptr<Memory>* memory) {
  *memory = std::make_unique<Memory>();
  auto store = server::SqliteShapeStore::Open(server::DatabasePath(directory), FaultVfs());
  if (!store.ok()) return store.status();
  constexpr int kThreads = 1;
  absl::Status status = server::RestoreShapes(kThreads, store->get(), &(*memory)->registry);
  if (status.ok())
    status = server::RestoreScenes(store->get(), (*memory)->registry, &(*memory)->scenes);
  if (!status.ok()) return status;
  return store;
}

// Submits and waits.
std::vector<ShapeOutcome> Settle(server::ShapeLedger* ledger, const Order& order) {
  std::promise<std::vector<ShapeOutcome>> settled;
  ledger->Submit(
      order, [&](std::vector<ShapeOutcome> outcomes) { settled.set_value(std::move(outcomes)); });
  return settled.get_future().get();
}

bool IsStoreRefusal(const ShapeOutcome& outcome) {
  return !outcome.ok() && server::ErrorOf(outcome.status()).field() == "data_dir";
}

void TakeOutcomes(const Order& order, const std::vector<ShapeOutcome>& outcomes, bool is_healthy,
                  Telling* telling) {
  if (std::ranges::any_of(outcomes, IsStoreRefusal)) {
    ++telling->refusals;
    telling->doubtful.push_back(After(telling->acknowledged, order));
    if (Strikes() == 0) telling->Fail("refused without a fault");
    if (is_healthy) telling->Fail("healthy although it refuses");
    if (telling->refusals == kRefusalsUntilHealed) Heal();
    return;
  }
  State after = After(telling->acknowledged, order);
  if (after == telling->acknowledged) return;
  if (!is_healthy) telling->Fail("unhealthy although it stores");
  telling->acknowledged = std::move(after);
  telling->doubtful.clear();
}

// The disk after a loss of power: has what it has to, and takes a change.
void LookAtDisk(Loss loss, testing::Random* random, Telling* telling) {
  std::filesystem::remove_all(telling->disk);
  std::filesystem::create_directory(telling->disk);
  WriteDiskAfter(loss, random, telling->disk);
  std::unique_ptr<Memory> memory;
  auto store = OpenStore(telling->disk, &memory);
  if (!store.ok()) return telling->Fail("after a loss of power: " + store.status().ToString());
  if (!telling->Allows(StateOf(*memory))) telling->Fail("after a loss of power: another state");
  if (telling->fault.empty()) telling->Fail(FaultOfContents(*memory));
  const State wanted = After(StateOf(*memory), Afterword());
  {
    server::ShapeLedger ledger(
        {.registry = memory->registry, .store = *std::move(store), .scenes = memory->scenes});
    const auto outcomes = Settle(&ledger, Bound(Afterword(), &memory->scenes));
    if (!std::ranges::all_of(outcomes, &ShapeOutcome::ok))
      telling->Fail("takes no change after a loss");
  }
  std::unique_ptr<Memory> again;
  if (!OpenStore(telling->disk, &again).ok()) telling->Fail("not opened again after a loss");
  if (StateOf(*again) != wanted) telling->Fail("lost the change after a loss of power");
}

// As a server starts: what cannot be opened while the fault lasts must be opened after it. Null,
// and nothing wrong, where the power is gone.
std::unique_ptr<server::SqliteShapeStore> Start(Telling* telling, std::unique_ptr<Memory>* memory) {
  auto store = OpenStore(telling->directory, memory);
  if (!store.ok()) {
    if (Strikes() == 0) telling->Fail("not opened without a fault: " + store.status().ToString());
    if (telling->ends_with_fault) return nullptr;
    Heal();
    store = OpenStore(telling->directory, memory);
  }
  if (!store.ok()) {
    telling->Fail("not opened after the fault: " + store.status().ToString());
    return nullptr;
  }
  if (!telling->Allows(StateOf(**memory))) telling->Fail("another state at the start");
  telling->Fail(FaultOfContents(**memory));
  telling->acknowledged = StateOf(**memory);
  telling->doubtful.clear();
  return *std::move(store);
}

// One life of a server.
void Live(const std::vector<Order>& orders, Telling* telling) {
  std::unique_ptr<Memory> memory;
  std::unique_ptr<server::SqliteShapeStore> store = Start(telling, &memory);
  if (store == nullptr) return;
  std::atomic<bool> is_healthy = true;
  server::ShapeLedger ledger(
      {.registry = memory->registry, .store = std::move(store), .scenes = memory->scenes});
  ledger.WatchHealth([&](bool now) { is_healthy = now; });
  for (const Order& order : orders) {
    const std::vector<ShapeOutcome> outcomes = Settle(&ledger, Bound(order, &memory->scenes));
    TakeOutcomes(order, outcomes, is_healthy, telling);
    if (StateOf(*memory) != telling->acknowledged) telling->Fail("queries see another state");
    if (telling->IsOver()) break;
  }
  ledger.WatchHealth(nullptr);
  if (telling->IsOver()) return;
  const Pause pause;
  LookAtDisk(Loss::kAllUnsynced, nullptr, telling);
}

struct Run {
  testing::Random random;
  int losses;  // by chance, of each loss of power
  std::string directory, disk;
  int strikes = 0;
};

// Tells the story with the fault at its call number `call`. What is wrong, or "".
std::string Tell(const Fault& fault, int call, bool is_power_loss, Run* run) {
  Telling telling;
  telling.directory = run->directory;
  telling.disk = run->disk;
  telling.ends_with_fault = is_power_loss;
  std::filesystem::remove_all(run->directory);
  std::filesystem::create_directory(run->directory);
  // As DataDirectory::Open makes it.
  std::ofstream(server::DatabasePath(run->directory)).flush();
  BeginDisk(run->directory);
  Arm(fault, call);
  for (const std::vector<Order>& life : MakeStory()) {
    if (!telling.IsOver()) Live(life, &telling);
  }
  run->strikes = Strikes();
  Heal();
  LookAtDisk(Loss::kAllUnsynced, nullptr, &telling);
  if (is_power_loss) {
    LookAtDisk(Loss::kNothing, nullptr, &telling);
    for (int i = 0; i < run->losses; ++i) LookAtDisk(Loss::kSomeUnsynced, &run->random, &telling);
  } else {
    std::unique_ptr<Memory> memory;
    Start(&telling, &memory);
  }
  return telling.fault;
}

// Every call in turn. False where something is wrong or the fault never happened.
bool TryAll(const Fault& fault, bool is_power_loss, Run* run, int* total) {
  int faults = 0;
  std::string wrong;
  const int stride = absl::GetFlag(FLAGS_stride);
  for (int call = 1; wrong.empty(); call += call < kFirstCalls ? 1 : stride) {
    wrong = Tell(fault, call, is_power_loss, run);
    if (run->strikes == 0) break;
    ++faults;
    if (!wrong.empty()) wrong = "call " + std::to_string(call) + ": " + wrong;
  }
  std::printf("  %-26s %-8s %6d %s\n", fault.name, fault.lasts ? "for long" : "once", faults,
              wrong.c_str());
  std::fflush(stdout);
  *total += faults;
  return faults > 0 && wrong.empty();
}

// In memory where there is such a place: nothing here is really synced.
std::string ParentDirectory() {
  constexpr const char* kMemory = "/dev/shm";
  return std::filesystem::is_directory(kMemory) ? kMemory : std::filesystem::temp_directory_path();
}

// A new directory that goes with its contents at the end.
class Workplace {
 public:
  Workplace() {
    std::string pattern = ParentDirectory() + "/clearance_faults_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::string File(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

int Main() {
  const Workplace directory;
  Run run = {.random = testing::Random(absl::GetFlag(FLAGS_seed)),
             .losses = absl::GetFlag(FLAGS_losses),
             .directory = directory.File("data"),
             .disk = directory.File("disk")};
  std::printf("store_faults: --seed=%llu --losses=%d --stride=%d\n",
              static_cast<unsigned long long>(absl::GetFlag(FLAGS_seed)), run.losses,
              absl::GetFlag(FLAGS_stride));
  bool is_well = true;
  int faults = 0;
  for (Fault fault : kFaults) {
    is_well = TryAll(fault, false, &run, &faults) && is_well;
    fault.lasts = true;
    is_well = TryAll(fault, false, &run, &faults) && is_well;
  }
  is_well = TryAll(kPowerLoss, true, &run, &faults) && is_well;
  is_well = TryAll(kPowerLossInAWrite, true, &run, &faults) && is_well;
  std::printf("%d faults: %s\n", faults, is_well ? "nothing lost" : "FAULT");
  PrintResult(
      {.kind = "store", .faults = static_cast<std::uint64_t>(faults), .lost = is_well ? 0U : 1U});
  return is_well ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  clearance::hammer::FaultVfs();
  return clearance::hammer::Main();
}

// SPDX-License-Identifier: Apache-2.0
//
// A file layer for SQLite over the default one that fails where it is told to, call by call, and
// knows what a disk would still have if the power went now. Files are not really synced: what a
// sync is for is kept in memory. SQLite's own memory is asked for through here too.

#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

#include "tests/support/random.h"

namespace clearance::hammer {

// Calls of SQLite that can fail, as bits.
enum Op : unsigned {
  kRead = 1U << 0,
  kWrite = 1U << 1,
  kTruncate = 1U << 2,
  kSync = 1U << 3,
  kSize = 1U << 4,
  kLock = 1U << 5,
  kSharedMap = 1U << 6,
  kSharedLock = 1U << 7,
  kOpen = 1U << 8,
  kDelete = 1U << 9,
  kAccess = 1U << 10,
  kAllocate = 1U << 11,
};
// What a disk that is gone no longer does.
inline constexpr unsigned kChanges = kWrite | kTruncate | kSync | kDelete;

struct Fault {
  const char* name = "";
  unsigned ops = 0;
  int code = SQLITE_IOERR;
  bool lasts = false;           // until it is healed; else one call fails
  bool does_half = false;       // of a write the first half is done
  bool loses_unsynced = false;  // what a failed sync was for never gets to the disk
};

// From now on the call number `call` (from 1) among `fault.ops` fails. Only one fault at a time.
void Arm(const Fault& fault, int call);
// Lets everything through again.
void Heal();
// Calls that failed since Arm.
int Strikes();

// Nothing fails, or counts, while this lives.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const unsigned ops_;
};

// The layer's name. The first call, before anything of SQLite is used, sets it up; it makes
// connections fold the log into the database every few pages, so that short stories do so too.
const char* FaultVfs();

// What of the writes that were not synced is on the disk after a loss of power.
enum class Loss { kAllUnsynced, kSomeUnsynced, kNothing };

// From now on the disk has what is in the directory, synced, and what is written there through
// the layer.
void BeginDisk(const std::string& directory);
// Writes the files as the disk has them after a loss of power into the directory.
void WriteDiskAfter(Loss loss, testing::Random* random, const std::string& directory);

}  // namespace clearance::hammer

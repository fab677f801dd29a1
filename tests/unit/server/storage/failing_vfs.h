// SPDX-License-Identifier: Apache-2.0
//
// The default file layer of SQLite, but for writes and syncs that fail when a test wants them to.

#pragma once

#include <sqlite3.h>

#include <atomic>

namespace clearance::testing {

// Result codes of the calls from now on; SQLITE_OK lets them through. Of all files of the layer.
struct Failures {
  std::atomic<int> write = SQLITE_OK;
  std::atomic<int> sync = SQLITE_OK;
  std::atomic<int> syncs = 0;  // calls, failed or not
  // After so many more writes or syncs the process is killed before the next; negative: never.
  std::atomic<int> calls_to_live = -1;
  std::atomic<int> sleeps = 0;  // likewise: SQLite waits so for somebody else's lock
};
Failures& VfsFailures();

// The layer's name, registered when first asked for.
const char* FailingVfs();

// From here on the layer is that of every file that is opened without naming one.
void MakeFailingVfsTheDefault();

}  // namespace clearance::testing

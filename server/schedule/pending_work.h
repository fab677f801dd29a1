// SPDX-License-Identifier: Apache-2.0
//
// One message's place among all that wait for workers or are worked on. The sum of their expected
// costs is limited: a server that took every message would answer all of them late and none in
// time.

#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "server/guard/share_ledger.h"
#include "server/observe/metrics.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/schedule/worker_pool.h"

namespace clearance::server {

// Holds one place. Cheap work is done at once and costs nothing here, unless it takes longer than
// expected and is handed over. Thread-compatible.
class PendingWork {
 public:
  // Both outlive this.
  PendingWork(Metrics& metrics, WorkerPool& pool)
      : metrics_(metrics), pool_(pool), part_(pool.pending()) {}
  ~PendingWork();
  PendingWork(const PendingWork&) = delete;
  PendingWork& operator=(const PendingWork&) = delete;

  // Takes the place. RESOURCE_EXHAUSTED, with the time to wait, if too much is pending. At most
  // once. The work is never refused later.
  absl::Status Take(std::string_view group, std::uint64_t cost);

  // Returns OK unless the call was over while this waited, which is counted.
  absl::Status RequireTimeLeft(const StopRule& stop) const;

  // Adds the times of work that was done, all of it or as much as came in one go.
  void Add(const WorkTimes& times);
  // Counts work that was begun in place and goes on at workers. It is never refused.
  void HandOver(std::string_view group, std::uint64_t cost);
  // Gives the place back while no worker is waited for.
  void Release();
  // Takes a place again for the rest of work that was granted. Requires: released.
  void TakeBack(std::uint64_t cost);

 private:
  void TakeAnyway(std::uint64_t cost);

  Metrics& metrics_;
  WorkerPool& pool_;
  ShareLedger::Part part_;
  bool was_granted_ = false;  // any cost
  bool was_placed_ = false;   // on workers, or is to be
  WorkTimes times_;
};

// Returns OK unless the call was over while its message waited for a worker, which is counted.
absl::Status RequireNotOver(Metrics& metrics, const StopRule& stop);

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// One message's place among all that wait for workers or are worked on. These are bounded by what
// they will cost: a server that took whatever comes would answer everything late and nobody in
// time.

#ifndef CLEARANCE_SERVER_SCHEDULE_PENDING_WORK_H_
#define CLEARANCE_SERVER_SCHEDULE_PENDING_WORK_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "server/observe/metrics.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/schedule/worker_pool.h"

namespace clearance::server {

// What is cheap is done at once and costs nothing here. Thread-compatible.
class PendingWork {
 public:
  // Both outlive this.
  PendingWork(Metrics& metrics, WorkerPool::Account& account)
      : metrics_(metrics), account_(account) {}
  ~PendingWork();
  PendingWork(const PendingWork&) = delete;
  PendingWork& operator=(const PendingWork&) = delete;

  // RESOURCE_EXHAUSTED, with the time to wait, where too much is pending. At most once. What it is
  // about is never refused later.
  absl::Status Take(std::string_view group, std::uint64_t cost);

  // OK unless the call was over while this waited, which is counted.
  absl::Status RequireTimeLeft(const StopRule& stop) const;

  // The work was done, or as much of it as came in one go.
  void Add(const WorkTimes& times);
  // Gives the place back, for as long as no worker is waited for.
  void Release();
  // Of work that was granted, what is left of it. Requires: released.
  void TakeBack(std::uint64_t cost);

 private:
  void Hold(std::uint64_t cost);

  Metrics& metrics_;
  WorkerPool::Account& account_;
  std::uint64_t cost_ = 0;    // held; 0: nothing
  bool was_granted_ = false;  // something
  bool was_placed_ = false;   // on workers, or is to be
  WorkTimes times_;
};

// OK unless the call was over while its message waited for a worker, which is counted.
absl::Status RequireNotOver(Metrics& metrics, const StopRule& stop);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SCHEDULE_PENDING_WORK_H_

// SPDX-License-Identifier: Apache-2.0
//
// One message's place among all that wait for workers or are worked on. The sum of their expected
// costs is limited: a server that took every message would answer all of them late and none in
// time.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/guard/share_ledger.h"
#include "server/observe/metrics.h"
#include "server/schedule/work.h"
#include "server/schedule/worker_pool.h"

namespace clearance::server {

// Returns OK unless the call was over while its message waited for a worker, which is counted.
inline absl::Status RequireNotOver(Metrics& metrics, const StopRule& stop) {
  if (!stop.ShouldStop()) return absl::OkStatus();
  metrics.shed(ShedReason::kOver).Increment();
  return absl::DeadlineExceededError("the call was over before a worker came to its message");
}

// Holds one place. Cheap work is done at once and costs nothing here, unless it takes longer than
// expected and is handed over. Thread-compatible.
class PendingWork {
 public:
  // Both outlive this.
  PendingWork(Metrics& metrics, WorkerPool& pool)
      : metrics_(metrics), pool_(pool), part_(pool.pending()) {}
  ~PendingWork() {
    Release();
    if (!was_placed_) return;
    metrics_.queue_seconds().Observe(absl::ToDoubleSeconds(times_.waited));
    metrics_.work_seconds().Observe(absl::ToDoubleSeconds(times_.worked));
  }

  // Takes the place. RESOURCE_EXHAUSTED, with the time to wait, if too much is pending. At most
  // once. The work is never refused later.
  absl::Status Take(std::string_view group, std::uint64_t cost) {
    if (cost <= kMaxCheapCost) return absl::OkStatus();
    part_.Join(group);
    const absl::Duration wait = TimeToWait();
    const Verdict verdict = part_.TryTake(cost);
    if (verdict == Verdict::kGranted) {
      metrics_.pending_work().Increment(SecondsOf(cost));
      was_granted_ = true;
      was_placed_ = true;
      return absl::OkStatus();
    }
    metrics_.shed(verdict == Verdict::kShare ? ShedReason::kShare : ShedReason::kFull).Increment();
    return part_.Refuse(verdict, cost, {.retry_after = wait});
  }

  // Returns OK unless the call was over while this waited, which is counted.
  absl::Status RequireTimeLeft(const StopRule& stop) const {
    return was_granted_ ? RequireNotOver(metrics_, stop) : absl::OkStatus();
  }

  // Adds the times of work that was done, all of it or as much as came in one go.
  void Add(const WorkTimes& times) {
    was_placed_ = was_placed_ || times.worked > absl::ZeroDuration();
    times_.waited += times.waited;
    times_.worked += times.worked;
  }
  // Counts work that was begun in place and goes on at workers. It is never refused.
  void HandOver(std::string_view group, std::uint64_t cost) {
    part_.Join(group);
    TakeAnyway(cost);
  }
  // Gives the place back while no worker is waited for.
  void Release() {
    if (part_.held() == 0) return;
    metrics_.pending_work().Decrement(SecondsOf(part_.held()));
    part_.Release();
  }
  // Takes a place again for the rest of work that was granted. Requires: released.
  void TakeBack(std::uint64_t cost) {
    if (was_granted_ && cost > 0) TakeAnyway(cost);
  }

 private:
  static double SecondsOf(std::uint64_t cost) { return absl::ToDoubleSeconds(DurationOf(cost)); }

  // Returns the time until all pending work is done by the estimates, clamped as they are not
  // exact.
  absl::Duration TimeToWait() const {
    const auto share = static_cast<std::int64_t>(std::max<std::size_t>(1, pool_.thread_count()));
    return std::clamp(DurationOf(pool_.pending().held()) / share, absl::Milliseconds(10),
                      absl::Seconds(5));
  }

  void TakeAnyway(std::uint64_t cost) {
    part_.TakeAnyway(cost);
    metrics_.pending_work().Increment(SecondsOf(cost));
  }

  Metrics& metrics_;
  WorkerPool& pool_;
  ShareLedger::Part part_;
  bool was_granted_ = false;  // any cost
  bool was_placed_ = false;   // on workers, or is to be
  WorkTimes times_;
};

}  // namespace clearance::server

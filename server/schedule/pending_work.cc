// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/pending_work.h"

#include <algorithm>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

double SecondsOf(std::uint64_t cost) { return absl::ToDoubleSeconds(DurationOf(cost)); }

// Returns the time until all pending work is done by the estimates, clamped as they are not exact.
absl::Duration RetryAfter(std::uint64_t pending, std::size_t threads) {
  const auto share = static_cast<std::int64_t>(std::max<std::size_t>(1, threads));
  return std::clamp(DurationOf(pending) / share, absl::Milliseconds(10), absl::Seconds(5));
}

}  // namespace

PendingWork::~PendingWork() {
  Release();
  if (!was_placed_) return;
  metrics_.queue_seconds().Observe(absl::ToDoubleSeconds(times_.waited));
  metrics_.work_seconds().Observe(absl::ToDoubleSeconds(times_.worked));
}

absl::Status PendingWork::Take(std::string_view group, std::uint64_t cost) {
  if (cost <= kMaxCheapCost) return absl::OkStatus();
  account_.Join(group);
  const Turns::Allowance allowance = account_.Reserve(cost);
  if (allowance.is_granted) {
    Hold(cost);
    was_granted_ = true;
    was_placed_ = true;
    return absl::OkStatus();
  }
  const WorkerPool& pool = account_.pool();
  metrics_.shed(allowance.is_own_share ? ShedReason::kShare : ShedReason::kFull).Increment();
  return Refuse(
      absl::StatusCode::kResourceExhausted,
      {.field = "",
       .value = absl::FormatDuration(DurationOf(allowance.pending)) + " pending",
       .limit = "max_pending_work <= " + absl::FormatDuration(DurationOf(pool.most_pending())) +
                ", and of one caller what the others leave free",
       .message = "The server has more work than it will take on; repeat after `retry_after`.",
       .retry_after = RetryAfter(allowance.pending, pool.thread_count())});
}

void PendingWork::Hold(std::uint64_t cost) {
  cost_ = cost;
  metrics_.pending_work().Increment(SecondsOf(cost));
}

void PendingWork::TakeBack(std::uint64_t cost) {
  if (!was_granted_ || cost == 0) return;
  account_.ReserveAnyway(cost);
  Hold(cost);
}

void PendingWork::Release() {
  if (cost_ == 0) return;
  account_.Release(cost_);
  metrics_.pending_work().Decrement(SecondsOf(cost_));
  cost_ = 0;
}

void PendingWork::Add(const WorkTimes& times) {
  was_placed_ = was_placed_ || times.worked > absl::ZeroDuration();
  times_.waited += times.waited;
  times_.worked += times.worked;
}

absl::Status PendingWork::RequireTimeLeft(const StopRule& stop) const {
  return was_granted_ ? RequireNotOver(metrics_, stop) : absl::OkStatus();
}

absl::Status RequireNotOver(Metrics& metrics, const StopRule& stop) {
  if (!stop.ShouldStop()) return absl::OkStatus();
  metrics.shed(ShedReason::kOver).Increment();
  return absl::DeadlineExceededError("the call was over before a worker came to its message");
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/pending_work.h"

#include <algorithm>

#include "server/guard/share_ledger.h"

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
  part_.Join(group);
  const std::uint64_t before = pool_.pending().held();
  const Verdict verdict = part_.TryTake(cost);
  if (verdict == Verdict::kGranted) {
    metrics_.pending_work().Increment(SecondsOf(cost));
    was_granted_ = true;
    was_placed_ = true;
    return absl::OkStatus();
  }
  metrics_.shed(verdict == Verdict::kShare ? ShedReason::kShare : ShedReason::kFull).Increment();
  return part_.Refuse(verdict, cost, {.retry_after = RetryAfter(before, pool_.thread_count())});
}

void PendingWork::TakeAnyway(std::uint64_t cost) {
  part_.TakeAnyway(cost);
  metrics_.pending_work().Increment(SecondsOf(cost));
}

void PendingWork::TakeBack(std::uint64_t cost) {
  if (was_granted_ && cost > 0) TakeAnyway(cost);
}

void PendingWork::HandOver(std::string_view group, std::uint64_t cost) {
  part_.Join(group);
  TakeAnyway(cost);
}

void PendingWork::Release() {
  if (part_.held() == 0) return;
  metrics_.pending_work().Decrement(SecondsOf(part_.held()));
  part_.Release();
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

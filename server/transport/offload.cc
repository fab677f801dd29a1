// SPDX-License-Identifier: Apache-2.0

#include "server/transport/offload.h"

#include <grpc/support/time.h>

#include <algorithm>

#include "server/schedule/work.h"

namespace clearance::server {

bool Offload::await_ready() {
  if (where_.cost > kMaxCheapCost) return false;
  work_(&left_);
  return left_.count == 0;
}

void Offload::await_suspend(std::coroutine_handle<> waiter) {
  waiter_ = waiter;
  alarm_.emplace();
  added_ = SteadyNow();
  where_.account.Join(where_.group);
  if (left_.count > 0) {
    if (where_.pending != nullptr) where_.pending->HandOver(where_.group, cost());
    return AddParts();
  }
  if (IsWhole()) return where_.account.AddLong([this] { Begin(); });
  // How much work it really has is known once it has begun.
  where_.account.Add(kMaxCheapCost, [this] { Begin(); });
}

template <class DoWork>
absl::Duration Offload::Timed(const DoWork& work) {
  const SteadyTime began = SteadyNow();
  work();
  const absl::Duration took = SteadyNow() - began;
  worked_ += absl::ToInt64Nanoseconds(took);
  return took;
}

void Offload::Begin() {
  waited_ = SteadyNow() - added_;
  const absl::Duration took = Timed([this] { work_(&left_); });
  if (IsWhole()) where_.account.ChargeLong(CostOf(took));
  if (left_.count > 0) return AddParts();
  if (!IsWhole() && cost() > kMaxCheapCost) where_.account.Charge(cost() - kMaxCheapCost);
  Return();
}

// A thread that has done a part waits for its turn to do the next.
void Offload::AddParts() {
  const std::size_t threads = where_.account.pool().thread_count();
  const std::size_t most = left_.is_in_order ? 1 : std::min(left_.count, threads);
  WorkerPool::Account& account = where_.account;
  const std::uint64_t part_cost = cost() / left_.count;
  busy_ = most;
  // The last of them may have finished everything already when Add() returns.
  for (std::size_t i = 0; i < most; ++i) account.Add(part_cost, [this] { DoPart(); });
}

void Offload::DoPart() {
  const std::size_t i = next_part_.fetch_add(1, std::memory_order_relaxed);
  bool is_done = true;
  if (i < left_.count) Timed([&] { is_done = left_.part(i, SteadyNow() + kMostATurn); });
  if (!is_done) {
    where_.account.Charge(CostOf(kMostATurn));
    return where_.account.AddLong([this, i] { DoLongPart(i, kMostOfAWhole); });
  }
  DoNextPart();
}

// Interrupted rows begin again with twice the time, so that the longest one ends as well.
void Offload::DoLongPart(std::size_t i, absl::Duration most) {
  bool is_done = false;
  const absl::Duration took = Timed([&] { is_done = left_.part(i, SteadyNow() + most); });
  where_.account.ChargeLong(CostOf(took));
  if (!is_done) return where_.account.AddLong([this, i, most] { DoLongPart(i, 2 * most); });
  DoNextPart();
}

void Offload::DoNextPart() {
  if (next_part_.load(std::memory_order_relaxed) < left_.count) {
    where_.account.Add(cost() / left_.count, [this] { DoPart(); });
  } else if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Timed(left_.finish);
    Return();
  }
}

void Offload::Return() {
  grpc::CompletionQueue* const queue = where_.queue;
  is_done_.store(true, std::memory_order_release);
  // From here on the polling thread may resume the coroutine and destroy this.
  alarm_->Set(queue, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(this));
}

void Offload::Complete(bool /*ok*/) {
  (void)is_done_.load(std::memory_order_acquire);
  waiter_.resume();
}

}  // namespace clearance::server

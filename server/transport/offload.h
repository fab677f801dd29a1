// SPDX-License-Identifier: Apache-2.0
//
// Work that can be awaited: done in place if it is cheap, otherwise on workers. There it may leave
// most of itself to parts, each of which waits for its own turn. So no work waits for more of
// another's than a part. The coroutine continues on its own polling thread.

#pragma once

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"
#include "server/schedule/pending_work.h"
#include "server/transport/completion.h"

namespace clearance::server {

class Offload final {
 public:
  struct Where {
    WorkerPool::Account& account;
    std::string_view group;        // of the account; until it joins the pool
    grpc::CompletionQueue* queue;  // on whose polling thread the coroutine runs and goes on
    std::uint64_t cost;
    // The cost of the work that cannot be cut into parts.
    std::uint64_t whole_cost = 0;
    // Counts work that is handed over after it was begun in place; null: it is not counted.
    PendingWork* pending = nullptr;
  };
  // May leave parts to be done.
  using Work = std::function<void(Parts* left)>;

  Offload(const Where& where, Work work) : where_(where), work_(std::move(work)) {}

  bool await_ready() {
    if (where_.cost > kMaxCheapCost) return false;
    work_(&left_);
    return left_.count == 0;
  }
  void await_suspend(std::coroutine_handle<> waiter) {
    done_.emplace(where_.queue).Arm();
    done_->await_suspend(waiter);
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
  void await_resume() const {}

  WorkTimes times() const { return {waited_, absl::Nanoseconds(worked_.load())}; }

 private:
  std::uint64_t cost() const { return left_.cost == 0 ? where_.cost : left_.cost; }
  // Returns whether it is long and cannot be cut.
  bool IsWhole() const { return DurationOf(where_.whole_cost) > kMostOfAWhole; }

  // Returns how long it took.
  template <class DoWork>
  absl::Duration Timed(const DoWork& work) {
    const SteadyTime began = SteadyNow();
    work();
    const absl::Duration took = SteadyNow() - began;
    worked_ += absl::ToInt64Nanoseconds(took);
    return took;
  }

  void Begin() {
    waited_ = SteadyNow() - added_;
    const absl::Duration took = Timed([this] { work_(&left_); });
    if (IsWhole()) where_.account.ChargeLong(CostOf(took));
    if (left_.count > 0) return AddParts();
    if (!IsWhole() && cost() > kMaxCheapCost) where_.account.Charge(cost() - kMaxCheapCost);
    done_->Wake();  // from here on this may be gone
  }

  // A thread that has done a part waits for its turn to do the next.
  void AddParts() {
    const std::size_t threads = where_.account.pool().thread_count();
    const std::size_t most = left_.is_in_order ? 1 : std::min(left_.count, threads);
    WorkerPool::Account& account = where_.account;
    const std::uint64_t part_cost = cost() / left_.count;
    busy_ = most;
    // The last of them may have finished everything already when Add() returns.
    for (std::size_t i = 0; i < most; ++i) account.Add(part_cost, [this] { DoPart(); });
  }

  void DoPart() {
    const std::size_t i = next_part_.fetch_add(1, std::memory_order_relaxed);
    bool is_done = true;
    if (i < left_.count) Timed([&] { is_done = left_.part(i, SteadyNow() + kMostATurn); });
    if (is_done) return DoNextPart();
    where_.account.Charge(CostOf(kMostATurn));
    AddLongPart(i, kMostOfAWhole);
  }

  // Interrupted rows begin again with twice the time, so that the longest one ends as well.
  void AddLongPart(std::size_t i, absl::Duration most) {
    where_.account.AddLong([this, i, most] {
      bool is_done = false;
      const absl::Duration took = Timed([&] { is_done = left_.part(i, SteadyNow() + most); });
      where_.account.ChargeLong(CostOf(took));
      is_done ? DoNextPart() : AddLongPart(i, 2 * most);
    });
  }

  void DoNextPart() {
    if (next_part_.load(std::memory_order_relaxed) < left_.count) {
      where_.account.Add(cost() / left_.count, [this] { DoPart(); });
    } else if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Timed(left_.finish);
      done_->Wake();
    }
  }

  const Where where_;
  const Work work_;
  Parts left_;
  std::optional<Signal> done_;  // takes memory, so it is made only to wait
  std::atomic<std::size_t> next_part_ = 0;
  std::atomic<std::size_t> busy_ = 0;  // threads that may be at parts
  SteadyTime added_;
  absl::Duration waited_;
  std::atomic<std::int64_t> worked_ = 0;  // nanoseconds
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// A few threads for work that must not run on a polling thread: building hulls, parsing long
// messages and answering large batches. Every stream has its turn (turns.h). Work that takes longer
// than a turn and cannot be cut goes to as many other threads, so that it never keeps others from
// their turn.

#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "server/config/limits.h"
#include "server/guard/share_ledger.h"
#include "server/schedule/turns.h"

namespace clearance::server {

// Thread-safe. The work of one account begins in the order in which it was added.
class WorkerPool {
 public:
  class Account;

  // `niceness` is that of its threads: RunNicely().
  explicit WorkerPool(int threads, std::uint64_t most_pending = kNoLimit, int niceness = 0);
  // Finishes the work that was added.
  ~WorkerPool();

  // Returns the number of threads for work that takes a turn.
  std::size_t thread_count() const { return threads_.size() / 2; }
  // Returns the cost of all work that is pending, each message's as a part.
  ShareLedger& pending() { return pending_; }
  // Grows between two calls, unless work waited all the time and none of it was begun.
  std::uint64_t turns();

 private:
  // The work that waits for one kind of thread.
  struct Queue {
    std::condition_variable changed;
    Turns turns;
  };
  static constexpr std::size_t kShort = 0, kLong = 1;

  void Run(std::size_t kind);

  ShareLedger pending_;
  // Guards the next three. A std::mutex, because the thread sanitizer understands it.
  std::mutex mutex_;
  std::array<Queue, 2> queues_;
  std::uint64_t turn_count_ = 0;  // of the short ones
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

// A stream's place in the pool, which outlives it. Costs nothing before work is added. Thread-safe
// except for Join() and the destructor, which only the stream calls.
class WorkerPool::Account {
 public:
  explicit Account(WorkerPool& pool) : pool_(pool) {}
  // Requires: all of its work has begun.
  ~Account();

  const WorkerPool& pool() const { return pool_; }

  // Must come before any work; only the first call matters.
  void Join(std::string_view group);
  void Add(std::uint64_t cost, std::function<void()> work, std::size_t kind = kShort);
  // Adds work whose duration is not known.
  void AddLong(std::function<void()> work) { Add(Turns::kTurn, std::move(work), kLong); }
  // Charge for work that cost more than it was added with, and for long work that is done.
  void Charge(std::uint64_t cost, std::size_t kind = kShort);
  void ChargeLong(std::uint64_t cost) { Charge(cost, kLong); }

 private:
  Turns& TurnsOf(std::size_t kind) const { return pool_.queues_[kind].turns; }

  WorkerPool& pool_;
  std::array<Turns::Account, 2> turns_;  // guarded by the pool's mutex_
  bool has_joined_ = false;
};

}  // namespace clearance::server

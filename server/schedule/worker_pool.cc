// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/worker_pool.h"

#include "server/schedule/scheduling.h"
#include "server/schedule/work.h"

namespace clearance::server {
namespace {

constexpr Resource kPendingWork = {
    .limit = "max_pending_work", .advice = "await replies", .format = [](std::uint64_t cost) {
      return absl::FormatDuration(DurationOf(cost));
    }};

}  // namespace

WorkerPool::WorkerPool(int threads, std::uint64_t most_pending, int niceness)
    : pending_(kPendingWork, most_pending) {
  for (const std::size_t kind : {kShort, kLong}) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, niceness, kind] {
        RunNicely(niceness);
        Run(kind);
      });
    }
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  for (Queue& queue : queues_) queue.changed.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::uint64_t WorkerPool::turns() {
  const std::lock_guard lock(mutex_);
  if (queues_[kShort].turns.empty()) ++turn_count_;
  return turn_count_;
}

void WorkerPool::Run(std::size_t kind) {
  Queue& queue = queues_[kind];
  while (true) {
    Turns::Work work;
    {
      std::unique_lock lock(mutex_);
      queue.changed.wait(lock, [&] { return !queue.turns.empty() || is_ending_; });
      if (queue.turns.empty()) return;
      work = queue.turns.Take();
      if (kind == kShort) ++turn_count_;
    }
    work();
  }
}

WorkerPool::Account::~Account() {
  if (!has_joined_) return;
  const std::lock_guard lock(pool_.mutex_);
  for (const std::size_t kind : {kShort, kLong}) TurnsOf(kind).Leave(&turns_[kind]);
}

void WorkerPool::Account::Join(std::string_view group) {
  if (std::exchange(has_joined_, true)) return;
  const std::lock_guard lock(pool_.mutex_);
  for (const std::size_t kind : {kShort, kLong}) TurnsOf(kind).Join(&turns_[kind], group);
}

void WorkerPool::Account::Add(std::uint64_t cost, std::function<void()> work, std::size_t kind) {
  WorkerPool& pool = pool_;
  {
    const std::lock_guard lock(pool.mutex_);
    TurnsOf(kind).Add(&turns_[kind], cost, std::move(work));
  }
  // By now the work may be done, and the account may be gone with its stream.
  pool.queues_[kind].changed.notify_one();
}

void WorkerPool::Account::Charge(std::uint64_t cost, std::size_t kind) {
  const std::lock_guard lock(pool_.mutex_);
  TurnsOf(kind).Charge(&turns_[kind], cost);
}

}  // namespace clearance::server

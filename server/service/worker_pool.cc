// SPDX-License-Identifier: Apache-2.0

#include "server/service/worker_pool.h"

#include <utility>

#include "server/service/scheduling.h"

namespace clearance::server {

WorkerPool::WorkerPool(int threads, std::uint64_t most_pending, int niceness)
    : most_pending_(most_pending) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, niceness] {
      RunNicely(niceness);
      Run();
    });
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::uint64_t WorkerPool::turns() {
  const std::lock_guard lock(mutex_);
  if (turns_.empty()) ++turn_count_;
  return turn_count_;
}

void WorkerPool::Run() {
  while (true) {
    Turns::Work work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !turns_.empty() || is_ending_; });
      if (turns_.empty()) return;
      work = turns_.Take();
      ++turn_count_;
    }
    work();
  }
}

WorkerPool::Account::~Account() {
  if (!has_joined_) return;
  const std::lock_guard lock(pool_.mutex_);
  pool_.turns_.Leave(&turns_);
}

void WorkerPool::Account::Join(std::string_view group) {
  if (std::exchange(has_joined_, true)) return;
  const std::lock_guard lock(pool_.mutex_);
  pool_.turns_.Join(&turns_, group);
}

void WorkerPool::Account::Add(std::uint64_t cost, std::function<void()> work) {
  WorkerPool& pool = pool_;
  {
    const std::lock_guard lock(pool.mutex_);
    pool.turns_.Add(&turns_, cost, std::move(work));
  }
  // The work may have been done by now, and the account with its stream be gone.
  pool.changed_.notify_one();
}

Turns::Allowance WorkerPool::Account::Reserve(std::uint64_t cost) {
  const std::lock_guard lock(pool_.mutex_);
  return pool_.turns_.Reserve(&turns_, cost, pool_.most_pending_);
}

void WorkerPool::Account::ReserveAnyway(std::uint64_t cost) {
  const std::lock_guard lock(pool_.mutex_);
  pool_.turns_.ReserveAnyway(&turns_, cost);
}

void WorkerPool::Account::Release(std::uint64_t cost) {
  const std::lock_guard lock(pool_.mutex_);
  pool_.turns_.Release(&turns_, cost);
}

void WorkerPool::Account::Charge(std::uint64_t cost) {
  const std::lock_guard lock(pool_.mutex_);
  pool_.turns_.Charge(&turns_, cost);
}

}  // namespace clearance::server

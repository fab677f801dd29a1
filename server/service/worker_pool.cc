// SPDX-License-Identifier: Apache-2.0

#include "server/service/worker_pool.h"

#include <grpc/support/time.h>

#include <utility>

namespace clearance::server {

WorkerPool::WorkerPool(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void WorkerPool::Run() {
  while (true) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !queue_.empty() || is_ending_; });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

void Placed::await_suspend(std::coroutine_handle<> waiter) {
  waiter_ = waiter;
  where_.workers.Add([this] {
    work_();
    grpc::CompletionQueue* const queue = where_.queue;
    is_done_.store(true, std::memory_order_release);
    // From here on the polling thread may resume the coroutine and destroy this.
    alarm_.Set(queue, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(this));
  });
}

void Placed::Complete(bool /*ok*/) {
  (void)is_done_.load(std::memory_order_acquire);
  waiter_.resume();
}

}  // namespace clearance::server

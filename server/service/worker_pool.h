// SPDX-License-Identifier: Apache-2.0
//
// A few threads for what must not run on a polling thread: building hulls and answering large
// batches. A coroutine awaits its work and goes on where it was, on its own polling thread.

#ifndef CLEARANCE_SERVER_SERVICE_WORKER_POOL_H_
#define CLEARANCE_SERVER_SERVICE_WORKER_POOL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/service/completion.h"

namespace clearance::server {

// Thread-safe. Work is begun in the order in which it was added.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  // Finishes what was added.
  ~WorkerPool();

  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void Add(std::function<void()> work);

 private:
  void Run();

  // Guards the next three. The standard library's, because the thread sanitizer sees through it.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

// `co_await` runs the work: in place where it is cheap, else on a worker.
class Placed final : public Completion {
 public:
  struct Where {
    WorkerPool& workers;
    grpc::CompletionQueue* queue;  // on whose polling thread the coroutine runs and goes on
    bool is_cheap;
  };

  Placed(const Where& where, std::function<void()> work) : where_(where), work_(std::move(work)) {}

  bool await_ready() const {
    if (where_.is_cheap) work_();
    return where_.is_cheap;
  }
  void await_suspend(std::coroutine_handle<> waiter);
  void await_resume() const {}

  void Complete(bool ok) override;

 private:
  const Where where_;
  const std::function<void()> work_;
  grpc::Alarm alarm_;
  std::coroutine_handle<> waiter_;
  // Makes what the worker wrote visible to the polling thread, whatever the queue does.
  std::atomic<bool> is_done_ = false;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_WORKER_POOL_H_

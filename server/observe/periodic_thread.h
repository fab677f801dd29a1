// SPDX-License-Identifier: Apache-2.0
//
// A thread that does the same work again and again.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace clearance::server {

// Calls a function on a separate thread after each pause, until this ends. Thread-safe.
class PeriodicThread {
 public:
  // `work` is told whether Ask() ended the pause.
  PeriodicThread(std::chrono::milliseconds pause, std::function<void(bool is_asked)> work)
      : pause_(pause),
        work_(std::move(work)),
        thread_([this](const std::stop_token& stop) { Run(stop); }) {}

  // Ends the pause, or the next one if the work is in progress.
  void Ask() {
    {
      const std::lock_guard lock(mutex_);
      is_asked_ = true;
    }
    asked_.notify_all();
  }

 private:
  void Run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (true) {
      asked_.wait_for(lock, stop, pause_, [this] { return is_asked_; });
      if (stop.stop_requested()) return;
      const bool is_asked = std::exchange(is_asked_, false);
      lock.unlock();
      work_(is_asked);
      lock.lock();
    }
  }

  const std::chrono::milliseconds pause_;
  const std::function<void(bool)> work_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  bool is_asked_ = false;  // guarded by mutex_
  std::jthread thread_;    // the last: it uses the rest
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// SIGTERM and SIGINT as something to wait for, and SIGHUP as something to do. They are blocked
// everywhere and taken by one thread with sigwait, so no handler ever interrupts anything; the
// process may be PID 1 of a container.

#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/observe/log.h"

namespace clearance::server {

// Blocks the signals for this thread and those that it starts from now on. Returns them. Call it
// before any other thread starts.
sigset_t BlockShutdownSignals();

class ShutdownSignals {
 public:
  // `log` outlives this. A drain that takes longer than `longest_drain` is given up.
  ShutdownSignals(absl::Duration longest_drain, Log* log);
  ~ShutdownSignals();

  // Returns at the first signal. From then on a second one, or too long a drain, ends the process
  // at once with 1.
  void Wait() const { first_.WaitForNotification(); }

  bool has_come() const { return first_.HasBeenNotified(); }

  // From now on `reload` is called at each SIGHUP, by another thread. Before, one is only logged.
  void OnHangup(std::function<void()> reload) {
    const std::lock_guard lock(mutex_);
    reload_ = std::move(reload);
  }

 private:
  void Watch();

  const absl::Duration longest_drain_;
  Log* const log_;
  const sigset_t signals_;
  std::mutex mutex_;
  std::function<void()> reload_;  // guarded by mutex_
  absl::Notification first_;
  std::atomic<bool> ending_ = false;
  std::thread watcher_;
};

}  // namespace clearance::server

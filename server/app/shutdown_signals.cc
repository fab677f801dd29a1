// SPDX-License-Identifier: Apache-2.0
#include "server/app/shutdown_signals.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace clearance::server {

sigset_t BlockShutdownSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

ShutdownSignals::ShutdownSignals(absl::Duration longest_drain, Log* log)
    : longest_drain_(longest_drain), log_(log), signals_(BlockShutdownSignals()) {
  watcher_ = std::thread([this] { Watch(); });
}

ShutdownSignals::~ShutdownSignals() {
  ending_ = true;
  // Every thread blocks the signal: it ends nothing, it only wakes the watcher.
  // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
  pthread_kill(watcher_.native_handle(), SIGTERM);
  watcher_.join();
}

void ShutdownSignals::Watch() {
  int signal = 0;
  while (sigwait(&signals_, &signal) == 0 && signal == SIGHUP) {
    const std::lock_guard lock(mutex_);
    log_->Info(reload_ == nullptr ? "SIGHUP ignored: still starting"
                                  : "SIGHUP: reading policy, tokens and certificates again");
    if (reload_ != nullptr) reload_();
  }
  if (ending_) return;
  log_->Info("signal: draining", {{"signal", signal}});
  first_.Notify();
  const timespec timeout = absl::ToTimespec(longest_drain_);
  do {
    signal = sigtimedwait(&signals_, nullptr, &timeout);
  } while (signal == SIGHUP || (signal < 0 && errno == EINTR));
  if (ending_) return;
  log_->Error(signal < 0 ? "the drain takes too long: ending now" : "second signal: ending now",
              {{"signal", std::max(signal, 0)}});
  _exit(EXIT_FAILURE);
}

}  // namespace clearance::server

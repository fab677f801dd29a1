// SPDX-License-Identifier: Apache-2.0
#include "server/app/waiting_notice.h"

#include <chrono>
#include <utility>

namespace clearance::server {

WaitingNotice::WaitingNotice(std::string endpoints, Log* log)
    : endpoints_(std::move(endpoints)),
      log_(log),
      reason_("no answer yet"),
      teller_([this](const std::stop_token& stopped) { Tell(stopped); }) {}

void WaitingNotice::Failed(const absl::Status& reason) {
  const std::lock_guard lock(mutex_);
  reason_ = std::string(reason.message());
}

void WaitingNotice::Tell(const std::stop_token& stopped) {
  std::unique_lock lock(mutex_);
  for (int seconds = 1;; ++seconds) {
    ended_.wait_for(lock, stopped, std::chrono::seconds(1), [] { return false; });
    if (stopped.stop_requested()) return;
    log_->Warning("waiting for the shared store",
                  {{"endpoints", endpoints_}, {"seconds", seconds}, {"reason", reason_}});
  }
}

}  // namespace clearance::server

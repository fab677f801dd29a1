// SPDX-License-Identifier: Apache-2.0
//
// Lets so many records an hour into the log and no more: what goes wrong a thousand times a second
// must not fill a disk.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Thread-safe.
class LogAllowance {
 public:
  explicit LogAllowance(std::uint64_t records_an_hour, SteadyClock clock = SteadyNow)
      : records_an_hour_(records_an_hour), clock_(std::move(clock)) {}

  // The number of records that were held back since the last one that was let through, or nullopt
  // where this one must be held back too.
  std::optional<std::uint64_t> Take() {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = clock_();
    if (now - began_ >= absl::Hours(1)) {
      began_ = now;
      taken_ = 0;
    }
    if (taken_ == records_an_hour_) {
      ++held_back_;
      return std::nullopt;
    }
    ++taken_;
    return std::exchange(held_back_, 0);
  }

 private:
  const std::uint64_t records_an_hour_;
  const SteadyClock clock_;
  std::mutex mutex_;  // guards the next three
  SteadyTime began_;
  std::uint64_t taken_ = 0;
  std::uint64_t held_back_ = 0;
};

}  // namespace clearance::server

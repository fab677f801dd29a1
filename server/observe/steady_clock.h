// SPDX-License-Identifier: Apache-2.0
//
// The clock by which the server waits and measures. The wall clock may be put forward or back at
// any time, by hand or by NTP, and no wait or measurement may end early or late because of that.
// The wall clock is asked only for times that people read (in log lines) or have dated
// (certificates), and for what gRPC wants or gives as a date.

#pragma once

#include <chrono>
#include <compare>
#include <functional>

#include "absl/time/time.h"

namespace clearance::server {

// Holds a point in time without a date: only another one, or a duration, can be compared with it.
class SteadyTime {
 public:
  // Before all others.
  constexpr SteadyTime() = default;
  // Counted from the beginning of the clock.
  constexpr explicit SteadyTime(absl::Duration since_beginning)
      : since_beginning_(since_beginning) {}
  static constexpr SteadyTime InfiniteFuture() { return SteadyTime(absl::InfiniteDuration()); }

  SteadyTime& operator+=(absl::Duration duration) {
    since_beginning_ += duration;
    return *this;
  }
  friend SteadyTime operator+(SteadyTime time, absl::Duration duration) { return time += duration; }
  friend SteadyTime operator-(SteadyTime time, absl::Duration duration) {
    return time += -duration;
  }
  friend absl::Duration operator-(SteadyTime a, SteadyTime b) {
    return a.since_beginning_ - b.since_beginning_;
  }
  friend bool operator==(SteadyTime a, SteadyTime b) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees one in a comparison by default
  friend std::strong_ordering operator<=>(SteadyTime a, SteadyTime b) = default;

 private:
  absl::Duration since_beginning_ = -absl::InfiniteDuration();
};

// Returns the current time. Thread-safe.
inline SteadyTime SteadyNow() {
  return SteadyTime(absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch()));
}

// SteadyNow, or a test's replacement.
using SteadyClock = std::function<SteadyTime()>;

// Returns the time of the wall clock. Unlike absl::Now, which asks the clock every other second
// only, it sees at once that the clock was put forward or back. Thread-safe.
inline absl::Time WallNow() { return absl::FromChrono(std::chrono::system_clock::now()); }

}  // namespace clearance::server

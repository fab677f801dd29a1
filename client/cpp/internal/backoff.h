// SPDX-License-Identifier: Apache-2.0
//
// Decides which calls are tried again, and when: after 20 ms, then after twice as long each time up
// to a second. Each wait is shortened by chance by up to a fifth, so that the clients of a server
// that went do not all come back at once.

#pragma once

#include <optional>
#include <random>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "internal/steady_clock.h"

namespace clearance::client {

// Returns whether a call that was not cancelled here may end otherwise the next time. CANCELLED is
// how gRPC's server ends a call that reaches it while it shuts down.
inline bool IsWorthRepeating(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status);
}

// Not thread-safe.
class Backoff {
 public:
  // Gives up `within` after the first failure since the last success.
  explicit Backoff(absl::Duration within) : within_(within) {}

  // Returns how long to wait after a failure at `now`; nothing if it is time to give up.
  std::optional<absl::Duration> AfterFailure(SteadyTime now);
  void AfterSuccess();
  bool IsTimeToGiveUp(SteadyTime now) const { return give_up_at_ && now >= *give_up_at_; }

 private:
  const absl::Duration within_;
  std::optional<SteadyTime> give_up_at_;
  absl::Duration wait_ = absl::ZeroDuration();
  std::minstd_rand generator_{std::random_device{}()};
};

}  // namespace clearance::client

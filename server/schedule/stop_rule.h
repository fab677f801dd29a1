// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <atomic>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// When work on one message stops before it is done: its call is over, or its time is. Thread-safe.
class StopRule {
 public:
  // `is_in_vain` becomes true once no client will get the result. It outlives this.
  StopRule(const std::atomic<bool>& is_in_vain, SteadyTime arrival, SteadyTime deadline)
      : is_in_vain_(is_in_vain), arrival_(arrival), deadline_(deadline) {}

  bool ShouldStop() const {
    return is_in_vain_.load(std::memory_order_relaxed) || SteadyNow() >= deadline_;
  }
  // Returns the same rule, but stops no later than `budget` after the message's arrival.
  StopRule Within(absl::Duration budget) const {
    return StopRule(is_in_vain_, arrival_, std::min(deadline_, arrival_ + budget));
  }

 private:
  const std::atomic<bool>& is_in_vain_;
  SteadyTime arrival_;
  SteadyTime deadline_;
};

}  // namespace clearance::server

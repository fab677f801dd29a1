// SPDX-License-Identifier: Apache-2.0
//
// The clock by which the library waits: it is never put forward or back meanwhile.

#ifndef CLEARANCE_INTERNAL_STEADY_CLOCK_H_
#define CLEARANCE_INTERNAL_STEADY_CLOCK_H_

#include <chrono>

#include "absl/time/time.h"

namespace clearance::client {

// Time since the clock's beginning: only differences mean anything.
using SteadyTime = absl::Duration;

inline SteadyTime SteadyNow() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_STEADY_CLOCK_H_

// SPDX-License-Identifier: Apache-2.0
//
// The clock by which the library waits: it is never put forward or back meanwhile.

#pragma once

#include <chrono>

#include "absl/time/time.h"

namespace clearance::client {

// Time since the clock's beginning: only differences mean anything.
using SteadyTime = absl::Duration;

inline SteadyTime SteadyNow() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace clearance::client

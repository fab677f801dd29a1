// SPDX-License-Identifier: Apache-2.0
//
// A wall clock that a test puts forward and back, for everything in its process: linked in,
// shifted_clock.cc takes the place of the system's clock_gettime. Other clocks stay as they are.

#pragma once

#include <cstdint>

namespace clearance::testing {

// Thread-safe.
void ShiftWallClock(std::int64_t seconds);

}  // namespace clearance::testing

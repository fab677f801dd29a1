// SPDX-License-Identifier: Apache-2.0
//
// The wall clock, for what gRPC wants as a date.

#pragma once

#include <chrono>

#include "absl/time/time.h"

namespace clearance::client {

// Unlike absl::Now, which asks the clock every other second only, it sees at once that the clock
// was put forward or back.
inline absl::Time WallNow() { return absl::FromChrono(std::chrono::system_clock::now()); }

}  // namespace clearance::client

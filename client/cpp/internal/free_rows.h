// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "absl/types/span.h"
#include "clearance/query.h"

namespace clearance::client {

// Returns the verdict of ProvedFree() on pairs and on minimum distances in a scene, by their states
// and lower bounds.
inline bool IsFree(absl::Span<const State> states, absl::Span<const double> lower_bounds,
                   std::size_t row, double margin) {
  if (row >= states.size()) return false;
  const State state = states[row];
  if (state != State::kSeparated && state != State::kBeyond) return false;
  if (row >= lower_bounds.size()) return state == State::kSeparated && margin <= 0;
  // A comparison with NaN is false, which is the safe side.
  return lower_bounds[row] > 0 && lower_bounds[row] > margin;
}

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// Whether the origin, known to lie in the hull of the differences of two vertex sets, lies strictly
// inside it: exactly where the differences positively span space, so where each of four directions
// that do is in their cone. A direction e is in the cone unless some r has r . e > 0 and r . w <= 0
// for every difference w (Farkas); either way the search ends with that proof in integers.

#pragma once

#include <vector>

#include "tests/support/exact_pair.h"

namespace clearance::testing {

// The first point with the smallest direction . p.
const ExactVector& LowestAlong(const std::vector<ExactVector>& points,
                               const ExactVector& direction);

// Do the differences a - b positively span all of space?
bool DifferencesSpanSpace(const std::vector<ExactVector>& a, const std::vector<ExactVector>& b);

}  // namespace clearance::testing

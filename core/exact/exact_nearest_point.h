// SPDX-License-Identifier: Apache-2.0
//
// The point of A - B that is nearest to the origin, exactly: P. Wolfe, "Finding the nearest point
// in a polytope", 1976. Like GJK it adds the vertex that is lowest along the nearest point x so
// far. Its minor cycle moves from x towards the nearest point of the affine hull and drops vertices
// when their weight becomes 0. So the vertices kept (the corral) are always affinely independent
// and x is in the relative interior of their hull. |x| falls strictly with each vertex added, so in
// exact arithmetic the search is finite.

#pragma once

#include <optional>
#include <vector>

#include "core/exact/exact_difference.h"
#include "core/exact/integers.h"

namespace clearance {

// The nearest point is x = height / |direction|^2 * direction, and
//     direction . w >= height for every point w of A - B, equal for those of the corral,
// or the origin itself, and then direction is 0 and the origin is in the relative interior of the
// corral's hull.
struct ExactNearestPoint {
  IntegerVector direction;
  Integer height;
  std::vector<IntegerVector> corral;
};

// Returns the nearest point; nullopt: the work limit was reached.
std::optional<ExactNearestPoint> FindNearestPoint(ExactDifference& difference);

}  // namespace clearance

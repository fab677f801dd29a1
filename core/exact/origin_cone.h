// SPDX-License-Identifier: Apache-2.0
//
// Decides exactly whether the origin, known to belong to A - B, lies strictly inside of it or on
// its boundary.
//
// It is on the boundary if some normal n, not 0, has n . w <= 0 for all vertices w. Cutting planes
// search for such normals: among those that a few vertices still allow, the extreme ones (facets of
// the cone that the few span) are asked for their highest vertex w. If n . w = 0, n supports A - B
// in the origin; if not, w is a new vertex that forbids n. When no normal is left, the few vertices
// surround the origin. A - B has finitely many vertices, so one of the two happens.

#pragma once

#include <optional>
#include <vector>

#include "core/exact/exact_difference.h"
#include "core/exact/integers.h"

namespace clearance {

// Returns true if strictly inside. `corral`: affinely independent vertices of A - B with the origin
// in the relative interior of their hull. nullopt: the work limit was reached.
std::optional<bool> IsOriginInside(ExactDifference& difference,
                                   const std::vector<IntegerVector>& corral);

}  // namespace clearance

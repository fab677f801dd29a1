// SPDX-License-Identifier: Apache-2.0
//
// The distance of two point sets by the plainest method. All vertex pairs make the Minkowski
// difference, every triple of these that has all others on one side spans a plane of its hull, and
// the origin is compared with all of them. Outside, the nearest point lies on some point, segment
// or triangle of differences (Caratheodory), all of which are tried. Inside, the depth is the
// smallest offset of a plane. O(m^4) of m = |A| |B| differences. On small integers every decision
// is exact.

#pragma once

#include "tests/support/reference/difference_sets.h"

namespace clearance::reference {

enum class OriginAt { kOutside, kBoundary, kInside };

// `distance` is that of the origin from the hull of the difference; of kInside minus its distance
// from the boundary. A difference without volume has no inside.
struct BruteForceResult {
  OriginAt origin = OriginAt::kOutside;
  double distance = 0;
};

BruteForceResult DistanceByBruteForce(const DifferenceSets& sets);

}  // namespace clearance::reference

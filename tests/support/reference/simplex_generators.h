// SPDX-License-Identifier: Apache-2.0
//
// Random simplices for the sub-distance: well-shaped ones and every kind of bad one.

#pragma once

#include "tests/support/random.h"
#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

enum class SimplexKind {
  kGeneral,      // in a cube around the origin
  kWellShaped,   // a regular tetrahedron, a little bent, anywhere near the origin
  kNearFeature,  // the origin 1e-15 to 1e-3 off a random vertex, edge, face or inner point
  kSliver,       // 1e-12 to 1e-3 flat
  kNeedle,       // 1e-9 to 1e-3 thin
  kFarAway,      // 1e-6 to 1e-1 large at distance 1
  kSizeRatio,    // the difference of a segment and one 1e-6 as long
  kRepeated,     // points equal, or a unit in the last place apart
  kLattice,      // small integers: flat, collinear and repeated
};
inline constexpr int kSimplexKindCount = static_cast<int>(SimplexKind::kLattice) + 1;

const char* Name(SimplexKind kind);

PointSimplex Generate(SimplexKind kind, testing::Random& random);

}  // namespace clearance::reference

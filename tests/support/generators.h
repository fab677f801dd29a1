// SPDX-License-Identifier: Apache-2.0
//
// Pairs of bodies for random tests: ordinary ones and every degenerate family that is known to
// break solvers. Only the numbers matter, so helpers work in plain double and a gap is planted to
// rounding; the exact oracle judges the real relation of the pair.

#pragma once

#include "tests/support/body.h"
#include "tests/support/random.h"

namespace clearance::testing {

enum class Family {
  kRandomHulls,  // clouds of 4 to 12 points, any distance
  kBoxes,        // turned boxes
  kPlantedGap,  // a random pair, gap (or overlap) log-uniform from 1e-15 to 1e3 along one direction
  kParallelFaces,      // boxes face to face, gap as above
  kVertexVertex,       // two tips facing each other
  kEdgeEdgeCrossing,   // two ridges that cross
  kEdgeEdgeParallel,   // two parallel ridges
  kNeedles,            // 1e4 times as long as wide
  kSlivers,            // tetrahedra down to 1e-12 flat
  kFlatPolygons,       // polygons of z = 0, coplanar, parallel and turned
  kSegmentsAndPoints,  // points, segments, triangles
  kRedundantPoints,    // duplicates, collinear, coplanar and interior points
  kTwins,              // a body and itself, at the same or nearly the same place
  kLatticeTouching,    // small integer coordinates: exact contacts of every kind
  kSizeRatio,          // one body up to 1e6 times the other
  kFarFromOrigin,      // world coordinates of 1e6 and 1e8
  kNearIdentity,       // turned by 1e-16 to 1e-3
  kNearHalfTurn,       // turned by pi less that
  kEllipsoids,         // 64, 300 or 1000 points on an ellipsoid
  kRounded,            // spheres, capsules, rounded boxes and hulls
};
inline constexpr int kFamilyCount = static_cast<int>(Family::kRounded) + 1;

const char* Name(Family family);

BodyPair Generate(Family family, Random& random);

// Building blocks, for tests that need one body.
Body RandomHull(Random& random, int points, double size);
Body RandomSmallBody(Random& random);
Body Ellipsoid(Random& random, int points);

// Moves b along `direction` (unit) until the supporting planes of both bodies across it are `gap`
// apart, to rounding.
void PlantGap(BodyPair& pair, const Vec3d& direction, double gap);

// Returns a gap of any size from 1e-15 to 1e3, of either sign, or 0.
double AnyGap(Random& random);

}  // namespace clearance::testing

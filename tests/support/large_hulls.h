// SPDX-License-Identifier: Apache-2.0
//
// Hulls of any number of vertices for tests of what grows with it: round ones and those that are
// hard to climb or to certify.

#pragma once

#include <vector>

#include "core/math/vec3.h"
#include "tests/support/random.h"

namespace clearance::testing {

enum class HullFamily {
  kSphere,      // random points of the unit sphere
  kNeedle,      // the same, 1000 times as long as wide
  kPancake,     // the same, 1000 times as wide as high
  kPrism,       // two parallel rings: climbs go the long way round, and two faces hold all vertices
  kBarrel,      // prisms on top of one another, flat faces of four corners everywhere
  kCone,        // one ring and an apex with all other vertices in its row
  kSpindle,     // one ring and two such apexes
  kRoundedBox,  // six flat faces with the corners of a fine lattice, the edges rounded off
  kClusters,    // half of the points within 1e-6 of eight corners
};
inline constexpr int kHullFamilyCount = static_cast<int>(HullFamily::kClusters) + 1;

const char* Name(HullFamily family);

// About `count` points, at least 8, nearly all of them extreme. Turned by a random rotation, so
// that no face is exactly flat, unless `is_aligned`.
std::vector<Vec3d> PointsOf(HullFamily family, int count, bool is_aligned, Random& random);

}  // namespace clearance::testing

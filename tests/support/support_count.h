// SPDX-License-Identifier: Apache-2.0
//
// How many dot products supports take, by the road that they go.

#pragma once

#include <cstdint>
#include <vector>

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "tests/support/random.h"
#include "tests/support/support_roads.h"

namespace clearance::testing {

struct DotsTaken {
  double mean = 0;
  std::uint64_t most = 0;
};

// Over all directions one after the other. Cold: each search starts at vertex 0. Warm: where the
// one before ended.
enum class SupportStart { kCold, kWarm };
DotsTaken CountDots(const ConvexShape& shape, const std::vector<Vec3d>& directions,
                    SupportRoad road, SupportStart start);

// Independent of one another.
std::vector<Vec3d> RandomDirections(int count, Random& random);

// Each turned from the one before by about `angle`, radians.
std::vector<Vec3d> CoherentDirections(int count, double angle, Random& random);

}  // namespace clearance::testing

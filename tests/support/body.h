// SPDX-License-Identifier: Apache-2.0
//
// A convex body as tests hold it: the caller's own numbers, from which both the shape under test
// and the exact oracle are made, so that the two see the very same reals.

#pragma once

#include <string>
#include <vector>

#include "core/math/pose.h"
#include "core/math/vec3.h"

namespace clearance::testing {

// Which function of make_shape.h makes the shape.
enum class BodyKind { kHull, kBox, kPoint, kSegment, kTriangle, kPolygon };

// The hull of `points` (frame of the shape, in the caller's order; of a box the 8 corners in the
// order of the proto, so points[7] is the half extents) and a ball of `radius`, at `pose`.
struct Body {
  BodyKind kind = BodyKind::kHull;
  std::vector<Vec3d> points;
  double radius = 0;
  Pose pose;
};

struct BodyPair {
  Body a;
  Body b;
};

Body MakeBoxBody(const Vec3d& half_extents);
Body MakePointBody(double radius);

// Every number as an exact hexadecimal double, as a reproducer.
std::string Describe(const Body& body);
std::string Describe(const BodyPair& pair);

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// The placement of a moving body at a time: exact for a translation; for a rotation the rational
// rotation of a quaternion in 80 bits, whose angle is off by less than kMotionAngleError.

#pragma once

#include "core/query/time_of_collision.h"
#include "tests/support/exact_distance.h"
#include "tests/support/exact_pair.h"

namespace clearance::testing {

// Radians, for rotations up to 628: 628 * 2^-63 and the rounding of sine and cosine.
inline constexpr double kMotionAngleError = 1e-16;

struct MovingBody {
  Body body;
  Motion motion;
};

ExactPlacement PlacementAt(const MovingBody& moving, double t);

// The distance at a time, to kMotionAngleError times the reach of each body about its pivot.
ExactDistance DistanceAt(const MovingBody& a, const MovingBody& b, double t);

// Returns an upper bound of the distance of the body's points from the pivot, metres.
double ReachFromPivot(const MovingBody& moving);

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Two bodies as the point sets that the reference solvers take: from A's origin, in world axes, in
// plain doubles.

#pragma once

#include "tests/support/body.h"
#include "tests/support/reference/difference_sets.h"

namespace clearance::reference {

struct Interval {
  double lower = 0;
  double upper = 0;
};

// R(q) p / |q|^2, R(q) the matrix of q, which need not be of unit length.
Vec3d Rotated(const Quaternion& q, const Vec3d& p);

DifferenceSets RelativeToA(const testing::BodyPair& pair);

// Returns the limit, metres, on the difference between the distance of these sets and that of the
// bodies, and between the sums of a solver and theirs. The entries of a rotation take some ten
// roundings, a sum of three products six more, w and v . w / |v| another ten, in each body; and the
// radii are added.
double WorldRounding(const testing::BodyPair& pair, const DifferenceSets& sets);

}  // namespace clearance::reference

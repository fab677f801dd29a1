// SPDX-License-Identifier: Apache-2.0
//
// Random pairs in motion: free, hitting, grazing, spinning, with and without a target distance.

#pragma once

#include <string>

#include "core/query/time_of_collision.h"
#include "tests/support/exact_motion.h"
#include "tests/support/random.h"

namespace clearance::testing {

struct MovingPair {
  MovingBody a;
  MovingBody b;
  double target = 0;
};

// Both bodies translate. About half of the pairs hit.
MovingPair RandomTranslation(Random& random);

// Small bodies that turn by up to ten turns about any pivot and may translate as well.
MovingPair RandomRotation(Random& random);

TimeOfCollisionAnswer Ask(const MovingPair& pair);

// Returns the objections of core's own checker (core/proof) to the answer and its proof; empty if
// there are none.
std::string FindProofFault(const MovingPair& pair);

// tau, with the bounding radii about the shapes' origins for S: not less than the one that is
// promised.
double Tau(const MovingPair& pair);

// Returns the faults of points and normal of a HIT: the planes across the normal must be no more
// than `slack` nearer than the target at t_hit, and the points within the target, tau and `slack`
// of each other. Empty if there are none.
std::string FindContactFault(const MovingPair& pair, const TimeOfCollisionAnswer& answer,
                             double slack);

std::string Describe(const MovingPair& pair);

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Judges the answers of core against shapes, poses and the exact oracle, with exact arithmetic and
// none of core's own functions. Each function returns the faults, one sentence a line; an empty
// string means that there are none.

#pragma once

#include <string>

#include "core/proof/check_distance.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "tests/support/body.h"
#include "tests/support/exact_distance.h"

namespace clearance::testing {

// A question about a pair, and the truth about it.
struct CheckedPair {
  explicit CheckedPair(BodyPair pair);

  PosedShape PosedA() const { return {*shape_a, bodies.a.pose}; }
  PosedShape PosedB() const { return {*shape_b, bodies.b.pose}; }
  // Both bounding radii about the shapes' origins, metres: the scale of rounding.
  double Size() const { return shape_a->bounding_radius() + shape_b->bounding_radius(); }

  BodyPair bodies;
  ConvexShapePtr shape_a;
  ConvexShapePtr shape_b;
  ExactPair exact;
  ExactDistance truth;
};

// Judges a distance without max_distance and tolerance:
//   bracket    lower <= d <= upper against the oracle, state and bracket agree, both within tau of
//              0 if TOUCHING, its ends within tau of each other
//   normal     unit; the supports along it prove the lower bound again, to rounding, and if
//              PENETRATING that moving B by -d along it just separates
//   witnesses  ids in range, weights > 0 of sum 1; they prove the distance again, or if
//              PENETRATING hold the origin strictly inside
//   points     p_B = p_A + d n in both frames, each on its body, to rounding
// Core's own checker of answers (core/proof) must not object to it either.
std::string FindFault(const CheckedPair& pair, const DistanceAnswer& answer);

// The distance of the cores' supporting planes across n, metres: a lower bound of the cores'
// distance. Requires: n is finite and not 0.
double CoreGapAlong(const ExactPair& pair, const Vec3d& n);

// Judges any answer, also one with options: only that the bracket holds the truth and the state
// agrees with it.
std::string FindBracketFault(const ExactDistance& truth, State state, const Bracket& bracket);

std::string FindFault(const CheckedPair& pair, const IntersectionAnswer& answer);

// Returns the findings of core/proof; empty if there are none.
std::string FaultOf(const Check& check);

// Checks that times are in order and in [0, 1], t_free is 1 if FREE, and the normal of a HIT is a
// unit vector.
std::string FindFault(const TimeOfCollisionAnswer& answer);

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// How deep two overlapping cores are in each other: the shortest translation that separates them,
// which is the distance of the origin from the boundary of A - B. Bracketed from both sides:
//     the nearest facet of a polytope inside A - B   <=   depth   <=   h(n), any n,
// h(n) = max n . w over A - B being the translation along n that separates. The polytope grows
// (expanding_polytope.h) by the highest vertex over its nearest facet until that facet supports
// A - B. Around curved cores, and where room ends, the lower end stays behind; the upper end is
// then driven down further by local minimisation of h.

#pragma once

#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "core/narrow/depth_proof.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/origin_certificate.h"

namespace clearance {

struct PenetrationLimits {
  double good_enough = 0;       // width of the bracket that is enough, units
  DepthProof* proof = nullptr;  // to be filled in if not null
};

// at_least <= depth of the cores <= at_most, units, rounding inside.
struct Penetration {
  bool is_known = false;  // false: so shallow that double precision finds no polytope to start from
  double at_least = 0;    // nothing is proved from below where this is not positive
  DoubleDouble at_most = 0.0;
  DoubleDouble height = 0.0;  // h(n_A), to rounding: the best value of the depth
  Vec3d n_A;                  // unit, from A to B: moving B by height * n_A separates the cores
  bool normal_is_unique = true;
  Vec3d p_A;  // the point of A's core that is deepest in B's along n_A, from A's centre
};

// Requires: the hull of `set`, vertices of `difference`, holds the origin strictly inside.
template <class T>
Penetration ComputePenetration(MinkowskiDifference<T>& difference, const EnclosingSet<T>& set,
                               const PenetrationLimits& limits);

extern template Penetration ComputePenetration(MinkowskiDifference<double>&,
                                               const EnclosingSet<double>&,
                                               const PenetrationLimits&);
extern template Penetration ComputePenetration(MinkowskiDifference<DoubleDouble>&,
                                               const EnclosingSet<DoubleDouble>&,
                                               const PenetrationLimits&);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The oracle: the exact signed distance of two bodies, in rationals.
//
// Separated cores: the point of least norm of the Minkowski difference by an active-set search (GJK
// run in integers, where it is finite because the norm strictly falls). Its result carries its own
// proof and is independent of how it was found: x is a convex combination of differences, and x . w
// >= x . x for every difference w (checked on all). Overlapping cores: the smallest offset over all
// directions that can carry a facet of the difference, by brute force.

#pragma once

#include <gmpxx.h>

#include "tests/support/exact_pair.h"

namespace clearance::testing {

// The place of the origin in the Minkowski difference of the cores (the bodies without their
// radii).
enum class CoreRelation {
  kOutside,   // the cores share no point
  kBoundary,  // they share a point, no interior point (always so if the difference is flat)
  kInside,    // their interiors overlap
};

// d = +-sqrt(core_square) - radii, with + for kOutside and - for kInside. Metres.
struct ExactDistance {
  CoreRelation relation = CoreRelation::kOutside;
  // The squared distance of the origin from the boundary of the cores' difference; of kInside only
  // if is_depth_known.
  mpq_class core_square;
  bool is_depth_known = true;
  mpq_class radii;

  // -1, 0 or 1: the sign of d. If radii touch overlapping cores it is -1, whatever the depth.
  int Sign() const;
  // Exactly: x <= d and d <= x; x may be infinite. Requires: is_depth_known, or the answer does not
  // depend on it (then the comparison takes any depth > 0 as possible and returns true if one such
  // depth would make it so).
  bool IsAtLeast(double x) const;
  bool IsAtMost(double x) const;
  // d, to a few units in the last place.
  double Approximate() const;
};

ExactDistance ComputeExactDistance(const ExactPair& pair);

// The same and, for cores of at most `kMaxDepthVertices` vertices together, also the depth of
// kInside.
inline constexpr std::size_t kMaxDepthVertices = 24;
ExactDistance ComputeExactSignedDistance(const ExactPair& pair);

// The square of the smallest translation, in units of the pair, that separates overlapping cores.
// O(n^4) directions.
mpq_class ComputeExactDepthSquare(const ExactPair& pair);

// Exactly the smallest n . (b - a) over all pairs of vertices.
mpz_class SmallestGap(const ExactPair& pair, const ExactVector& n);

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Proof that the origin lies strictly inside the Minkowski difference A - B (the shapes overlap),
// or on its boundary (they touch).
//
// Strictly inside is proved by a few vertices of A - B whose convex hull holds a ball about the
// origin. Four need not suffice (an octahedron has no four corners around its centre), six always
// do: E. Steinitz, "Bedingt konvergente Reihen und konvexe Systeme", 1913. His proof is the
// algorithm. With the origin in the relative interior of the points found so far, take the highest
// and the lowest vertex along a direction n orthogonal to all of them. If both lie off the plane,
// the origin is in the relative interior of all together, one dimension up. If one does not, n is
// the normal of a supporting plane through the origin, and the shapes touch. If it begins from one
// vertex at the origin, which spans nothing, the points found need not surround it: the final claim
// is the one that ComputeInnerBall proves of them, after refinement.

#pragma once

#include <array>

#include "core/narrow/gjk.h"
#include "core/narrow/minkowski_difference.h"

namespace clearance {

// Vertices of A - B whose hull is to hold the origin: a simplex through the origin, two more for
// each dimension that it lacked, and those that refinement adds.
template <class T>
struct EnclosingSet {
  static constexpr int kCapacity = 12;
  int size = 0;
  std::array<MinkowskiVertex<T>, kCapacity> vertex;

  bool Contains(const MinkowskiVertex<T>& candidate) const;
};

// The ball about the origin that the hull of the set holds has at least this radius, units
// (rounding and `vertex_error`, by which each vertex may be off, taken off); not positive if
// nothing is proved. `n_A` is the outward unit normal of the facet that limits it, 0 if no facet
// was found.
template <class T>
struct InnerBall {
  double radius = 0;
  Vec3<T> n_A;
};

template <class T>
InnerBall<T> ComputeInnerBall(const EnclosingSet<T>& set, double vertex_error);

// The result of expanding a simplex through the origin. In every case no point of A - B is higher
// than `plane_height` along `n_A`, to rounding, so that the shapes overlap by no more than that.
struct OriginCertificate {
  enum class Kind {
    kTouching,   // the plane of n_A supports A - B in the origin, to rounding
    kEnclosed,   // the hull of `set` holds a ball of radius inner_radius > 0 about the origin
    kUndecided,  // neither could be proved
  };
  Kind kind = Kind::kUndecided;
  Vec3<DoubleDouble> n_A;  // unit, from A to B
  DoubleDouble plane_height;
  bool normal_is_unique = false;  // of kTouching
  double inner_radius = 0;
  EnclosingSet<DoubleDouble> set;
};

// Requires: the origin is in the relative interior of `simplex`, to rounding.
OriginCertificate CertifyOrigin(MinkowskiDifference<DoubleDouble>& difference,
                                const Simplex<DoubleDouble>& simplex);

extern template InnerBall<double> ComputeInnerBall(const EnclosingSet<double>&, double);
extern template InnerBall<DoubleDouble> ComputeInnerBall(const EnclosingSet<DoubleDouble>&, double);

}  // namespace clearance

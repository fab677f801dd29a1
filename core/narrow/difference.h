// SPDX-License-Identifier: Apache-2.0
//
// The Minkowski difference A - B of two shapes without their radii, as its support mapping shows
// it. Everything in core/narrow is in frame A (its origin moved to A's centre) and in units of
// 2^exponent metres, chosen so that no coordinate exceeds 1 by much: squares and products neither
// overflow nor underflow.

#ifndef CLEARANCE_CORE_NARROW_DIFFERENCE_H_
#define CLEARANCE_CORE_NARROW_DIFFERENCE_H_

#include "core/math/double_double.h"
#include "core/math/rotation.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/support/highest_point.h"

namespace clearance {

// Two shapes in common units.
struct ShapePair {
  const ConvexShape& a;
  const ConvexShape& b;
  int exponent = 0;     // one unit is 2^exponent metres
  double scale_a = 1;   // units of one normalised coordinate of A: a power of two
  double scale_b = 1;   // likewise of B
  double radius_a = 0;  // all points of A lie within this of its centre, units
  double radius_b = 0;

  bool is_curved() const { return a.is_curved() || b.is_curved(); }
};

// Where B stands relative to A. A point b of B (from B's centre, B's axes) is at R_AB b + p_AB in
// frame A; while B sweeps, it is anywhere from there to there + sweep_A. No point of the difference
// that this denotes is farther than `error` units from where it truly is.
template <class T>
struct Placement {
  Mat3<T> R_AB = IdentityMatrix<T>();
  Vec3<T> p_AB;
  Vec3<T> sweep_A;
  double error = 0;
};

// w = p_A - p_B, of a support point of each core (B's at the end of the sweep if is_swept). Of
// polytopes these are the vertices a and b.
template <class T>
struct DifferenceVertex {
  Vec3<T> w;
  Vec3<T> p_A;  // from A's centre
  VertexIndex a = 0;
  VertexIndex b = 0;
  bool is_swept = false;

  bool IsSameAs(const DifferenceVertex& other) const { return w == other.w; }
};

template <class T>
class Difference {
 public:
  // Keeps references: both arguments must outlive it.
  Difference(const ShapePair& pair, const Placement<T>& placement)
      : pair_(pair), placement_(placement), R_BA_(Transpose(placement.R_AB)) {}

  // Requires: polytopes.
  DifferenceVertex<T> At(VertexIndex a, VertexIndex b, bool is_swept) const {
    return Of({To<T>(pair_.a.vertex(a)), a}, {To<T>(pair_.b.vertex(b)), b}, is_swept);
  }

  // The vertex of A - B that is highest along d_A (any length but 0). Starts its climbs where the
  // last call ended.
  DifferenceVertex<T> Highest(const Vec3<T>& d_A) {
    const HighestPointOf<T> a = HighestPoint(pair_.a, d_A, last_a_);
    const HighestPointOf<T> b = HighestPoint(pair_.b, -(R_BA_ * d_A), last_b_);
    StartAt(a.vertex, b.vertex);
    return Of(a, b, Dot(d_A, placement_.sweep_A) < T(0));
  }

  // Makes the next climbs start here.
  void StartAt(VertexIndex a, VertexIndex b) {
    last_a_ = a;
    last_b_ = b;
  }

  const ShapePair& pair() const { return pair_; }
  const Placement<T>& placement() const { return placement_; }

 private:
  DifferenceVertex<T> Of(const HighestPointOf<T>& a, const HighestPointOf<T>& b,
                         bool is_swept) const {
    const Vec3<T> a_A = T(pair_.scale_a) * a.point;
    const Vec3<T> b_B = T(pair_.scale_b) * b.point;
    Vec3<T> b_A = placement_.R_AB * b_B + placement_.p_AB;
    if (is_swept) b_A = b_A + placement_.sweep_A;
    return {a_A - b_A, a_A, a.vertex, b.vertex, is_swept};
  }

  const ShapePair& pair_;
  const Placement<T>& placement_;
  Mat3<T> R_BA_;
  VertexIndex last_a_ = 0;
  VertexIndex last_b_ = 0;
};

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_DIFFERENCE_H_

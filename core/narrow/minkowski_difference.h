// SPDX-License-Identifier: Apache-2.0
//
// The Minkowski difference A - B of two shapes without their radii, as its support mapping shows
// it. Everything in core/narrow is in frame A (its origin moved to A's centre) and in units of
// 2^exponent metres, chosen so that no coordinate exceeds 1 by much: squares and products neither
// overflow nor underflow.

#pragma once

#include "core/math/assert.h"
#include "core/math/double_double.h"
#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/shape/pacer.h"
#include "core/support/curved_support.h"
#include "core/support/rough_support.h"
#include "core/support/support_point.h"

namespace clearance {

// Two shapes in common units.
struct ShapePair {
  const ConvexShape& a;
  const ConvexShape& b;
  int exponent = 0;     // one unit is 2^exponent metres
  double scale_a = 1;   // units of one normalised coordinate of A: a power of two
  double scale_b = 1;   // the same for B
  double radius_a = 0;  // all points of A's core lie within this of its centre, units
  double radius_b = 0;
  DoubleDouble radius_sum = {};  // of the spherical extensions of both, units
  double size_sum = 0;  // S: the sum of the radii of both bodies about their centres, units
  // Is told of each search for a support point; null: a look at the clock between pairs is enough.
  // Searches end early once it has stopped, and then their answer means nothing.
  Pacer* pacer = nullptr;

  bool is_curved() const { return a.is_curved() || b.is_curved(); }
  // Returns whether a shape has a spherical extension, even if it is too small for a number of
  // these units.
  bool is_rounded() const { return a.radius() > 0 || b.radius() > 0; }

  bool HasStopped() const { return clearance::HasStopped(pacer); }
  // Spends the cost of a search and the use of its point: in double-double some 30 microseconds.
  void SpendSearch() const { Spend(pacer, 4096 + a.vertex_count() + b.vertex_count()); }
};

// The placement of B relative to A. A point b of B (from B's centre, B's axes) is at R_AB b + p_AB
// in frame A; while B sweeps, it is anywhere from there to there + sweep_A. No point of the
// difference that this denotes is farther than `error` units from its true place.
template <class T>
struct Placement {
  Mat3<T> R_AB = IdentityMatrix<T>();
  Vec3<T> p_AB;
  Vec3<T> sweep_A;
  double error = 0;
};

// w = p_A - p_B, of a support point of each core (B's at the end of the sweep if is_swept). For
// polytopes these are the vertices a and b.
template <class T>
struct MinkowskiVertex {
  Vec3<T> w;
  Vec3<T> p_A;  // from A's centre
  VertexIndex a = 0;
  VertexIndex b = 0;
  bool is_swept = false;

  bool IsSameAs(const MinkowskiVertex& other) const { return w == other.w; }
};

template <class T>
double Extent(const ShapePair& pair, const Placement<T>& placement) {
  return pair.radius_a + pair.radius_b + Norm(ToDouble(placement.p_AB)) +
         Norm(ToDouble(placement.sweep_A));
}

template <class T>
inline constexpr double kUnitRoundoff = kRoundoff;
template <>
inline constexpr double kUnitRoundoff<DoubleDouble> = kDoubleDoubleRoundoff;

// Returns the most that any computed distance of this difference may be off, units. Let T = double,
// r_A, r_B be the radii and p = |p_AB| + |sweep|. Supports err by 16u (r_A + r_B) at most (of
// curved cores by 2 kCurvedError u (r_A + r_B) more), w by 2u (r_A + 6 r_B + 2p), v . w / |v| by 6u
// (r_A + r_B + p). The placement's own error comes on top. `extent` is that of the same.
template <class T>
double RoundingError(const ShapePair& pair, const Placement<T>& placement, double extent) {
  const double supports = pair.is_curved() ? 16 + 2 * kCurvedError : 16;
  const double supports_and_points = 16 * extent + supports * (pair.radius_a + pair.radius_b);
  const bool is_point_on_point = extent == 0 && ToDouble(placement.p_AB) == Vec3d{};
  return kUnitRoundoff<T> * supports_and_points + placement.error +
         (is_point_on_point ? 0 : kUnderflowSlack);
}

template <class T>
class MinkowskiDifference {
 public:
  // Keeps references: both arguments must outlive it.
  MinkowskiDifference(const ShapePair& pair, const Placement<T>& placement)
      : pair_(pair),
        placement_(placement),
        R_BA_(Transpose(placement.R_AB)),
        extent_(Extent(pair, placement)),
        rounding_error_(RoundingError(pair, placement, extent_)) {}

  // Requires: polytopes.
  MinkowskiVertex<T> At(VertexIndex a, VertexIndex b, bool is_swept) const {
    CLEARANCE_ASSERT(!pair_.is_curved());
    return Of({To<T>(pair_.a.vertex(a)), a}, {To<T>(pair_.b.vertex(b)), b}, is_swept);
  }

  // Return the place of a vertex in frame A, for B before it sweeps. Requires: polytopes.
  Vec3<T> PointOfA(VertexIndex a) const { return PointOfA(To<T>(pair_.a.vertex(a))); }
  Vec3<T> PointOfB(VertexIndex b) const { return PointOfB(To<T>(pair_.b.vertex(b))); }

  // Returns the vertex of A - B that is highest along d_A (any length but 0). Starts its climbs
  // where the last call ended.
  MinkowskiVertex<T> Support(const Vec3<T>& d_A) {
    pair_.SpendSearch();
    const SupportPointOf<T> a = SupportPoint(pair_.a, d_A, last_a_);
    const SupportPointOf<T> b = SupportPoint(pair_.b, -(R_BA_ * d_A), last_b_);
    StartAt(a.vertex, b.vertex);
    return Of(a, b, Dot(d_A, placement_.sweep_A) < T(0));
  }

  // Returns one that is nearly the highest: RoughSupportVertex of each shape, which is the
  // highest for a box. Requires: polytopes.
  MinkowskiVertex<double> RoughSupport(const Vec3d& d_A) {
    CLEARANCE_ASSERT(!pair_.is_curved());
    pair_.SpendSearch();
    const RoughVertices highest =
        RoughSupportVertices({pair_.a, d_A, last_a_}, {pair_.b, -(R_BA_ * d_A), last_b_});
    StartAt(highest.a, highest.b);
    return At(last_a_, last_b_, false);
  }

  bool HasBoxesOnly() const { return pair_.a.box_corners().is_box && pair_.b.box_corners().is_box; }

  // Makes the next climbs start here.
  void StartAt(VertexIndex a, VertexIndex b) {
    last_a_ = a;
    last_b_ = b;
  }

  const ShapePair& pair() const { return pair_; }
  const Placement<T>& placement() const { return placement_; }
  const Mat3<T>& rotation_BA() const { return R_BA_; }

  // The largest coordinate that any intermediate has, units.
  double extent() const { return extent_; }
  // The result of RoundingError.
  double rounding_error() const { return rounding_error_; }

 private:
  Vec3<T> PointOfA(const Vec3<T>& point) const { return T(pair_.scale_a) * point; }
  Vec3<T> PointOfB(const Vec3<T>& point) const {
    return placement_.R_AB * (T(pair_.scale_b) * point) + placement_.p_AB;
  }

  MinkowskiVertex<T> Of(const SupportPointOf<T>& a, const SupportPointOf<T>& b,
                        bool is_swept) const {
    const Vec3<T> a_A = PointOfA(a.point);
    Vec3<T> b_A = PointOfB(b.point);
    if (is_swept) b_A = b_A + placement_.sweep_A;
    return {a_A - b_A, a_A, a.vertex, b.vertex, is_swept};
  }

  const ShapePair& pair_;
  const Placement<T>& placement_;
  Mat3<T> R_BA_;
  double extent_;
  double rounding_error_;
  VertexIndex last_a_ = 0;
  VertexIndex last_b_ = 0;
};

}  // namespace clearance

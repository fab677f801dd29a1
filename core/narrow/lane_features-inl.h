// SPDX-License-Identifier: Apache-2.0
//
// The nearest points of two features each (closest_features.h) of many pairs side by side: the very
// operations of closest_features.cc, simplex.h and core_distance.cc in their order, so that the
// results have the same bits. If these have choices, a lane that would leave the usual path is
// dropped, and its pair left to them. How to include it: core/math/lanes-inl.h.

#if defined(CLEARANCE_CORE_NARROW_LANE_FEATURES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_NARROW_LANE_FEATURES_INL_H_
#undef CLEARANCE_CORE_NARROW_LANE_FEATURES_INL_H_
#else
#define CLEARANCE_CORE_NARROW_LANE_FEATURES_INL_H_
#endif

#include <cmath>
#include <cstddef>

#include "core/math/lanes-inl.h"
#include "core/math/tolerance.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Returns the first number unless the second is less: std::min, also for NaN.
template <class L>
typename L::V LaneMin(typename L::V a, typename L::V b) {
  return L::Select(hn::Lt(b, a), b, a);
}

template <class L>
typename L::V LaneNorm(const typename L::V3& a) {
  return hn::Sqrt(L::Dot(a, a));
}

template <class L>
typename L::V3 LaneNormalized(const typename L::V3& a) {
  const typename L::V norm = LaneNorm<L>(a);
  return {hn::Div(a.x, norm), hn::Div(a.y, norm), hn::Div(a.z, norm)};
}

// StandsOut of closest_features.h for boxes, by the heights of all corners, as CountBelow computes
// them. `side` has rows: the feature's corners, as many of them as there are, the box's half
// extents, and as size how many vertices the feature has.
template <class L, class Side>
typename L::Mask BoxStandsOut(const Side& side, int corners, const typename L::V3& d,
                              typename L::V margin) {
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  V top = L::Dot(d, L::Load(side.corner[0]));
  for (int k = 1; k < corners; ++k) top = hn::Max(top, L::Dot(d, L::Load(side.corner[k])));
  const V floor = hn::Sub(top, margin);
  const V3 half = L::Load(side.half);
  const V x = hn::Mul(d.x, half.x), y = hn::Mul(d.y, half.y), z = hn::Mul(d.z, half.z);
  V count = L::Load(side.size);
  const V xy[] = {hn::Add(x, y), hn::Sub(x, y), hn::Sub(y, x), hn::Sub(hn::Neg(x), y)};
  for (const V& height : xy) {
    const Mask is_up_below = hn::Lt(hn::Add(height, z), floor);
    const Mask is_down_below = hn::Lt(hn::Sub(height, z), floor);
    count = hn::Add(count, hn::IfThenElseZero(is_up_below, L::Set(1)));
    count = hn::Add(count, hn::IfThenElseZero(is_down_below, L::Set(1)));
  }
  constexpr double kBoxCorners = 8;
  return hn::Eq(count, L::Set(kBoxCorners));
}

// Lanes that are still open, of the first `count`, and the direction in which they are looked at.
template <class L>
struct LaneView {
  typename L::Mask open;
  std::size_t count = 0;
  typename L::V3 d;
  typename L::V margin;  // units
};

// Returns the open lanes in which the side's feature stands out. stands_out(lane, d, margin) tells
// it of shapes that are not boxes, the margin normalised.
template <class L, class Side, class StandsOut>
typename L::Mask LanesStandingOut(const LaneView<L>& view, const Side& side, int corners,
                                  const StandsOut& stands_out) {
  const typename L::V margin = hn::Div(view.margin, L::Load(side.scale));
  typename L::Row is_out = {}, is_open = {}, margins = {};
  typename L::Row3 ds = {};
  L::StoreMask(BoxStandsOut<L>(side, corners, view.d, margin), &is_out);
  L::StoreMask(view.open, &is_open);
  L::Store(margin, &margins);
  L::Store(view.d, &ds);
  for (std::size_t lane = 0; lane < view.count; ++lane) {
    if (side.is_box[lane] || is_open.at[lane] == 0) continue;
    is_out.at[lane] = stands_out(lane, ds.Get(lane), margins.at[lane]) ? 1 : 0;
  }
  return hn::And(view.open, hn::Gt(L::Load(is_out), L::Set(0)));
}

// The nearest point v of a simplex of A - B inside of it, its weights, and the square of how far
// it is from the simplex's boundary: Nearest of closest_features.cc.
template <class L>
struct LaneNearest {
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;

  V3 v;
  V weight[4];  // 0 of vertices that the kind of features does not have
  V inside_sq;
  Mask is_inside;
  Mask is_second = L::Nowhere();  // of a quad: its vertices are 0, 2, 3, not 0, 1, 2

  static LaneNearest Point(const V3* w) {
    const V zero = L::Set(0);
    return {w[0], {L::Set(1), zero, zero, zero}, L::Set(HUGE_VAL), hn::Eq(zero, zero)};
  }

  static LaneNearest Segment(const V3* w) {
    const V zero = L::Set(0);
    const V3 edge = L::Sub(w[1], w[0]);
    const V along = hn::Neg(L::Dot(w[0], edge));
    const V length_sq = L::Dot(edge, edge);
    const V fraction = hn::Div(along, length_sq);
    const V3 v = L::Add(w[0], L::Times(fraction, edge));
    const V rest = hn::Sub(L::Set(1), fraction);
    const V shorter = LaneMin<L>(rest, fraction);
    return {L::Sub(v, L::Times(hn::Div(L::Dot(v, edge), length_sq), edge)),
            {rest, fraction, zero, zero},
            hn::Mul(hn::Mul(shorter, shorter), length_sq),
            hn::And(hn::Gt(along, zero), hn::Lt(along, length_sq))};
  }

  static LaneNearest Triangle(const V3* w) {
    LaneNearest nearest = Foot(w[0], w[1], w[2]);
    const V3 n = L::Cross(L::Sub(w[1], w[0]), L::Sub(w[2], w[0]));
    const V area_sq = L::Dot(n, n);
    for (int i = 0; i < 3; ++i) {
      const V share = nearest.weight[i];
      const V3 side = L::Sub(w[(i + 1) % 3], w[(i + 2) % 3]);
      const V height_sq = hn::Div(hn::Mul(hn::Mul(share, share), area_sq), L::Dot(side, side));
      nearest.inside_sq = LaneMin<L>(nearest.inside_sq, height_sq);
    }
    return nearest;
  }

  // Corners in their order around the face; its fan has two triangles.
  static LaneNearest Quad(const V3* w) {
    const LaneNearest first = Foot(w[0], w[1], w[2]);
    LaneNearest nearest = Foot(w[0], w[2], w[3]);
    nearest.is_second = hn::Not(first.is_inside);
    nearest.v = L::Select(first.is_inside, first.v, nearest.v);
    for (int i = 0; i < 3; ++i) {
      nearest.weight[i] = L::Select(first.is_inside, first.weight[i], nearest.weight[i]);
    }
    nearest.is_inside = hn::Or(first.is_inside, nearest.is_inside);
    V3 from = w[3];
    for (int i = 0; i < 4; ++i) {
      const V3 side = L::Sub(w[i], from);
      const V3 n = L::Cross(side, L::Sub(nearest.v, from));
      nearest.inside_sq = LaneMin<L>(nearest.inside_sq, hn::Div(L::Dot(n, n), L::Dot(side, side)));
      from = w[i];
    }
    return nearest;
  }

  // Takes the pairs a0 b0, a0 b1, a1 b0, a1 b1 of two edges' ends.
  static LaneNearest Edges(const V3* w) {
    const V zero = L::Set(0), one = L::Set(1);
    const V3 e = L::Sub(w[2], w[0]);
    const V3 f = L::Sub(w[0], w[1]);
    const V ee = L::Dot(e, e), ff = L::Dot(f, f), ef = L::Dot(e, f);
    const V ew = L::Dot(e, w[0]), fw = L::Dot(f, w[0]);
    const V determinant = hn::Sub(hn::Mul(ee, ff), hn::Mul(ef, ef));
    const V s = hn::Div(hn::Sub(hn::Mul(ef, fw), hn::Mul(ff, ew)), determinant);
    const V t = hn::Div(hn::Sub(hn::Mul(ee, fw), hn::Mul(ef, ew)), determinant);
    const V rest_s = hn::Sub(one, s), rest_t = hn::Sub(one, t);
    const V least = hn::Mul(hn::Mul(L::Set(kMinSineSquared), ee), ff);
    const Mask is_s = hn::And(hn::Gt(s, zero), hn::Lt(s, one));
    const Mask is_t = hn::And(hn::Gt(t, zero), hn::Lt(t, one));
    const V3 n = L::Cross(e, f);
    const V ends_a = LaneMin<L>(s, rest_s), ends_b = LaneMin<L>(t, rest_t);
    const V inside =
        LaneMin<L>(hn::Div(hn::Mul(ends_a, ends_a), ff), hn::Div(hn::Mul(ends_b, ends_b), ee));
    return {L::Times(hn::Div(L::Dot(w[0], n), L::Dot(n, n)), n),
            {hn::Mul(rest_s, rest_t), hn::Mul(rest_s, t), hn::Mul(s, rest_t), hn::Mul(s, t)},
            hn::Mul(determinant, inside),
            hn::And(hn::Gt(determinant, least), hn::And(is_s, is_t))};
  }

 private:
  // FindFootInTriangle.
  static LaneNearest Foot(const V3& i, const V3& j, const V3& k) {
    const V zero = L::Set(0);
    const V3 n = L::Cross(L::Sub(j, i), L::Sub(k, i));
    const V nn = L::Dot(n, n);
    const V area_i = L::Dot(L::Cross(j, k), n);
    const V area_j = L::Dot(L::Cross(k, i), n);
    const V area_k = L::Dot(L::Cross(i, j), n);
    const V sum = hn::Add(hn::Add(area_i, area_j), area_k);
    const Mask is_inside = hn::And(hn::And(hn::Gt(nn, zero), hn::Gt(area_i, zero)),
                                   hn::And(hn::Gt(area_j, zero), hn::Gt(area_k, zero)));
    return {L::Times(hn::Div(L::Dot(i, n), nn), n),
            {hn::Div(area_i, sum), hn::Div(area_j, sum), hn::Div(area_k, sum), zero},
            L::Set(HUGE_VAL),
            is_inside};
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_NARROW_LANE_FEATURES_INL_H_

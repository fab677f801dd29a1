// SPDX-License-Identifier: Apache-2.0
//
// The sub-distance problem of simplex.h for many simplices side by side, one in each lane. It tries
// every feature that contains the newest corner and takes the nearest point. It does not look after
// degenerate simplices and rounding as simplex.h does, so the result is a guess.
// How to include it: core/math/lanes-inl.h.

#if defined(CLEARANCE_CORE_NARROW_LANE_SIMPLEX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_NARROW_LANE_SIMPLEX_INL_H_
#undef CLEARANCE_CORE_NARROW_LANE_SIMPLEX_INL_H_
#else
#define CLEARANCE_CORE_NARROW_LANE_SIMPLEX_INL_H_
#endif

#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Finds the point of a simplex that is nearest to the origin: the newest corner, a point on a
// segment from it to another corner, or a point in a triangle with two others.
//
// Features without the newest corner w need no look. If v is the nearest point of the simplex
// before, GJK adds w only if v . w < |v|^2. Then some points between v and w are nearer than v, and
// so nearer than all features without w.
template <class L>
class LaneSimplex {
 public:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;

  // Takes three other corners; has[i]: whether corner i counts. If one does, those before it do.
  // Always inlined, with all that it calls: its vectors are the caller's, and those that pass a
  // call do so through memory.
  HWY_INLINE LaneSimplex(const V3& newest, const V3* corners, const Mask* has)
      : newest_(newest), v_(newest), distance_sq_(L::Dot(newest, newest)), encloses_(L::Nowhere()) {
    for (int i = 0; i < kOthers; ++i) {
      keeps_[i] = L::Nowhere();
      has_[i] = has[i];
      edge_[i] = L::Sub(corners[i], newest);
      along_[i] = hn::Neg(L::Dot(newest, edge_[i]));
      length_sq_[i] = L::Dot(edge_[i], edge_[i]);
    }
    OfferSegment(0);
    if (L::IsNowhere(has_[1])) return;
    OfferSegment(1);
    const Mask is_seen_01 = OfferTriangle(0, 1, 2);
    if (L::IsNowhere(has_[2])) return;
    OfferSegment(2);
    const Mask is_seen_12 = OfferTriangle(1, 2, 0);
    const Mask is_seen_20 = OfferTriangle(2, 0, 1);
    encloses_ = hn::AndNot(hn::Or(hn::Or(is_seen_01, is_seen_12), is_seen_20), has_[2]);
  }

  const V3& v() const { return v_; }
  V distance_sq() const { return distance_sq_; }
  // The lanes in which the nearest point takes corner i. It always takes the newest.
  Mask keeps(int i) const { return keeps_[i]; }
  // The lanes in which a tetrahedron holds the origin.
  Mask encloses() const { return encloses_; }

 private:
  static constexpr int kOthers = 3;

  HWY_INLINE void Offer(Mask is_one, const V3& v, int i, int j) {
    const V distance_sq = L::Dot(v, v);
    const Mask is_nearer = hn::And(is_one, hn::Lt(distance_sq, distance_sq_));
    distance_sq_ = L::Select(is_nearer, distance_sq, distance_sq_);
    v_ = L::Select(is_nearer, v, v_);
    for (int k = 0; k < kOthers; ++k) {
      const bool takes = k == i || k == j;
      keeps_[k] = takes ? hn::Or(keeps_[k], is_nearer) : hn::AndNot(is_nearer, keeps_[k]);
    }
  }

  HWY_INLINE void OfferSegment(int i) {
    const Mask is_one = hn::And(has_[i], hn::Gt(along_[i], L::Set(0)));
    if (L::IsNowhere(is_one)) return;
    const V part = hn::Min(hn::Div(along_[i], length_sq_[i]), L::Set(1));
    Offer(is_one, L::Add(newest_, L::Times(part, edge_[i])), i, i);
  }

  // Offers the triangle with corners i and j in the lanes in which the foot of the origin is
  // inside. Returns the lanes in which the origin is not on the side of it that corner k is on.
  HWY_INLINE Mask OfferTriangle(int i, int j, int k) {
    const V zero = L::Set(0);
    const V across = L::Dot(edge_[i], edge_[j]);
    const V share_i = hn::Sub(hn::Mul(length_sq_[j], along_[i]), hn::Mul(across, along_[j]));
    const V share_j = hn::Sub(hn::Mul(length_sq_[i], along_[j]), hn::Mul(across, along_[i]));
    const V whole = hn::Sub(hn::Mul(length_sq_[i], length_sq_[j]), hn::Mul(across, across));
    const V3 n = L::Cross(edge_[i], edge_[j]);
    const V height = L::Dot(n, newest_);
    const Mask is_inside = hn::And(hn::And(hn::Gt(share_i, zero), hn::Gt(share_j, zero)),
                                   hn::Lt(hn::Add(share_i, share_j), whole));
    const Mask is_one = hn::And(hn::And(has_[i], has_[j]), is_inside);
    if (!L::IsNowhere(is_one)) {
      Offer(is_one, L::Times(hn::Div(height, L::Dot(n, n)), n), i, j);
    }
    return hn::Not(hn::Lt(hn::Mul(L::Dot(n, edge_[k]), height), zero));
  }

  const V3 newest_;
  V3 edge_[kOthers];
  V along_[kOthers];
  V length_sq_[kOthers];
  Mask has_[kOthers];
  V3 v_;
  V distance_sq_;
  Mask keeps_[kOthers];
  Mask encloses_;
};

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_NARROW_LANE_SIMPLEX_INL_H_

// SPDX-License-Identifier: Apache-2.0
//
// Posed shapes of many pairs side by side, in plain double precision and metres: the bounds of the
// balls around them, and the placement of B relative to A. How to include it:
// core/math/lanes-inl.h.
//
// How far it is off. Let E be the sum of all lengths that enter: both reaches, the radii, the
// coordinates of p_B - p_A and of both centres. With |q| within kQuaternionSlack of 1 a coordinate
// of the quaternion product is a sum of four products that are together no larger than |q_A| |q_B|:
// off by less than 5u of that. An entry of a rotation matrix is made of products of two coordinates
// over |q|^2. It is off by less than 9u by its own roundings and by less than 4 * 5u by the
// coordinates', under 32u in all. The offset p_B - p_A is rounded once a coordinate; turning it
// takes two cross products with q_A, less than 32u of its length again. So p_AB is off by less than
// 128u E. Then a sum of a dozen products of a length and an entry, together no larger than 4E, is
// off by less than 4 (128 + 32 + 12) u E < 1024u E: error() = kPairRounding E is eight times that.
// Numbers that underflow are below 2^-500 E if E is in range.

#if defined(CLEARANCE_CORE_NARROW_LANE_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_NARROW_LANE_PAIR_INL_H_
#undef CLEARANCE_CORE_NARROW_LANE_PAIR_INL_H_
#else
#define CLEARANCE_CORE_NARROW_LANE_PAIR_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/types/span.h"
#include "core/math/lanes-inl.h"
#include "core/math/tolerance.h"
#include "core/narrow/separation_bounds.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A rotation as a quaternion of any length but 0.
template <class L>
struct LaneTurn {
  using V = typename L::V;
  using V3 = typename L::V3;

  struct Rows {
    typename L::Row3 xyz;
    typename L::Row w;

    void Set(std::size_t lane, const Quaternion& q) {
      xyz.Set(lane, {q.x, q.y, q.z});
      w.at[lane] = q.w;
    }
  };
  static LaneTurn Load(const Rows& rows) { return {L::Load(rows.xyz), L::Load(rows.w)}; }

  V3 xyz;
  V w;

  V TwiceOverNormSquared() const {
    return hn::Div(L::Set(2), hn::Add(L::Dot(xyz, xyz), hn::Mul(w, w)));
  }

  // Returns v turned by the opposite rotation.
  V3 Unturned(const V3& v) const {
    const V3 once = L::Cross(xyz, v);
    const V3 twice = L::Cross(xyz, once);
    return L::Add(v, L::Times(TwiceOverNormSquared(), L::Sub(twice, L::Times(w, once))));
  }

  // Returns the rotation that turns by this one first, then by the opposite of `other`.
  LaneTurn From(const LaneTurn& other) const {
    const V3 a = L::Times(other.w, xyz);
    const V3 b = L::Times(w, other.xyz);
    return {L::Sub(L::Sub(a, b), L::Cross(other.xyz, xyz)),
            hn::Add(hn::Mul(other.w, w), L::Dot(other.xyz, xyz))};
  }

  // Sets its matrix, by columns.
  void GetColumns(V3* column) const {
    const V3 s = L::Times(TwiceOverNormSquared(), xyz);
    const V xx = hn::Mul(s.x, xyz.x), yy = hn::Mul(s.y, xyz.y), zz = hn::Mul(s.z, xyz.z);
    const V xy = hn::Mul(s.x, xyz.y), xz = hn::Mul(s.x, xyz.z), yz = hn::Mul(s.y, xyz.z);
    const V wx = hn::Mul(s.x, w), wy = hn::Mul(s.y, w), wz = hn::Mul(s.z, w);
    const V one = L::Set(1);
    column[0] = {hn::Sub(one, hn::Add(yy, zz)), hn::Add(xy, wz), hn::Sub(xz, wy)};
    column[1] = {hn::Sub(xy, wz), hn::Sub(one, hn::Add(xx, zz)), hn::Add(yz, wx)};
    column[2] = {hn::Add(xz, wy), hn::Sub(yz, wx), hn::Sub(one, hn::Add(xx, yy))};
  }
};

template <class L>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): numbers of one vector stand together
class LanePair {
 public:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;

  // Takes the pairs from `first` on; the lanes that are left repeat the last one.
  LanePair(absl::Span<const SeparationPair> pairs, std::size_t first) {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      pair_[lane] = pairs[std::min(first + lane, pairs.size() - 1)];
      a_.SetPlace(lane, *pair_[lane].a);
      b_.SetPlace(lane, *pair_[lane].b);
    }
    p_AB_W_ = L::Sub(L::Load(b_.p_WS), L::Load(a_.p_WS));
    radii_ = hn::Add(L::Load(a_.radius), L::Load(b_.radius));
    const V centers = hn::Add(SumOfSizes(L::Load(a_.center)), SumOfSizes(L::Load(b_.center)));
    const V balls = hn::Add(hn::Add(L::Load(a_.reach), L::Load(b_.reach)), centers);
    extent_ = hn::Add(hn::Add(SumOfSizes(p_AB_W_), radii_), balls);
    error_ = hn::Mul(L::Set(kPairRounding), extent_);
    const V between = hn::Sqrt(L::Dot(p_AB_W_, p_AB_W_));
    far_lower_ = hn::Sub(hn::Sub(between, balls), error_);
    far_upper_ = hn::Add(hn::Add(between, balls), error_);
    is_in_range_ = hn::And(hn::Gt(extent_, L::Set(1 / kMaxPairLength)),
                           hn::Lt(extent_, L::Set(kMaxPairLength)));
    is_far_ = hn::Gt(far_lower_, radii_);
  }

  // True if the balls around the bodies prove all pairs apart.
  bool IsFarEverywhere() const { return hn::AllTrue(L::kTag, is_far_); }

  // Finds axis_b() and p_AB().
  void Turn() {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      a_.turn.Set(lane, pair_[lane].a->pose.q_WS);
      b_.turn.Set(lane, pair_[lane].b->pose.q_WS);
    }
    const auto turn_a = LaneTurn<L>::Load(a_.turn);
    LaneTurn<L>::Load(b_.turn).From(turn_a).GetColumns(axis_b_);
    const V3 center_b = L::Load(b_.center);
    p_AB_ = L::Sub(turn_a.Unturned(p_AB_W_), L::Load(a_.center));
    p_AB_ = L::Add(p_AB_, L::Times(center_b.x, axis_b_[0]));
    p_AB_ = L::Add(p_AB_, L::Times(center_b.y, axis_b_[1]));
    p_AB_ = L::Add(p_AB_, L::Times(center_b.z, axis_b_[2]));
  }

  // An axis of B, and from A's centre to B's, frame A.
  const V3& axis_b(int j) const { return axis_b_[j]; }
  const V3& p_AB() const { return p_AB_; }

  const SeparationPair& pair(std::size_t lane) const { return pair_[lane]; }
  V radii() const { return radii_; }
  V extent() const { return extent_; }  // E
  V error() const { return error_; }

  // Sets the bounds of the bodies from those of the cores; if the bodies are far, from those of the
  // balls.
  void Put(V lower, V upper) {
    const V endless = L::Set(std::numeric_limits<double>::infinity());
    lower = hn::Sub(L::Select(is_far_, far_lower_, lower), radii_);
    upper = hn::Sub(L::Select(is_far_, far_upper_, upper), radii_);
    L::Store(L::Select(is_in_range_, lower, hn::Neg(endless)), &lower_);
    L::Store(L::Select(is_in_range_, upper, endless), &upper_);
  }
  void PutFar() { Put(far_lower_, far_upper_); }
  SeparationBounds Get(std::size_t lane) const { return {lower_.at[lane], upper_.at[lane]}; }

 private:
  struct Rows {
    typename L::Row3 p_WS;
    typename L::Row3 center;
    typename L::Row reach;
    typename L::Row radius;
    typename LaneTurn<L>::Rows turn;  // read only if the balls do not decide

    void SetPlace(std::size_t lane, const PosedShape& posed) {
      p_WS.Set(lane, posed.pose.p_WS);
      center.Set(lane, posed.shape.center());
      reach.at[lane] = posed.shape.reach();
      radius.at[lane] = posed.shape.radius();
    }
  };

  static V SumOfSizes(const V3& v) {
    return hn::Add(hn::Add(hn::Abs(v.x), hn::Abs(v.y)), hn::Abs(v.z));
  }

  SeparationPair pair_[L::kSize];
  Rows a_, b_;
  V3 p_AB_W_;
  V radii_, extent_, error_, far_lower_, far_upper_;
  Mask is_in_range_, is_far_;
  V3 axis_b_[3];
  V3 p_AB_;
  typename L::Row lower_, upper_;
};

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_NARROW_LANE_PAIR_INL_H_

// SPDX-License-Identifier: Apache-2.0
//
// Double-doubles of as many pairs as a vector has lanes, each with the bits that double_double.h
// would give it. How to include it: core/math/lanes-inl.h.
//
// A product's error may be had from one fused multiply-add (kIsFused) instead of Dekker's
// splitting. Both are the error itself, and no zero of either is negative, wherever no part of it
// underflows; where something might, the splitting has the bits.

#if defined(CLEARANCE_CORE_MATH_LANE_DOUBLE_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_MATH_LANE_DOUBLE_DOUBLE_INL_H_
#undef CLEARANCE_CORE_MATH_LANE_DOUBLE_DOUBLE_INL_H_
#else
#define CLEARANCE_CORE_MATH_LANE_DOUBLE_DOUBLE_INL_H_
#endif

#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

// Into one function, but where a sanitizer would then take a quarter of an hour to compile it.
#ifndef CLEARANCE_LANE_INLINE
#if HWY_IS_ASAN || HWY_IS_TSAN
#define CLEARANCE_LANE_INLINE HWY_NOINLINE
#else
#define CLEARANCE_LANE_INLINE HWY_INLINE
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class L>
struct LaneDd {
  typename L::V hi, lo;
};
template <class L>
struct LaneDd3 {
  LaneDd<L> x, y, z;
};

template <class L, bool kIsFused>
struct LaneDoubleDouble {
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Dd = LaneDd<L>;
  using Dd3 = LaneDd3<L>;

  static CLEARANCE_LANE_INLINE Dd Of(V a) { return {a, L::Set(0)}; }
  static CLEARANCE_LANE_INLINE V3 High(const Dd3& a) { return {a.x.hi, a.y.hi, a.z.hi}; }

  // As the functions and operators of double_double.h.
  static CLEARANCE_LANE_INLINE Dd TwoSum(V a, V b) {
    const V sum = hn::Add(a, b);
    const V b_part = hn::Sub(sum, a);
    const V a_part = hn::Sub(sum, b_part);
    return {sum, hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part))};
  }
  static CLEARANCE_LANE_INLINE Dd FastTwoSum(V a, V b) {
    const V sum = hn::Add(a, b);
    return {sum, hn::Sub(b, hn::Sub(sum, a))};
  }
  static CLEARANCE_LANE_INLINE Dd TwoProduct(V a, V b) {
    const V product = hn::Mul(a, b);
    if constexpr (kIsFused) return {product, hn::MulSub(a, b, product)};
    const V a_high = HighHalf(a), b_high = HighHalf(b);
    const V a_low = hn::Sub(a, a_high), b_low = hn::Sub(b, b_high);
    V error = hn::Sub(hn::Mul(a_high, b_high), product);
    error = hn::Add(error, hn::Mul(a_high, b_low));
    error = hn::Add(error, hn::Mul(a_low, b_high));
    return {product, hn::Add(error, hn::Mul(a_low, b_low))};
  }
  static CLEARANCE_LANE_INLINE Dd Add(const Dd& a, const Dd& b) {
    const Dd high = TwoSum(a.hi, b.hi);
    const Dd low = TwoSum(a.lo, b.lo);
    const Dd middle = FastTwoSum(high.hi, hn::Add(high.lo, low.hi));
    return FastTwoSum(middle.hi, hn::Add(low.lo, middle.lo));
  }
  static CLEARANCE_LANE_INLINE Dd Sub(const Dd& a, const Dd& b) {
    return Add(a, {hn::Neg(b.hi), hn::Neg(b.lo)});
  }
  static CLEARANCE_LANE_INLINE Dd Mul(const Dd& a, const Dd& b) {
    const Dd high = TwoProduct(a.hi, b.hi);
    const V low = hn::Add(hn::Mul(a.hi, b.lo), hn::Mul(a.lo, b.hi));
    return FastTwoSum(high.hi, hn::Add(high.lo, low));
  }
  // As the same of double_double4-inl.h.
  static CLEARANCE_LANE_INLINE Dd TimesDouble(const Dd& a, V b) {
    const Dd high = TwoProduct(a.hi, b);
    return FastTwoSum(high.hi, hn::Add(high.lo, hn::Mul(a.lo, b)));
  }
  // Exactly. Requires: powers of two, or their negatives.
  static CLEARANCE_LANE_INLINE Dd Times(V factor, const Dd& a) {
    return {hn::Mul(factor, a.hi), hn::Mul(factor, a.lo)};
  }
  static CLEARANCE_LANE_INLINE Dd Div(const Dd& a, const Dd& b) {
    const V first = hn::Div(a.hi, b.hi);
    const Dd remainder = Sub(a, Mul(b, Of(first)));
    return FastTwoSum(first, hn::Div(remainder.hi, b.hi));
  }
  static CLEARANCE_LANE_INLINE Mask IsLess(const Dd& a, const Dd& b) {
    return hn::Or(hn::Lt(a.hi, b.hi), hn::And(hn::Eq(a.hi, b.hi), hn::Lt(a.lo, b.lo)));
  }

  static CLEARANCE_LANE_INLINE Dd3 Between(const V3& from, const V3& to) {
    return {TwoSum(to.x, hn::Neg(from.x)), TwoSum(to.y, hn::Neg(from.y)),
            TwoSum(to.z, hn::Neg(from.z))};
  }
  static CLEARANCE_LANE_INLINE Dd Dot(const Dd3& a, const Dd3& b) {
    return Add(Add(Mul(a.x, b.x), Mul(a.y, b.y)), Mul(a.z, b.z));
  }
  static CLEARANCE_LANE_INLINE Dd3 Cross(const Dd3& a, const Dd3& b) {
    return {Sub(Mul(a.y, b.z), Mul(a.z, b.y)), Sub(Mul(a.z, b.x), Mul(a.x, b.z)),
            Sub(Mul(a.x, b.y), Mul(a.y, b.x))};
  }

 private:
  static CLEARANCE_LANE_INLINE V HighHalf(V a) {
    constexpr double kSplitter = 134217729;  // 2^27 + 1
    const V scaled = hn::Mul(L::Set(kSplitter), a);
    return hn::Sub(scaled, hn::Sub(scaled, a));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_MATH_LANE_DOUBLE_DOUBLE_INL_H_

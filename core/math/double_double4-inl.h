// SPDX-License-Identifier: Apache-2.0
//
// Four double-doubles side by side, each with the bits that double_double.h would give it, on any
// vector unit: the three coordinates of a point and a spare lane, or one number of four things. For
// values that are computed once, when no other pairs can fill the lanes.
//
// Compiled once for every instruction set that Highway knows on the platform: include it only from
// sources that foreach_target.h includes, and write nothing in it that another source could see.

#if defined(CLEARANCE_CORE_MATH_DOUBLE_DOUBLE4_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_MATH_DOUBLE_DOUBLE4_INL_H_
#undef CLEARANCE_CORE_MATH_DOUBLE_DOUBLE4_INL_H_
#else
#define CLEARANCE_CORE_MATH_DOUBLE_DOUBLE4_INL_H_
#endif

#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "hwy/highway.h"

// Nothing here is ever called: how vectors would be handed over does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// The compilers' own vectors, which they split if the vector unit has none of four.
using Double4 = double __attribute__((vector_size(32)));

struct DoubleDouble4 {
  Double4 hi;
  Double4 lo;
};

HWY_INLINE Double4 ToDouble4(const Vec3d& a) { return Double4{a.x, a.y, a.z, 0}; }
HWY_INLINE DoubleDouble4 ToDoubleDouble4(const Vec3<DoubleDouble>& a) {
  return {Double4{a.x.hi, a.y.hi, a.z.hi, 0}, Double4{a.x.lo, a.y.lo, a.z.lo, 0}};
}

HWY_INLINE DoubleDouble At(const DoubleDouble4& a, int lane) { return {a.hi[lane], a.lo[lane]}; }
HWY_INLINE Vec3d FirstThree(const Double4& a) { return {a[0], a[1], a[2]}; }

// Returns lane k_i of a as lane i, or lane k_i - 4 of b for k_i >= 4.
template <int k0, int k1, int k2, int k3>
HWY_INLINE Double4 Shuffled(const Double4& a, const Double4& b) {
  return __builtin_shufflevector(a, b, k0, k1, k2, k3);
}
template <int k0, int k1, int k2, int k3>
HWY_INLINE DoubleDouble4 Shuffled(const DoubleDouble4& a, const DoubleDouble4& b) {
  return {Shuffled<k0, k1, k2, k3>(a.hi, b.hi), Shuffled<k0, k1, k2, k3>(a.lo, b.lo)};
}
template <int k0, int k1, int k2, int k3>
HWY_INLINE DoubleDouble4 Shuffled(const DoubleDouble4& a) {
  return Shuffled<k0, k1, k2, k3>(a, a);
}
template <int kLane>
HWY_INLINE DoubleDouble4 Everywhere(const DoubleDouble4& a) {
  return Shuffled<kLane, kLane, kLane, kLane>(a);
}

// The same as the functions of these names in double_double.h.
HWY_INLINE DoubleDouble4 TwoSum(const Double4& a, const Double4& b) {
  const Double4 sum = a + b;
  const Double4 b_part = sum - a;
  const Double4 a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

HWY_INLINE DoubleDouble4 FastTwoSum(const Double4& a, const Double4& b) {
  const Double4 sum = a + b;
  return {sum, b - (sum - a)};
}

HWY_INLINE Double4 HighHalf(const Double4& a) {
  constexpr double kSplitter = 134217729;  // 2^27 + 1
  const Double4 scaled = kSplitter * a;
  return scaled - (scaled - a);
}

HWY_INLINE DoubleDouble4 TwoProduct(const Double4& a, const Double4& b) {
  const Double4 a_high = HighHalf(a), b_high = HighHalf(b);
  const Double4 a_low = a - a_high, b_low = b - b_high;
  const Double4 product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

HWY_INLINE DoubleDouble4 operator+(const DoubleDouble4& a, const DoubleDouble4& b) {
  const DoubleDouble4 high = TwoSum(a.hi, b.hi);
  const DoubleDouble4 low = TwoSum(a.lo, b.lo);
  const DoubleDouble4 middle = FastTwoSum(high.hi, high.lo + low.hi);
  return FastTwoSum(middle.hi, low.lo + middle.lo);
}

HWY_INLINE DoubleDouble4 operator-(const DoubleDouble4& a, const DoubleDouble4& b) {
  return a + DoubleDouble4{-b.hi, -b.lo};
}

HWY_INLINE DoubleDouble4 operator*(const DoubleDouble4& a, const DoubleDouble4& b) {
  const DoubleDouble4 high = TwoProduct(a.hi, b.hi);
  return FastTwoSum(high.hi, high.lo + (a.hi * b.lo + a.lo * b.hi));
}

HWY_INLINE DoubleDouble4 TimesDouble(const DoubleDouble4& a, const Double4& b) {
  const DoubleDouble4 high = TwoProduct(a.hi, b);
  return FastTwoSum(high.hi, high.lo + a.lo * b);
}

// Returns the exact product. Requires: the factors are powers of two.
HWY_INLINE DoubleDouble4 Times(const Double4& factors, const DoubleDouble4& a) {
  return {factors * a.hi, factors * a.lo};
}

// Returns the cross product of the first three lanes, taken as coordinates.
HWY_INLINE DoubleDouble4 Cross(const DoubleDouble4& a, const DoubleDouble4& b) {
  return Shuffled<1, 2, 0, 3>(a) * Shuffled<2, 0, 1, 3>(b) -
         Shuffled<2, 0, 1, 3>(a) * Shuffled<1, 2, 0, 3>(b);
}

// Returns a . b_0, a . b_1 and so on.
HWY_INLINE DoubleDouble4 Dots(const DoubleDouble4& a, const DoubleDouble4 (&b)[4]) {
  const DoubleDouble4 xz_01 = Shuffled<0, 4, 2, 6>(b[0], b[1]);
  const DoubleDouble4 xz_23 = Shuffled<0, 4, 2, 6>(b[2], b[3]);
  const DoubleDouble4 yw_01 = Shuffled<1, 5, 3, 7>(b[0], b[1]);
  const DoubleDouble4 yw_23 = Shuffled<1, 5, 3, 7>(b[2], b[3]);
  const DoubleDouble4 x = Shuffled<0, 1, 4, 5>(xz_01, xz_23);
  const DoubleDouble4 y = Shuffled<0, 1, 4, 5>(yw_01, yw_23);
  const DoubleDouble4 z = Shuffled<2, 3, 6, 7>(xz_01, xz_23);
  return Everywhere<0>(a) * x + Everywhere<1>(a) * y + Everywhere<2>(a) * z;
}

// A matrix by its columns; the contents of the last lanes do not matter.
struct Matrix4 {
  DoubleDouble4 x, y, z;
};

HWY_INLINE DoubleDouble4 operator*(const Matrix4& m, const DoubleDouble4& v) {
  return m.x * Everywhere<0>(v) + m.y * Everywhere<1>(v) + m.z * Everywhere<2>(v);
}

HWY_INLINE DoubleDouble4 TimesDouble(const Matrix4& m, const Vec3d& v) {
  const Double4 none = {};
  return TimesDouble(m.x, none + v.x) + TimesDouble(m.y, none + v.y) + TimesDouble(m.z, none + v.z);
}

HWY_INLINE Matrix4 operator*(const Matrix4& a, const Matrix4& b) {
  return {a * b.x, a * b.y, a * b.z};
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_MATH_DOUBLE_DOUBLE4_INL_H_

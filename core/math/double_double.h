// SPDX-License-Identifier: Apache-2.0
//
// Numbers with twice the digits of a double: an unevaluated sum hi + lo with |lo| <= ulp(hi) / 2,
// so about 106 bits.
//
// After T. J. Dekker, "A floating-point technique for extending the available precision", 1971, and
// M. Joldes, J.-M. Muller and V. Popescu, "Tight and rigorous error bounds for basic building
// blocks of double-word arithmetic", 2017: relative errors below 3u^2 for sums (their algorithm 6),
// 5u^2 for products, 10u^2 for quotients, u = 2^-53. No fused multiply-add is used, so the bits are
// the same on every machine. Requires: no overflow, |x| < 2^995 (for the splitting). Products below
// 2^-916 lose digits to underflow, absolutely less than 2^-1020.

#pragma once

#include <cmath>

#include "core/math/power_of_two.h"
#include "core/math/vec3.h"

namespace clearance {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : hi(value) {}  // NOLINT: a double is one, exactly
  constexpr DoubleDouble(double high, double low) : hi(high), lo(low) {}

  friend constexpr bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
};

// Returns a + b exactly.
constexpr DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

// Returns a + b exactly. Requires: |a| >= |b| or a = 0.
constexpr DoubleDouble FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// Returns the result of the double-double operator+ for two doubles, whose sum is exact.
constexpr DoubleDouble SumOf(double a, double b) {
  const DoubleDouble sum = TwoSum(a, b);
  return FastTwoSum(sum.hi, sum.lo + 0.0);  // no zero is negative
}

// Returns a * b exactly, by Veltkamp's splitting of each factor into halves of 26 bits.
constexpr DoubleDouble TwoProduct(double a, double b) {
  constexpr double kSplitter = 134217729;  // 2^27 + 1
  const double a_scaled = kSplitter * a;
  const double a_high = a_scaled - (a_scaled - a);
  const double a_low = a - a_high;
  const double b_scaled = kSplitter * b;
  const double b_high = b_scaled - (b_scaled - b);
  const double b_low = b - b_high;
  const double product = a * b;
  const double error =
      ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return {product, error};
}

constexpr DoubleDouble operator-(const DoubleDouble& a) { return {-a.hi, -a.lo}; }

constexpr DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = TwoSum(a.hi, b.hi);
  const DoubleDouble low = TwoSum(a.lo, b.lo);
  const DoubleDouble middle = FastTwoSum(high.hi, high.lo + low.hi);
  return FastTwoSum(middle.hi, low.lo + middle.lo);
}

constexpr DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }

constexpr DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = TwoProduct(a.hi, b.hi);
  return FastTwoSum(high.hi, high.lo + (a.hi * b.lo + a.lo * b.hi));
}

// Requires: b is not 0.
constexpr DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.hi / b.hi;
  const DoubleDouble remainder = a - b * DoubleDouble(first);
  return FastTwoSum(first, remainder.hi / b.hi);
}

constexpr bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
  return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
constexpr bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }
constexpr bool operator<=(const DoubleDouble& a, const DoubleDouble& b) { return !(b < a); }
constexpr bool operator>=(const DoubleDouble& a, const DoubleDouble& b) { return !(a < b); }

// Overloaded for both types, so that one template serves both.
inline double Sqrt(double a) { return std::sqrt(a); }

// Returns the square root by one Newton step from the double root: relative error below 4u^2.
// Requires: a >= 0.
inline DoubleDouble Sqrt(const DoubleDouble& a) {
  if (a.hi <= 0) return 0.0;
  const double root = std::sqrt(a.hi);
  const DoubleDouble remainder = a - TwoProduct(root, root);
  return FastTwoSum(root, remainder.hi / (2 * root));
}

constexpr double ToDouble(double a) { return a; }
constexpr double ToDouble(const DoubleDouble& a) { return a.hi; }

template <class T>
constexpr Vec3d ToDouble(const Vec3<T>& a) {
  return {ToDouble(a.x), ToDouble(a.y), ToDouble(a.z)};
}

template <class T>
constexpr Vec3<T> To(const Vec3d& a) {
  return {T(a.x), T(a.y), T(a.z)};
}

// Returns a * 2^exponent, exact except for underflow and overflow.
inline Vec3<DoubleDouble> Scaled(const Vec3<DoubleDouble>& a, int exponent) {
  if (IsNormalPower(exponent)) {
    const double factor = NormalPowerOfTwo(exponent);
    return {{factor * a.x.hi, factor * a.x.lo},
            {factor * a.y.hi, factor * a.y.lo},
            {factor * a.z.hi, factor * a.z.lo}};
  }
  const auto scaled = [exponent](const DoubleDouble& x) {
    return DoubleDouble{std::ldexp(x.hi, exponent), std::ldexp(x.lo, exponent)};
  };
  return {scaled(a.x), scaled(a.y), scaled(a.z)};
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Outward rounding: the neighbours of a double, and scaling by powers of two that never narrows a
// bracket.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/math/double_double.h"
#include "core/math/power_of_two.h"

namespace clearance {

// The least double above x; +infinity stays.
inline double NextUp(double x) {
  if (!(x < HUGE_VAL)) return x;
  if (x == 0) return std::bit_cast<double>(std::uint64_t{1});
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}

// The greatest double below x; -infinity stays.
inline double NextDown(double x) { return -NextUp(-x); }

// A double that is at most, or at least, x.
inline double RoundDown(const DoubleDouble& x) { return x.lo < 0 ? NextDown(x.hi) : x.hi; }
inline double RoundUp(const DoubleDouble& x) { return x.lo > 0 ? NextUp(x.hi) : x.hi; }

// x * 2^exponent, rounded down or up where it is subnormal.
inline double ScaleDown(double x, int exponent) {
  const double scaled = TimesPowerOfTwo(x, exponent);
  return TimesPowerOfTwo(scaled, -exponent) > x ? NextDown(scaled) : scaled;
}
inline double ScaleUp(double x, int exponent) { return -ScaleDown(-x, exponent); }

}  // namespace clearance

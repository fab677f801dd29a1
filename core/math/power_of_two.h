// SPDX-License-Identifier: Apache-2.0
//
// Scaling by powers of two and exponents, with the results of std::ldexp and std::frexp but without
// their calls: a query scales some dozen numbers.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/math/assert.h"

namespace clearance {

// Returns true if 2^exponent is a normal number.
constexpr bool IsNormalPower(int exponent) {
  constexpr int kBias = std::numeric_limits<double>::max_exponent - 1;
  return exponent > -kBias && exponent <= kBias;
}

// Returns 2^exponent. Requires: IsNormalPower.
constexpr double NormalPowerOfTwo(int exponent) {
  CLEARANCE_ASSERT(IsNormalPower(exponent));
  constexpr int kBias = std::numeric_limits<double>::max_exponent - 1;
  constexpr int kMantissaBits = std::numeric_limits<double>::digits - 1;
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << kMantissaBits);
}

// Returns 2^exponent, exact except for underflow (0) and overflow. No arithmetic is done on a
// subnormal result, since that takes a processor as long as fifty other operations.
constexpr double AnyPowerOfTwo(int exponent) {
  using Limits = std::numeric_limits<double>;
  constexpr int kLowest = Limits::min_exponent - Limits::digits;
  if (IsNormalPower(exponent)) return NormalPowerOfTwo(exponent);
  if (exponent > 0) return Limits::infinity();
  return exponent < kLowest ? 0 : std::bit_cast<double>(std::uint64_t{1} << (exponent - kLowest));
}

// Returns x * 2^exponent, exact except for underflow (rounded once, to even) and overflow.
inline double TimesPowerOfTwo(double x, int exponent) {
  return IsNormalPower(exponent) ? x * NormalPowerOfTwo(exponent) : std::ldexp(x, exponent);
}

// Returns e for which 2^(e - 1) <= |x| < 2^e; 1025 for infinity. Requires: x is not 0, no NaN.
inline int ExponentOf(double x) {
  CLEARANCE_ASSERT(!std::isnan(x) && x != 0);
  constexpr int kMantissaBits = std::numeric_limits<double>::digits - 1;
  constexpr std::uint64_t kExponentMask = 0x7ff;
  const auto biased =
      static_cast<int>(std::bit_cast<std::uint64_t>(x) >> kMantissaBits & kExponentMask);
  if (biased > 0) return biased - (std::numeric_limits<double>::max_exponent - 2);
  int exponent = 0;  // of a subnormal
  std::frexp(x, &exponent);
  return exponent;
}

}  // namespace clearance

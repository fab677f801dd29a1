// SPDX-License-Identifier: Apache-2.0

#include "core/exact/integers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/math/assert.h"

namespace clearance {
namespace {

constexpr int kMantissaBits = std::numeric_limits<double>::digits;
constexpr int kMinExponent = std::numeric_limits<double>::min_exponent - kMantissaBits;

// x = mantissa * 2^exponent.
struct Parts {
  std::int64_t mantissa = 0;
  int exponent = 0;
};

Parts PartsOf(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, kMantissaBits)), exponent - kMantissaBits};
}

// The numerator and denominator of a quotient in units of 2^exponent, for which the quotient is an
// integer of 52 or 53 bits (fewer where it is subnormal) and something less than one.
struct ScaledQuotient {
  Integer numerator;
  Integer denominator;
  int exponent = 0;
};

ScaledQuotient Scale(const Integer& numerator, const Integer& denominator, int exponent) {
  CLEARANCE_ASSERT(numerator >= 0 && denominator > 0);
  const int bits = BitCount(numerator) - BitCount(denominator) + 1;  // the quotient is below 2^bits
  const int last = std::max(bits + exponent - kMantissaBits, kMinExponent);
  const int shift = exponent - last;
  return {Shifted(numerator, std::max(shift, 0)), Shifted(denominator, std::max(-shift, 0)), last};
}

}  // namespace

int LowestBit(double x) {
  if (x == 0) return kNoBit;
  const Parts parts = PartsOf(x);
  return parts.exponent + std::countr_zero(static_cast<std::uint64_t>(parts.mantissa));
}

int LowestBit(const Vec3d& v) { return std::min({LowestBit(v.x), LowestBit(v.y), LowestBit(v.z)}); }

Integer ToInteger(double x, int exponent) {
  CLEARANCE_ASSERT(std::isfinite(x) && exponent <= LowestBit(x));
  const Parts parts = PartsOf(x);
  const Integer mantissa = static_cast<long>(parts.mantissa);
  const int shift = parts.exponent - exponent;
  return shift >= 0 ? Shifted(mantissa, shift)
                    : Integer(mantissa >> static_cast<mp_bitcnt_t>(-shift));
}

IntegerVector ToInteger(const Vec3d& v, int exponent) {
  return {ToInteger(v.x, exponent), ToInteger(v.y, exponent), ToInteger(v.z, exponent)};
}

Integer Shifted(const Integer& x, int shift) {
  CLEARANCE_ASSERT(shift >= 0);
  return x << static_cast<mp_bitcnt_t>(shift);
}

IntegerVector Shifted(const IntegerVector& v, int shift) {
  return {Shifted(v.x, shift), Shifted(v.y, shift), Shifted(v.z, shift)};
}

bool IsZero(const IntegerVector& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

int BitCount(const Integer& x) { return static_cast<int>(mpz_sizeinbase(x.get_mpz_t(), 2)); }

int BitCount(const IntegerVector& v) {
  return std::max({BitCount(v.x), BitCount(v.y), BitCount(v.z)});
}

std::int64_t ProductCost(int bits_a, int bits_b) {
  constexpr int kWordBits = 64;
  return std::int64_t{1 + bits_a / kWordBits} * (1 + bits_b / kWordBits);
}

double QuotientDown(const Integer& numerator, const Integer& denominator, int exponent) {
  ScaledQuotient scaled = Scale(numerator, denominator, exponent);
  mpz_fdiv_q(scaled.numerator.get_mpz_t(), scaled.numerator.get_mpz_t(),
             scaled.denominator.get_mpz_t());
  return std::ldexp(scaled.numerator.get_d(), scaled.exponent);
}

double QuotientUp(const Integer& numerator, const Integer& denominator, int exponent) {
  ScaledQuotient scaled = Scale(numerator, denominator, exponent);
  mpz_cdiv_q(scaled.numerator.get_mpz_t(), scaled.numerator.get_mpz_t(),
             scaled.denominator.get_mpz_t());
  return std::ldexp(scaled.numerator.get_d(), scaled.exponent);
}

}  // namespace clearance

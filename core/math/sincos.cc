// SPDX-License-Identifier: Apache-2.0

#include "core/math/sincos.h"

#include <cmath>

#include "core/math/assert.h"
#include "core/math/double_double.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

// pi / 2 in three doubles, to 2^-160; the first two have trailing zeros enough that k * part is
// exact for k < 2^20.
constexpr double kHalfPi1 = 0x1.921fb544p+0;
constexpr double kHalfPi2 = 0x1.0b4611a4p-34;
constexpr double kHalfPi3 = 0x1.13198a2e03707p-65;

// On [-pi/4, pi/4] the first term left out is below 2^-58. `r_low` is the low part of the reduced
// angle.
double SinPolynomial(double r, double r_low) {
  const double r2 = r * r;
  const double tail =
      1.0 / 6 -
      r2 * (1.0 / 120 -
            r2 * (1.0 / 5040 -
                  r2 * (1.0 / 362880 -
                        r2 * (1.0 / 39916800 - r2 * (1.0 / 6227020800 - r2 / 1307674368000)))));
  return r + (r_low - r * r2 * tail);
}

double CosPolynomial(double r, double r_low) {
  const double r2 = r * r;
  const double tail =
      1.0 / 24 -
      r2 * (1.0 / 720 -
            r2 * (1.0 / 40320 -
                  r2 * (1.0 / 3628800 -
                        r2 * (1.0 / 479001600 - r2 * (1.0 / 87178291200 - r2 / 20922789888000)))));
  const double half_r2 = r2 / 2;
  const double one_minus = 1 - half_r2;
  const double rounding = (1 - one_minus) - half_r2;
  return one_minus + (rounding + (r2 * r2 * tail - r * r_low));
}

}  // namespace

SinCos ComputeSinCos(double angle_rad) {
  CLEARANCE_ASSERT(std::fabs(angle_rad) <= 1e5);
  const double quarter_turns = std::nearbyint(angle_rad * (2 / kPi));
  const DoubleDouble first =
      TwoSum(angle_rad - quarter_turns * kHalfPi1, -quarter_turns * kHalfPi2);
  const DoubleDouble reduced = TwoSum(first.hi, first.lo - quarter_turns * kHalfPi3);
  const double sin = SinPolynomial(reduced.hi, reduced.lo);
  const double cos = CosPolynomial(reduced.hi, reduced.lo);
  switch (static_cast<long>(quarter_turns) & 3) {
    case 0:
      return {sin, cos};
    case 1:
      return {cos, -sin};
    case 2:
      return {-sin, -cos};
    default:
      return {-cos, sin};
  }
}

double AngleOf(double sin, double cos) {
  CLEARANCE_ASSERT(sin >= 0 && (sin != 0 || cos != 0));
  // A crude start, within 0.1 rad, then Newton on sin * cos(angle) - cos * sin(angle) = 0, whose
  // error is cubed.
  const double norm = std::sqrt(sin * sin + cos * cos);
  const double s = sin / norm;
  const double c = cos / norm;
  const bool steep = s > std::fabs(c);
  const double flat = s / (1 + 0.28 * s * s) / std::fmax(std::fabs(c), 0.5);
  double angle = steep ? kPi / 2 - c : (c > 0 ? flat : kPi - flat);
  for (int step = 0; step < 4; ++step) {
    const SinCos at = ComputeSinCos(angle);
    angle += s * at.cos - c * at.sin;
  }
  return angle;
}

}  // namespace clearance

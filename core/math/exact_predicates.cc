// SPDX-License-Identifier: Apache-2.0
//
// The filters' bounds are Shewchuk's: for each determinant, a multiple of the sum of the magnitudes
// of its products (the "permanent"), with every difference, product and sum rounded once. Underflow
// adds nothing on the grid.

#include "core/math/exact_predicates.h"

#include <cmath>
#include <limits>

#include "core/math/assert.h"
#include "core/math/double_double.h"
#include "core/math/expansion.h"
#include "core/math/power_of_two.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

constexpr int kGridBits = 358;  // a third of the 1074 bits below 1 that a double has

constexpr double kOrient2dBound = (3 + 16 * kRoundoff) * kRoundoff;
constexpr double kOrient3dBound = (7 + 56 * kRoundoff) * kRoundoff;
constexpr double kPreciseOrient3dBound = 32 * kRoundoff * kRoundoff;

// Requires: not 0.
int SignOf(double value) { return value > 0 ? 1 : -1; }

int ExactOrient2d(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  const Expansion<8> left = Difference(b.x, a.x) * Difference(c.y, a.y);
  const Expansion<8> right = Difference(b.y, a.y) * Difference(c.x, a.x);
  return (left - right).Sign();
}

int ExactOrient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p) {
  const Expansion<2> bx = Difference(b.x, a.x), by = Difference(b.y, a.y),
                     bz = Difference(b.z, a.z);
  const Expansion<2> cx = Difference(c.x, a.x), cy = Difference(c.y, a.y),
                     cz = Difference(c.z, a.z);
  const Expansion<64> x = (by * cz - bz * cy) * Difference(p.x, a.x);
  const Expansion<64> y = (bz * cx - bx * cz) * Difference(p.y, a.y);
  const Expansion<64> z = (bx * cy - by * cx) * Difference(p.z, a.z);
  return (x + y + z).Sign();
}

// The determinant in double-double, whose differences are exact. Its products of two are within
// 5u^2, its sums within 3u^2: 19u^2 of the permanent, which is rounded itself. No product
// underflows on the grid: parts of double-doubles are multiples of what their factors are multiples
// of.
double PreciseDeterminant(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p) {
  const auto offset = [&a](const Vec3d& to) {
    return Vec3<DoubleDouble>{TwoSum(to.x, -a.x), TwoSum(to.y, -a.y), TwoSum(to.z, -a.z)};
  };
  return ToDouble(Dot(Cross(offset(b), offset(c)), offset(p)));
}

}  // namespace

double RoundToPredicateGrid(double coordinate) {
  CLEARANCE_ASSERT(std::fabs(coordinate) <= 1);
  constexpr int kDigits = std::numeric_limits<double>::digits;
  if (coordinate != 0 && ExponentOf(coordinate) >= kDigits - kGridBits) return coordinate;
  return std::ldexp(std::round(std::ldexp(coordinate, kGridBits)), -kGridBits);
}

int Orient2d(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  const double left = (b.x - a.x) * (c.y - a.y);
  const double right = (b.y - a.y) * (c.x - a.x);
  const double determinant = left - right;
  const double bound = kOrient2dBound * (std::abs(left) + std::abs(right));
  return std::abs(determinant) > bound ? SignOf(determinant) : ExactOrient2d(a, b, c);
}

int Orient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p) {
  const Vec3d ab = b - a, ac = c - a, ap = p - a;
  const double yz = ab.y * ac.z, zy = ab.z * ac.y;
  const double zx = ab.z * ac.x, xz = ab.x * ac.z;
  const double xy = ab.x * ac.y, yx = ab.y * ac.x;
  const double determinant = (yz - zy) * ap.x + (zx - xz) * ap.y + (xy - yx) * ap.z;
  const double permanent = (std::abs(yz) + std::abs(zy)) * std::abs(ap.x) +
                           (std::abs(zx) + std::abs(xz)) * std::abs(ap.y) +
                           (std::abs(xy) + std::abs(yx)) * std::abs(ap.z);
  if (std::abs(determinant) > kOrient3dBound * permanent) return SignOf(determinant);
  if (p == a || p == b || p == c)
    return 0;  // a support of a facet is most often one of its corners
  // Points of one face, rounded: off its plane by about u.
  const double precise = PreciseDeterminant(a, b, c, p);
  constexpr double kMinNormal = std::numeric_limits<double>::min();
  if (std::abs(precise) > kPreciseOrient3dBound * permanent + kMinNormal) return SignOf(precise);
  return ExactOrient3d(a, b, c, p);
}

// The bound of Orient3d for the largest p - a on the grid, 2 along each axis: rounding is
// monotonic, so that no other p has a larger one.
OrientedPlane PlaneOf(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d ab = b - a, ac = c - a;
  const double permanent = (std::abs(ab.y * ac.z) + std::abs(ab.z * ac.y)) * 2 +
                           (std::abs(ab.z * ac.x) + std::abs(ab.x * ac.z)) * 2 +
                           (std::abs(ab.x * ac.y) + std::abs(ab.y * ac.x)) * 2;
  return {Cross(ab, ac), kOrient3dBound * permanent};
}

bool AreCollinear(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return Orient2d({a.x, a.y}, {b.x, b.y}, {c.x, c.y}) == 0 &&
         Orient2d({a.y, a.z}, {b.y, b.z}, {c.y, c.z}) == 0 &&
         Orient2d({a.z, a.x}, {b.z, b.x}, {c.z, c.x}) == 0;
}

}  // namespace clearance

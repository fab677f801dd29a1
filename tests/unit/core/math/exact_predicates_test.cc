// SPDX-License-Identifier: Apache-2.0
//
// Oracle: the same determinants in GMP rationals, which share nothing with the expansions.

#include "core/math/exact_predicates.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

struct Rational3 {
  mpq_class x, y, z;
};

Rational3 Minus(const Vec3d& a, const Vec3d& b) {
  return {mpq_class(a.x) - b.x, mpq_class(a.y) - b.y, mpq_class(a.z) - b.z};
}

int OracleOrient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p) {
  const Rational3 u = Minus(b, a), v = Minus(c, a), w = Minus(p, a);
  const mpq_class determinant =
      (u.y * v.z - u.z * v.y) * w.x + (u.z * v.x - u.x * v.z) * w.y + (u.x * v.y - u.y * v.x) * w.z;
  return sgn(determinant);
}

int OracleOrient2d(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  const mpq_class left = (mpq_class(b.x) - a.x) * (mpq_class(c.y) - a.y);
  const mpq_class right = (mpq_class(b.y) - a.y) * (mpq_class(c.x) - a.x);
  return sgn(mpq_class(left - right));
}

Vec3d LatticePoint(Random& random) {
  const auto coordinate = [&] { return 0.125 * (random.Below(9) - 4); };
  return {coordinate(), coordinate(), coordinate()};
}

// Up to two units in the last place off along each axis.
Vec3d Nudged(const Vec3d& p, Random& random) {
  const auto nudge = [&](double c) { return c + (random.Below(5) - 2) * std::ldexp(1.0, -55); };
  return {nudge(p.x), nudge(p.y), nudge(p.z)};
}

// A point near the plane of three others, often in it.
Vec3d NearPlane(const Vec3d& a, const Vec3d& b, const Vec3d& c, Random& random) {
  const double s = random.Uniform(-0.3, 0.3), t = random.Uniform(-0.3, 0.3);
  return Nudged(a + s * (b - a) + t * (c - a), random);
}

struct SignCounts {
  int zeros = 0;
  int others = 0;
  void Add(int sign) { ++(sign == 0 ? zeros : others); }
};

TEST(ExactPredicates, Orient3dIsTheRationalSignOnLattices) {
  Random random(RunSeed());
  SignCounts counts;
  for (int i = 0; i < Effort(20000); ++i) {
    const Vec3d a = LatticePoint(random), b = LatticePoint(random), c = LatticePoint(random);
    const Vec3d p = LatticePoint(random);
    const int sign = Orient3d(a, b, c, p);
    ASSERT_EQ(sign, OracleOrient3d(a, b, c, p));
    counts.Add(sign);
  }
  EXPECT_GT(counts.zeros, Effort(500)) << "too few degenerate cases to mean anything";
  EXPECT_GT(counts.others, Effort(5000));
}

TEST(ExactPredicates, Orient3dIsTheRationalSignWithinRoundingOfThePlane) {
  Random random(RunSeed());
  int filter_is_wrong = 0;
  for (int i = 0; i < Effort(20000); ++i) {
    const Vec3d a = random.InCube(0.5), b = random.InCube(0.5), c = random.InCube(0.5);
    const Vec3d p = NearPlane(a, b, c, random);
    const int sign = OracleOrient3d(a, b, c, p);
    ASSERT_EQ(Orient3d(a, b, c, p), sign);
    const double rounded = Dot(Cross(b - a, c - a), p - a);
    if ((rounded > 0) - (rounded < 0) != sign) ++filter_is_wrong;
  }
  EXPECT_GT(filter_is_wrong, Effort(100)) << "plain arithmetic was good enough: too easy";
}

TEST(ExactPredicates, Orient3dIsTheRationalSignDownToTheGrid) {
  Random random(RunSeed());
  for (int i = 0; i < Effort(5000); ++i) {
    const auto coordinate = [&] {
      return RoundToPredicateGrid(random.Sign() * random.LogUniform(std::ldexp(1.0, -358), 1));
    };
    const auto point = [&] { return Vec3d{coordinate(), coordinate(), coordinate()}; };
    const Vec3d a = point(), b = point(), c = point(), p = point();
    ASSERT_EQ(Orient3d(a, b, c, p), OracleOrient3d(a, b, c, p));
    const Vec3d tiny = std::ldexp(1.0, -300) * LatticePoint(random);
    ASSERT_EQ(Orient3d({}, tiny, b, p), OracleOrient3d({}, tiny, b, p));
  }
}

TEST(ExactPredicates, APlaneIsCertainOnlyOfTheRationalSign) {
  Random random(RunSeed());
  int certain = 0, uncertain = 0, rounded_is_wrong = 0;
  for (int i = 0; i < Effort(20000); ++i) {
    const Vec3d a = random.InCube(0.5), b = random.InCube(0.5), c = random.InCube(0.5);
    const Vec3d p = random.OneIn(4) ? random.InCube(1) : NearPlane(a, b, c, random);
    const OrientedPlane plane = PlaneOf(a, b, c);
    const double height = Dot(plane.normal, p - a);
    const int rounded = (height > 0) - (height < 0), sign = OracleOrient3d(a, b, c, p);
    if (std::abs(height) > plane.certain) {
      ASSERT_EQ(rounded, sign);
      ++certain;
    } else {
      ++uncertain;
      rounded_is_wrong += rounded != sign ? 1 : 0;
    }
  }
  EXPECT_GT(certain, Effort(4000)) << "the filter answers too seldom";
  EXPECT_GT(uncertain, Effort(4000));
  EXPECT_GT(rounded_is_wrong, Effort(100)) << "plain arithmetic was good enough: too easy";
}

TEST(ExactPredicates, Orient2dAndCollinearityAreTheRationalSigns) {
  Random random(RunSeed());
  SignCounts counts;
  for (int i = 0; i < Effort(20000); ++i) {
    const Vec3d a = LatticePoint(random), b = LatticePoint(random);
    const Vec3d c = random.OneIn(2) ? LatticePoint(random) : Nudged(a + 0.5 * (b - a), random);
    const int xy = OracleOrient2d({a.x, a.y}, {b.x, b.y}, {c.x, c.y});
    ASSERT_EQ(Orient2d({a.x, a.y}, {b.x, b.y}, {c.x, c.y}), xy);
    const bool is_collinear = xy == 0 && OracleOrient2d({a.y, a.z}, {b.y, b.z}, {c.y, c.z}) == 0 &&
                              OracleOrient2d({a.z, a.x}, {b.z, b.x}, {c.z, c.x}) == 0;
    ASSERT_EQ(AreCollinear(a, b, c), is_collinear);
    counts.Add(is_collinear ? 0 : 1);
  }
  EXPECT_GT(counts.zeros, Effort(100));
}

TEST(ExactPredicates, RoundingToTheGridKeepsWhatIsOnIt) {
  EXPECT_EQ(RoundToPredicateGrid(0.1), 0.1);
  EXPECT_EQ(RoundToPredicateGrid(-1), -1);
  EXPECT_EQ(RoundToPredicateGrid(std::ldexp(1.0, -358)), std::ldexp(1.0, -358));
  EXPECT_EQ(RoundToPredicateGrid(std::ldexp(1.25, -358)), std::ldexp(1.0, -358));
  EXPECT_EQ(RoundToPredicateGrid(std::ldexp(1.0, -400)), 0);
}

}  // namespace
}  // namespace clearance

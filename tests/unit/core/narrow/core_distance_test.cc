// SPDX-License-Identifier: Apache-2.0
//
// The two roads to the distance of cores, on pairs whose distance is known in closed form.

#include "core/narrow/core_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/math/tolerance.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

CoreAnswer SolvedPrecisely(const TestPair& test, const CoreLimits& limits) {
  MinkowskiDifference<Dd> difference(test.pair, test.fine);
  CoreAnswer answer;
  SolvePrecisely(difference, limits, &answer);
  return answer;
}

double Metres(const TestPair& test, const Dd& units) {
  return std::ldexp(ToDouble(units), test.pair.exponent);
}

TEST(SolvePrecisely, SaysSoWhenItsIterationsRunOutAndKeepsTheBracket) {
  const TestPair test(
      Octahedron(), Octahedron(),
      {{3, 1, 0.5},
       {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}});
  CoreLimits limits;
  limits.max_iterations = kMaxIterations;
  const CoreAnswer whole = SolvedPrecisely(test, limits);
  ASSERT_EQ(whole.kind, CoreAnswer::Kind::kSeparated);
  EXPECT_FALSE(whole.hit_iteration_limit);
  ASSERT_GT(whole.iterations, 0U);
  limits.max_iterations = 1;
  const CoreAnswer cut_short = SolvedPrecisely(test, limits);
  EXPECT_EQ(cut_short.kind, CoreAnswer::Kind::kUnknown);
  EXPECT_TRUE(cut_short.hit_iteration_limit);
  EXPECT_LE(cut_short.lower, whole.lower);
  EXPECT_GT(cut_short.upper, whole.upper);
}

// A plate of a ten-trillionth of a micrometre across the diagonal x = y: in double it has no
// thickness at all, so that no polytope can be begun.
TEST(SolvePrecisely, BracketsADepthThatDoublesDoNotSee) {
  const ConvexShapePtr plate = HullOf({{1, 1, 1}, {-1, -1, 1}, {-1, -1, -1}, {1, 1, -1}});
  for (const int exponent : {-62, -75, -88}) {
    const double half = std::ldexp(1, exponent);
    const TestPair test(plate, Cube(half), {{0.25, 0.25, 0.125}, {}});
    CoreLimits limits;
    limits.max_iterations = kMaxIterations;
    limits.wants_depth = true;
    const CoreAnswer answer = SolvedPrecisely(test, limits);
    ASSERT_EQ(answer.kind, CoreAnswer::Kind::kOverlapping);
    const double depth = std::sqrt(2) * half;
    EXPECT_LE(Metres(test, answer.lower), -depth * (1 - 1e-15));
    EXPECT_GE(Metres(test, answer.lower), -2 * depth);
    EXPECT_GE(Metres(test, answer.upper), -depth * (1 + 1e-15));
    EXPECT_LT(Metres(test, answer.upper), 0);
    EXPECT_NEAR(std::fabs(Dot(answer.n_A, {std::sqrt(0.5), -std::sqrt(0.5), 0})), 1, 1e-15);
  }
}

}  // namespace
}  // namespace clearance

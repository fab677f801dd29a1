// SPDX-License-Identifier: Apache-2.0
//
// The iteration on pairs whose distance is known in closed form.

#include "core/narrow/gjk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/math/tolerance.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

GjkLimits Cold() {
  GjkLimits limits;
  limits.max_iterations = kMaxIterations;
  return limits;
}

TEST(Gjk, BracketsTheDistanceOfCubesFaceToFace) {
  const TestPair test(Cube(1), Cube(1), {{5, 0.25, 0.5}, {}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  const GjkResult<double> result = Gjk(difference, {}, Cold());
  EXPECT_EQ(result.end, GjkEnd::kConverged);
  EXPECT_EQ(std::ldexp(result.lower, test.pair.exponent), 3);
  EXPECT_EQ(std::ldexp(result.upper, test.pair.exponent), 3);
}

TEST(Gjk, EndsInATetrahedronWhereShapesOverlap) {
  const TestPair test(Cube(1), Cube(1), {{0.5, 0.3, 0.2}, {}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  const GjkResult<double> result = Gjk(difference, {}, Cold());
  EXPECT_EQ(result.end, GjkEnd::kEnclosed);
  EXPECT_EQ(result.simplex.size, 4);
}

TEST(Gjk, StopsAsSoonAsTheCallerKnowsEnough) {
  const TestPair test(Cube(1), Octahedron(), {{5, 1, 2}, {}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  GjkLimits above = Cold();
  above.stop_above = std::ldexp(1.0, -test.pair.exponent);
  EXPECT_EQ(Gjk(difference, {}, above).end, GjkEnd::kAbove);
  GjkLimits below = Cold();
  below.stop_below = std::ldexp(100.0, -test.pair.exponent);
  EXPECT_EQ(Gjk(difference, {}, below).end, GjkEnd::kBelow);
}

TEST(Gjk, SaysSoWhenItsIterationsRunOut) {
  const TestPair test(
      Octahedron(), Octahedron(),
      {{3, 1, 0.5},
       {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  GjkLimits limits = Cold();
  limits.max_iterations = 1;
  const GjkResult<double> result = Gjk(difference, {}, limits);
  EXPECT_EQ(result.end, GjkEnd::kIterationLimit);
  EXPECT_LT(result.lower, result.upper);
}

TEST(Gjk, SeesEverythingThatASweepCovers) {
  const TestPair test(Cube(1), Cube(1), {{10, 0, 0}, {}});
  Placement<double> swept = test.coarse;
  swept.sweep_A = {std::ldexp(-5.0, -test.pair.exponent), 0, 0};
  MinkowskiDifference<double> difference(test.pair, swept);
  EXPECT_EQ(std::ldexp(Gjk(difference, {}, Cold()).upper, test.pair.exponent), 3);
}

TEST(Gjk, GoesOnFromASimplexThatIsGiven) {
  const TestPair test(Cube(1), Octahedron(), {{4, 0.1, 0.2}, {}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  const GjkResult<double> cold = Gjk(difference, {}, Cold());
  const GjkResult<double> warm = Gjk(difference, cold.simplex, Cold());
  EXPECT_EQ(warm.iterations, 0u);
  EXPECT_EQ(warm.upper, cold.upper);
}

TEST(RoundingError, GrowsWithWhatIsComputedAndNotLessThanThePlacement) {
  const TestPair test(Cube(1), Cube(1), {{5, 0, 0}, {}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  Placement<double> worse = test.coarse;
  worse.error += 1;
  MinkowskiDifference<double> worse_difference(test.pair, worse);
  EXPECT_GT(difference.rounding_error(), 0);
  EXPECT_LT(difference.rounding_error(), 200 * kRoundoff * 8);
  EXPECT_GE(worse_difference.rounding_error(), 1);
}

}  // namespace
}  // namespace clearance

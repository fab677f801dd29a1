// SPDX-License-Identifier: Apache-2.0
//
// What a bracket proves, by hand: a state needs the whole bracket on its side.

#include "core/query/pair_solver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

TEST(Classify, SaysTheSideOfZeroThatTheBracketIsOn) {
  EXPECT_EQ(Classify({0x1p-1074, 9}, 10, false).state, State::kSeparated);
  EXPECT_EQ(Classify({-9, -0x1p-1074}, 10, false).state, State::kPenetrating);
}

TEST(Classify, BracketAroundZero_WithinTolerance_IsTouching) {
  EXPECT_EQ(Classify({-0.5, 0.5}, 0.5, false).state, State::kTouching);
  EXPECT_EQ(Classify({0, 0}, 0, false).state, State::kTouching);
  EXPECT_EQ(Classify({-0.75, 0.5}, 0.5, false).state, State::kUndecided);
  EXPECT_EQ(Classify({-0.5, 0.75}, 0.5, false).state, State::kUndecided);
  EXPECT_EQ(Classify({-0.5, 0.5}, 0.5, true).state, State::kTouching) << "however it came about";
}

TEST(Classify, SaysWhyNothingIsDecided) {
  EXPECT_EQ(Classify({-1, 1}, 0.5, false).reason, UndecidedReason::kPrecision);
  EXPECT_EQ(Classify({-1, 1}, 0.5, true).reason, UndecidedReason::kIterations);
  EXPECT_EQ(Classify({1, 2}, 0.5, true).reason, UndecidedReason::kNone);
}

TEST(LeastToleranceInUnits, IsTheLeastToleranceScaledUp) {
  for (const int power : {-1022, -900, -60, -1, 0, 1, 30, 51, 52, 53, 60, 900, 1020}) {
    const auto ball = Sphere(std::ldexp(1.0, power));
    const CenteredPair centered({*ball, {}}, {*ball, {}});
    EXPECT_EQ(LeastToleranceInUnits(centered.pair), ScaleUp(kMinTolerance, -centered.pair.exponent))
        << power;
  }
}

TEST(BodyBracket, IsTheCoresLessTheRadiiInMetres) {
  const auto ball = Sphere(3);
  const PosedShape a = {*ball, {}}, b = {*ball, At(16, 0, 0)};
  const CenteredPair centered(a, b);
  const ShapePair& pair = centered.pair;
  const double unit = std::ldexp(1.0, pair.exponent);
  CoreAnswer core;
  core.lower = 15 / unit;
  core.upper = 17 / unit;
  const Bracket bracket = BodyBracket(pair, core);
  EXPECT_LE(bracket.lower, 9);
  EXPECT_GE(bracket.upper, 11);
  EXPECT_NEAR(bracket.lower, 9, 1e-14);
  EXPECT_NEAR(bracket.upper, 11, 1e-14);
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// What may be concluded from an answer: the table over all states, and the validity of a verdict
// under motion against closed forms.
#include "clearance/proof.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace clearance::client {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

DistanceResult Row(State state, double lower, double upper) {
  DistanceResult result;
  result.count = 1;
  result.states = {state};
  result.lower_bounds = {lower};
  result.upper_bounds = {upper};
  return result;
}

struct FreeRow {
  const char* name;
  State state;
  double lower;
  double margin;
  bool expected;
};

TEST(ProvedFree, HoldsTheTableOverAllStatesAndMargins) {
  const std::vector<FreeRow> rows = {
      {"separated", State::kSeparated, 0.5, 0, true},
      {"separated beyond the margin", State::kSeparated, 0.5, 0.25, true},
      {"separated by just the margin", State::kSeparated, 0.5, 0.5, false},
      {"separated within the margin", State::kSeparated, 0.5, 0.75, false},
      {"separated, negative margin", State::kSeparated, 0.5, -1, true},
      {"separated, margin NaN", State::kSeparated, 0.5, kNan, false},
      {"separated, lower NaN", State::kSeparated, kNan, 0, false},
      {"separated, lower 0", State::kSeparated, 0, -1, false},
      {"beyond", State::kBeyond, 2, 1, true},
      {"beyond by just the margin", State::kBeyond, 2, 2, false},
      {"beyond 0", State::kBeyond, 0, 0, false},
      {"touching", State::kTouching, -1e-12, -1, false},
      {"touching with a false bound", State::kTouching, 1, 0, false},
      {"penetrating", State::kPenetrating, -0.1, -1, false},
      {"penetrating with a false bound", State::kPenetrating, 1, 0, false},
      {"undecided", State::kUndecided, 1, 0, false},
      {"undecided, negative margin", State::kUndecided, -0.1, -1, false},
      {"refused", State::kRefused, 1, -1, false},
      {"unspecified", State::kUnspecified, 1, -1, false},
      {"a state of the future", static_cast<State>(7), 1, -1, false},
  };
  for (const FreeRow& row : rows) {
    const DistanceResult distance = Row(row.state, row.lower, kInfinity);
    EXPECT_EQ(ProvedFree(distance, 0, row.margin), row.expected) << row.name;
    IntersectionResult intersection;
    intersection.states = distance.states;
    intersection.lower_bounds = distance.lower_bounds;
    EXPECT_EQ(ProvedFree(intersection, 0, row.margin), row.expected) << row.name;
  }
}

TEST(ProvedFree, WithoutBoundsProvesOnlySeparatedWithoutMargin) {
  IntersectionResult result;
  result.states = {State::kSeparated, State::kBeyond, State::kTouching};
  EXPECT_TRUE(ProvedFree(result, 0));
  EXPECT_TRUE(ProvedFree(result, 0, -1));
  EXPECT_FALSE(ProvedFree(result, 0, 1e-300));
  EXPECT_FALSE(ProvedFree(result, 0, kNan));
  EXPECT_FALSE(ProvedFree(result, 1));
  EXPECT_FALSE(ProvedFree(result, 2, -1));
}

TEST(ProvedFree, IsFalseOfARowThatDoesNotExist) {
  EXPECT_FALSE(ProvedFree(Row(State::kSeparated, 1, 1), 1));
  EXPECT_FALSE(ProvedFree(TimeOfCollisionResult{}, 0));
}

TEST(ProvedFree, OfAMotionIsTrueOfFreeOnly) {
  TimeOfCollisionResult result;
  for (int number = 0; number <= 7; ++number) {
    result.states = {static_cast<MotionState>(number)};
    EXPECT_EQ(ProvedFree(result, 0), number == 1) << number;
  }
}

TEST(LargestDisplacement, IsTheClosedFormRoundedUp) {
  // Half a turn carries a point on the rim across the diameter, a sixth of a turn as far as the
  // radius.
  EXPECT_EQ(LargestDisplacement({}), 0);
  EXPECT_NEAR(LargestDisplacement({.rotation = kPi, .bounding_radius = 2}), 4, 1e-12);
  EXPECT_NEAR(LargestDisplacement({.rotation = -kPi / 3, .bounding_radius = 2}), 2, 1e-12);
  EXPECT_NEAR(LargestDisplacement({.translation = -3, .rotation = 7, .bounding_radius = 2}), 7,
              1e-12);
  EXPECT_GT(LargestDisplacement({.translation = 1, .rotation = kPi, .bounding_radius = 1}), 3);
}

TEST(FreeMotionRadius, IsTheBoundThatMakesTheVerdict) {
  EXPECT_EQ(FreeMotionRadius(Row(State::kSeparated, 0.5, 0.6), 0), 0.5);
  EXPECT_EQ(FreeMotionRadius(Row(State::kBeyond, 2, kInfinity), 0), 2);
  EXPECT_EQ(FreeMotionRadius(Row(State::kPenetrating, -0.5, -0.25), 0), 0.25);
  EXPECT_EQ(FreeMotionRadius(Row(State::kTouching, -1, 1), 0), 0);
  EXPECT_EQ(FreeMotionRadius(Row(State::kUndecided, 0.5, 1), 0), 0);
  EXPECT_EQ(FreeMotionRadius(Row(State::kRefused, 1, 1), 0), 0);
  EXPECT_EQ(FreeMotionRadius(Row(State::kSeparated, 0.5, 0.6), 1), 0);
}

TEST(StillHolds, EndsWhereTheDisplacementsReachTheBound) {
  const DistanceResult apart = Row(State::kSeparated, 1, 1);
  EXPECT_TRUE(StillHolds(apart, 0, {.translation = 0.5}, {.translation = 0.499}));
  EXPECT_FALSE(StillHolds(apart, 0, {.translation = 0.5}, {.translation = 0.5}));
  EXPECT_TRUE(StillHolds(apart, 0, {.rotation = kPi, .bounding_radius = 0.499}, {}));
  EXPECT_FALSE(StillHolds(apart, 0, {.rotation = kPi, .bounding_radius = 0.5}, {}));
  EXPECT_FALSE(StillHolds(apart, 0, {.translation = kNan}, {}));
  EXPECT_FALSE(StillHolds(apart, 0, {.rotation = kNan, .bounding_radius = 1}, {}));
  EXPECT_FALSE(StillHolds(Row(State::kUndecided, 1, 1), 0, {}, {}));
}

}  // namespace
}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// Contacts that are known by construction, finer than any bracket of the solver.

#include "core/query/exact_decision.h"

#include <gtest/gtest.h>

#include <variant>

#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

struct Decision {
  Classification verdict;
  Bracket bracket;
};

// What becomes of a state and the bracket [-1, 1].
Decision Decide(const PosedShape& a, const PosedShape& b, const Classification& verdict) {
  Decision decision = {verdict, {-1, 1}};
  DecideAtZero(a, b, &decision.verdict, &decision.bracket);
  return decision;
}

constexpr Classification kOpen = {State::kUndecided, UndecidedReason::kPrecision};

TEST(DecideAtZero, DecidesWhatIsUndecidedAndWhatTouches) {
  const auto box = Box(1, 1, 1);
  for (const Classification& verdict : {kOpen, Classification{State::kTouching}}) {
    const Decision touching = Decide({*box, {}}, {*box, At(2, 0, 0)}, verdict);
    EXPECT_EQ(touching.verdict.state, State::kTouching);
    EXPECT_EQ(touching.verdict.reason, UndecidedReason::kNone);
    EXPECT_EQ(touching.bracket.lower, 0);
    EXPECT_EQ(touching.bracket.upper, 0);
    const Decision apart = Decide({*box, {}}, {*box, At(2 + 0x1p-51, 0, 0)}, verdict);
    EXPECT_EQ(apart.verdict.state, State::kSeparated);
    EXPECT_GT(apart.bracket.lower, 0);
    EXPECT_LE(apart.bracket.upper, 1);
    const Decision deep = Decide({*box, {}}, {*box, At(1.5, 0, 0)}, verdict);
    EXPECT_EQ(deep.verdict.state, State::kPenetrating);
    EXPECT_EQ(deep.bracket.lower, -1) << "nothing is known of the depth";
    EXPECT_LT(deep.bracket.upper, 0);
  }
}

TEST(DecideAtZero, LeavesWhatIsDecidedAndWhatIsCurved) {
  const auto box = Box(1, 1, 1);
  const Decision decided = Decide({*box, {}}, {*box, At(2, 0, 0)}, {State::kSeparated});
  EXPECT_EQ(decided.verdict.state, State::kSeparated);
  EXPECT_EQ(decided.bracket.lower, -1);
  const auto cylinder = std::get<ConvexShapePtr>(MakeCylinder(1, 1, 0));
  const Decision curved = Decide({*box, {}}, {*cylinder, At(2, 0, 0)}, kOpen);
  EXPECT_EQ(curved.verdict.state, State::kUndecided);
  EXPECT_EQ(curved.verdict.reason, UndecidedReason::kPrecision);
  EXPECT_EQ(curved.bracket.lower, -1);
  EXPECT_EQ(curved.bracket.upper, 1);
}

// Two balls whose centres are sqrt(3^2 + 4^2 + 1e-80) apart: by 1e-81 farther than 5, which is
// below what double-double resolves.
TEST(DecideAtZero, SeesMoreThanTheBracketOfTheSolver) {
  const auto ball = Sphere(2.5);
  const Pose beside = At(3, 4, 1e-40);
  EXPECT_EQ(Distance({*ball, {}}, {*ball, beside}, {}).state, State::kTouching);
  const DistanceAnswer apart = Distance({*ball, {}}, {*ball, beside}, {.exact = true});
  EXPECT_EQ(apart.state, State::kSeparated);
  EXPECT_GT(apart.bracket.lower, 0);
  EXPECT_NEAR(apart.bracket.upper, 1e-81, 1e-90);
  // The radii of one are 2.5 and 1e-60 together.
  const auto larger = std::get<ConvexShapePtr>(MakeSphere(2.5, 1e-60));
  const Pose touching = At(3, 4, 0);
  EXPECT_EQ(Distance({*ball, {}}, {*larger, touching}, {}).state, State::kTouching);
  const DistanceAnswer deep = Distance({*ball, {}}, {*larger, touching}, {.exact = true});
  EXPECT_EQ(deep.state, State::kPenetrating);
  EXPECT_LE(deep.bracket.lower, -1e-60);
  EXPECT_LT(deep.bracket.upper, 0);
}

}  // namespace
}  // namespace clearance

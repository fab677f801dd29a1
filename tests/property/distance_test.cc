// SPDX-License-Identifier: Apache-2.0
//
// Distance against the exact oracle over every family of pairs, and its options against its own
// full answer.
#include "core/query/distance.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/generators.h"

namespace clearance::testing {
namespace {

constexpr int kPairsPerFamily = 600;
constexpr int kLargePairs = 60;  // of 64 to 1000 vertices, where the oracle takes its time

int PairsOf(Family family) {
  return Effort(family == Family::kEllipsoids ? kLargePairs : kPairsPerFamily);
}

DistanceAnswer Ask(const CheckedPair& pair, const DistanceOptions& options = {}) {
  return Distance(pair.PosedA(), pair.PosedB(), options);
}

class DistanceOfFamily : public ::testing::TestWithParam<int> {
 protected:
  DistanceOfFamily() : random_(RunSeed() * kFamilyCount + GetParam()) {}

  Family family() const { return static_cast<Family>(GetParam()); }
  CheckedPair Next() { return CheckedPair(Generate(family(), random_)); }

  Random random_;
};

INSTANTIATE_TEST_SUITE_P(All, DistanceOfFamily, ::testing::Range(0, kFamilyCount),
                         [](const auto& family) {
                           return Name(static_cast<Family>(family.param));
                         });

TEST_P(DistanceOfFamily, IsBracketedByTheExactDistanceAndProvesItself) {
  std::array<int, 6> states = {};
  int unsure = 0;  // TOUCHING though the exact sign is not 0: allowed within rounding, and rare
  for (int i = 0; i < PairsOf(family()); ++i) {
    const CheckedPair pair = Next();
    const DistanceAnswer answer = Ask(pair);
    ++states[static_cast<std::size_t>(answer.state)];
    ASSERT_EQ(FindFault(pair, answer), "") << Describe(pair.bodies);
    ASSERT_NE(answer.state, State::kUndecided) << Describe(pair.bodies);
    unsure += answer.state == State::kTouching && pair.truth.Sign() != 0 ? 1 : 0;
  }
  std::printf("separated %d touching %d (unsure %d) penetrating %d\n", states[1], states[2], unsure,
              states[3]);
  EXPECT_LE(100 * unsure, PairsOf(family()));
  if (family() != Family::kTwins) {
    EXPECT_GE(20 * states[1], PairsOf(family())) << "hardly any separated";
  }
  EXPECT_GE(20 * (states[2] + states[3]), PairsOf(family()))
      << "hardly any touching or penetrating";
}

TEST_P(DistanceOfFamily, BracketsTheDepthThatBruteForceFinds) {
  const int wanted = Effort(10);
  int known = 0;
  for (int i = 0; i < 100 * wanted && known < wanted; ++i) {
    CheckedPair pair = Next();
    if (pair.truth.relation != CoreRelation::kInside) continue;
    pair.truth = ComputeExactSignedDistance(pair.exact);
    known += pair.truth.is_depth_known ? 1 : 0;
    ASSERT_EQ(FindFault(pair, Ask(pair)), "") << Describe(pair.bodies);
  }
  EXPECT_EQ(known, family() == Family::kEllipsoids ? 0 : wanted);
}

TEST_P(DistanceOfFamily, IsBeyondExactlyWhereTheFullAnswerIs) {
  int beyond = 0;
  int near = 0;
  for (int i = 0; i < PairsOf(family()) / 2; ++i) {
    const CheckedPair pair = Next();
    const DistanceAnswer full = Ask(pair);
    const double limit = full.state == State::kSeparated && random_.OneIn(2)
                             ? full.distance * random_.Uniform(0, 2)
                             : random_.LogUniform(1e-9, 10);
    const DistanceAnswer answer = Ask(pair, {.max_distance = limit, .tolerance = 0});
    const std::string context = Describe(pair.bodies) + " max_distance " + std::to_string(limit);
    if (answer.state == State::kBeyond) {
      ++beyond;
      ASSERT_EQ(answer.bracket.lower, limit) << context;
      ASSERT_GT(full.bracket.upper, limit) << context;
    } else {
      ++near;
      ASSERT_LE(full.bracket.lower, limit) << context;
      ASSERT_EQ(answer.state, full.state) << context;
      ASSERT_EQ(answer.bracket.lower, full.bracket.lower) << context;
      ASSERT_EQ(answer.bracket.upper, full.bracket.upper) << context;
      ASSERT_EQ(answer.p_WB, full.p_WB) << context;
    }
    ASSERT_EQ(FindBracketFault(pair.truth, answer.state, answer.bracket), "") << context;
  }
  EXPECT_GE(beyond, family() == Family::kTwins ? 0 : 1);
  EXPECT_GT(near, 0);
}

TEST_P(DistanceOfFamily, HoldsTheTruthWithALoosenedTolerance) {
  for (int i = 0; i < PairsOf(family()) / 4; ++i) {
    const CheckedPair pair = Next();
    const double tolerance = random_.LogUniform(1e-12, 10);
    const DistanceAnswer answer = Ask(pair, {.tolerance = tolerance});
    const std::string context = Describe(pair.bodies) + " tolerance " + std::to_string(tolerance);
    ASSERT_EQ(FindBracketFault(pair.truth, answer.state, answer.bracket), "") << context;
    ASSERT_NE(answer.state, State::kUndecided) << context;
    if (answer.state != State::kSeparated) continue;
    const double width = answer.bracket.upper - answer.bracket.lower;
    ASSERT_LE(width, std::max(tolerance, answer.tolerance)) << context;
  }
}

TEST_P(DistanceOfFamily, GivesTheSameBitsTwice) {
  for (int i = 0; i < PairsOf(family()) / 10; ++i) {
    const CheckedPair pair = Next();
    const DistanceAnswer first = Ask(pair);
    const DistanceAnswer again = Ask(CheckedPair(pair.bodies));
    ASSERT_EQ(std::memcmp(&first.bracket, &again.bracket, sizeof(Bracket)), 0);
    ASSERT_TRUE(first.p_WA == again.p_WA && first.p_WB == again.p_WB && first.n_AB == again.n_AB);
    ASSERT_EQ(first.iterations, again.iterations);
  }
}

}  // namespace
}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
#include "server/observe/batch_tally.h"

#include <gtest/gtest.h>

#include <numeric>

namespace clearance::server {
namespace {

DistanceAnswer Separated(double width, double tolerance, std::uint32_t iterations) {
  DistanceAnswer answer;
  answer.state = State::kSeparated;
  answer.bracket = {1, 1 + width};
  answer.tolerance = tolerance;
  answer.iterations = iterations;
  return answer;
}

template <class Counts>
std::uint32_t Total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0U);
}

TEST(BatchTally, CountsStatesAndReasonsByTheirNumbers) {
  BatchTally tally(QueryKind::kDistance);
  tally.Add(Separated(0.5, 1, 3));
  DistanceAnswer stuck;
  stuck.reason = UndecidedReason::kPrecision;
  stuck.tolerance = 1;
  tally.Add(stuck);
  tally.AddRefused();
  tally.AddNotReached();

  EXPECT_EQ(tally.states()[1], 1);
  EXPECT_EQ(tally.states()[5], 2);
  EXPECT_EQ(tally.undecided()[1], 1);
  EXPECT_EQ(tally.undecided()[3], 1);
  EXPECT_EQ(tally.refused(), 1);
  EXPECT_EQ(tally.rows(), 4);
}

TEST(BatchTally, CountsAnUndecidedTimeOfCollisionUnderItsOwnNumber) {
  BatchTally tally(QueryKind::kTimeOfCollision);
  TimeOfCollisionAnswer stuck;
  stuck.reason = UndecidedReason::kIterations;
  tally.Add(stuck);
  tally.AddNotReached();
  EXPECT_EQ(tally.states()[4], 2);
  EXPECT_EQ(tally.undecided()[2], 1);
  EXPECT_EQ(tally.undecided()[1], 1);
}

TEST(BatchTally, PutsAValueOnABoundIntoTheBucketBelow) {
  BatchTally tally(QueryKind::kIntersection);
  for (const std::uint32_t iterations : {1, 2, 5, 6, 20000}) {
    IntersectionAnswer answer;
    answer.state = State::kTouching;
    answer.iterations = iterations;
    tally.Add(answer);
  }
  EXPECT_EQ(tally.iterations().counts[0], 1);
  EXPECT_EQ(tally.iterations().counts[1], 1);
  EXPECT_EQ(tally.iterations().counts[4], 2);  // 4 < n <= 6
  EXPECT_EQ(tally.iterations().counts.back(), 1);
  EXPECT_EQ(tally.iterations().sum, 1 + 2 + 5 + 6 + 20000);
}

TEST(BatchTally, MeasuresABracketInTolerances) {
  BatchTally tally(QueryKind::kDistance);
  tally.Add(Separated(0.5, 1, 1));
  tally.Add(Separated(3, 2, 1));
  EXPECT_EQ(tally.bracket_ratios().counts[4], 1);
  EXPECT_EQ(tally.bracket_ratios().counts[7], 1);
  EXPECT_EQ(tally.bracket_ratios().sum, 0.5 + 1.5);
}

TEST(BatchTally, LeavesOutBracketsThatWereNotToBeNarrow) {
  BatchTally tally(QueryKind::kDistance);
  for (const State state : {State::kBeyond, State::kPenetrating}) {
    DistanceAnswer answer = Separated(5, 1, 1);
    answer.state = state;
    tally.Add(answer);
  }
  EXPECT_EQ(Total(tally.bracket_ratios().counts), 0);
}

TEST(BatchTally, SumIsFiniteForZeroToleranceAndOpenBracket) {
  BatchTally tally(QueryKind::kDistance);
  tally.Add(Separated(0, 0, 1));
  tally.Add(Separated(1, 0, 1));
  tally.Add(DistanceAnswer());
  EXPECT_EQ(tally.bracket_ratios().counts.front(), 1);
  EXPECT_EQ(tally.bracket_ratios().counts.back(), 2);
  EXPECT_LT(tally.bracket_ratios().sum, 1e7);
}

TEST(BatchTally, MergesChunksIntoWhatOneTallyWouldHaveCounted) {
  BatchTally whole(QueryKind::kDistance);
  BatchTally first(QueryKind::kDistance);
  BatchTally second(QueryKind::kDistance);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const DistanceAnswer answer = Separated(i, 16, i);
    whole.Add(answer);
    (i % 3 == 0 ? first : second).Add(answer);
  }
  whole.AddRefused();
  second.AddRefused();
  first.Merge(second);
  EXPECT_EQ(first.rows(), whole.rows());
  EXPECT_EQ(first.states(), whole.states());
  EXPECT_EQ(first.undecided(), whole.undecided());
  EXPECT_EQ(first.iterations().counts, whole.iterations().counts);
  EXPECT_EQ(first.iterations().sum, whole.iterations().sum);
  EXPECT_EQ(first.bracket_ratios().counts, whole.bracket_ratios().counts);
  EXPECT_EQ(first.bracket_ratios().sum, whole.bracket_ratios().sum);
}

}  // namespace
}  // namespace clearance::server

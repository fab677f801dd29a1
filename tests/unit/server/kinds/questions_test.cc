// SPDX-License-Identifier: Apache-2.0
//
// The tests of the service see every refusal; here is how columns that are accepted are read.

#include <gtest/gtest.h>

#include <limits>

#include "server/convert/batch_form.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

v1::DistanceBatch TwoRows() {
  v1::DistanceBatch batch;
  batch.mutable_pairs()->set_count(2);
  return batch;
}

TEST(Questions, AbsentColumnsAreTheirDefaults) {
  const v1::DistanceBatch batch = TwoRows();
  const auto questions = ParseQuestions<DistanceKind>(batch, {});
  ASSERT_TRUE(questions.ok());
  EXPECT_EQ(*questions->pairs.slots_a.at(1), 0u);
  EXPECT_EQ(*questions->pairs.slots_b.at(1), 1u);
  EXPECT_EQ(questions->pairs.poses_a.at(1)[0], 0);
  EXPECT_EQ(questions->pairs.poses_a.at(1)[6], 1);
  EXPECT_EQ(*questions->max_distances.at(1), std::numeric_limits<double>::infinity());
}

TEST(Questions, AColumnOfOneRowStandsForAll) {
  v1::DistanceBatch batch = TwoRows();
  batch.add_max_distances(3);
  const auto questions = ParseQuestions<DistanceKind>(batch, {});
  ASSERT_TRUE(questions.ok());
  EXPECT_EQ(questions->max_distances.at(1), batch.max_distances().data());
}

TEST(Questions, AFullColumnIsReadWhereItLies) {
  v1::DistanceBatch batch = TwoRows();
  for (int i = 0; i < 14; ++i) batch.mutable_pairs()->add_poses_b(i);
  const auto questions = ParseQuestions<DistanceKind>(batch, {});
  ASSERT_TRUE(questions.ok());
  EXPECT_EQ(questions->pairs.poses_b.at(1), batch.pairs().poses_b().data() + 7);
}

TEST(Questions, LeaveNoContactOutUnlessASeparationIsSet) {
  v1::DistanceBatch batch = TwoRows();
  EXPECT_EQ(ParseQuestions<DistanceKind>(batch, {})->max_contact_separation,
            std::numeric_limits<double>::infinity());
  batch.set_max_contact_separation(0);
  EXPECT_EQ(ParseQuestions<DistanceKind>(batch, {})->max_contact_separation, 0);
}

TEST(Questions, MotionsWithoutAPivotTurnAboutTheShapesOrigin) {
  v1::TimeOfCollisionBatch batch;
  batch.mutable_pairs()->set_count(1);
  const auto questions = ParseQuestions<TimeOfCollisionKind>(batch, {});
  ASSERT_TRUE(questions.ok());
  EXPECT_EQ(questions->motions_a.pivots.data, nullptr);
  EXPECT_EQ(questions->motions_a.end_poses.data, nullptr);
  EXPECT_EQ(questions->motions_a.displacements.at(0)[2], 0);
  EXPECT_EQ(*questions->target_distances.at(0), 0);
}

TEST(TimeBudget, IsInfiniteWhereNoneIsSetAndZeroWhereZeroIs) {
  v1::BatchOptions options;
  EXPECT_EQ(TimeBudgetOf(options), absl::InfiniteDuration());
  options.mutable_time_budget();
  EXPECT_EQ(TimeBudgetOf(options), absl::ZeroDuration());
  options.mutable_time_budget()->set_seconds(1);
  options.mutable_time_budget()->set_nanos(500'000'000);
  EXPECT_EQ(TimeBudgetOf(options), absl::Milliseconds(1500));
}

TEST(MaxReplyBytes, IsWhatBothSidesAccept) {
  Limits limits;
  limits.max_reply_bytes = 10'000'000;
  v1::BatchOptions options;
  EXPECT_EQ(MaxReplyBytesOf(options, limits), 4'194'304u);
  options.set_max_reply_bytes(5'000);
  EXPECT_EQ(MaxReplyBytesOf(options, limits), 5'000u);
  options.set_max_reply_bytes(50'000'000);
  EXPECT_EQ(MaxReplyBytesOf(options, limits), 10'000'000u);
}

}  // namespace
}  // namespace clearance::server

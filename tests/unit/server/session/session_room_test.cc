// SPDX-License-Identifier: Apache-2.0
#include "server/session/session_room.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "server/guard/refusal.h"
#include "server/observe/metrics.h"

namespace clearance::server {
namespace {

using Use = SessionRoom::Use;
constexpr std::uint64_t kOwn = SessionRoom::kOwn;

class SessionRoomTest : public testing::Test {
 protected:
  double Shown() { return metrics_.total_session_bytes().Value(); }

  Metrics metrics_{"test"};
  ShareLedger all_{kSessionBytes, 1000, &metrics_.total_session_bytes()};
};

TEST_F(SessionRoomTest, ASessionHasSomeOfItsOwnWhateverOthersHold) {
  SessionRoom greedy(&all_, "a");
  ASSERT_TRUE(greedy.Resize(Use::kSlots, kOwn + 500));
  EXPECT_EQ(Shown(), 500);
  SessionRoom another(&all_, "a");
  EXPECT_TRUE(another.Resize(Use::kSlots, kOwn));
  EXPECT_FALSE(another.Resize(Use::kQueryBodies, 1));
  EXPECT_EQ(Shown(), 500);
}

TEST_F(SessionRoomTest, UsesAreCountedTogetherAndWhatShrinksMakesRoom) {
  SessionRoom room(&all_, "a");
  ASSERT_TRUE(room.Resize(Use::kSlots, kOwn));
  ASSERT_TRUE(room.Resize(Use::kQueryBodies, 300));
  ASSERT_TRUE(room.Resize(Use::kWarmRows, 200));
  EXPECT_EQ(Shown(), 500);
  EXPECT_FALSE(room.Resize(Use::kWarmRows, 201));
  ASSERT_TRUE(room.Resize(Use::kSlots, kOwn - 400));
  EXPECT_EQ(Shown(), 100);
  ASSERT_TRUE(room.Resize(Use::kWarmRows, 600));
  EXPECT_EQ(Shown(), 500);
}

TEST_F(SessionRoomTest, TheRefusalNamesTheLimitAndSaysWhenToRepeat) {
  SessionRoom room(&all_, "a");
  ASSERT_TRUE(room.Resize(Use::kQueryBodies, 100));
  const absl::Status status = room.Require(Use::kSlots, kOwn + 401, "slot");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  const v1::Error error = ErrorOf(status);
  EXPECT_EQ(error.field(), "slot");
  EXPECT_EQ(error.value(), "501 of one caller, 501 of all");
  EXPECT_EQ(error.limit(),
            "max_total_session_bytes <= 1000, and of one caller what the others leave free");
  EXPECT_TRUE(error.has_retry_after());
  EXPECT_TRUE(room.Require(Use::kSlots, kOwn + 400, "slot").ok());
}

TEST_F(SessionRoomTest, TheEndGivesAllBack) {
  {
    SessionRoom room(&all_, "a");
    ASSERT_TRUE(room.Resize(Use::kSlots, kOwn + 500));
  }
  EXPECT_EQ(Shown(), 0);
}

TEST_F(SessionRoomTest, WithoutABudgetNothingIsRefused) {
  SessionRoom room(nullptr, "a");
  EXPECT_TRUE(room.Require(Use::kSlots, std::uint64_t{1} << 40, "slot").ok());
}

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// What is kept of which row, and what is not given back.

#include "server/engine/warm_rows.h"

#include <gtest/gtest.h>

namespace clearance::server {
namespace {

// Ended with vertices 10, 11, … of A and 20, 21, … of B.
DistanceAnswer Ended(State state, int size) {
  DistanceAnswer answer;
  answer.state = state;
  answer.witness.size = size;
  for (int i = 0; i < size; ++i) {
    answer.witness.vertices_a[i] = static_cast<VertexIndex>(10 + i);
    answer.witness.vertices_b[i] = static_cast<VertexIndex>(20 + i);
  }
  return answer;
}

TEST(WarmRows, GiveBackWhatARowEndedWith) {
  WarmRows rows;
  rows.Keep({7, 1, 2}, Ended(State::kSeparated, 3));
  Witness start;
  ASSERT_TRUE(rows.Find({7, 1, 2}, &start));
  EXPECT_EQ(start.size, 3);
  EXPECT_EQ(start.vertices_a[2], 12);
  EXPECT_EQ(start.vertices_b[0], 20);
  rows.Keep({7, 1, 2}, Ended(State::kSeparated, 1));
  ASSERT_TRUE(rows.Find({7, 1, 2}, &start));
  EXPECT_EQ(start.size, 1);
}

TEST(WarmRows, KnowNothingOfOtherRowsAndOtherSlots) {
  WarmRows rows;
  rows.Keep({7, 1, 2}, Ended(State::kSeparated, 3));
  Witness start;
  EXPECT_FALSE(rows.Find({6, 1, 2}, &start));
  EXPECT_FALSE(rows.Find({8, 1, 2}, &start));
  EXPECT_FALSE(rows.Find({7, 2, 1}, &start));
  EXPECT_FALSE(rows.Find({7, 1, 1}, &start));
  EXPECT_FALSE(rows.Find({7, 0, 2}, &start));
  EXPECT_EQ(start.size, 0) << "written although nothing is known";
}

TEST(WarmRows, KeepNoOverlapNorWhatIsTooFarAway) {
  WarmRows rows;
  Witness start;
  for (const State state : {State::kPenetrating, State::kTouching, State::kBeyond}) {
    rows.Keep({0, 1, 2}, Ended(State::kSeparated, 3));
    rows.Keep({0, 1, 2}, Ended(state, 4));
    EXPECT_FALSE(rows.Find({0, 1, 2}, &start));
  }
}

TEST(WarmRows, TakeNoMoreThanWasSaidWhateverTheyGrowBy) {
  WarmRows rows;
  for (const std::uint32_t count : {1u, 3u, 1000u, 1025u, 16'383u, 16'384u, 100'000u}) {
    const std::size_t said = rows.byte_size_with(count);
    rows.Reserve(count);
    EXPECT_EQ(rows.byte_size(), said) << count;
  }
  EXPECT_EQ(rows.byte_size_with(1), rows.byte_size());
  EXPECT_LT(rows.byte_size(), 750'000u);
}

TEST(WarmRows, ForgetAll) {
  WarmRows rows;
  rows.Keep({0, 1, 2}, Ended(State::kSeparated, 3));
  rows.Forget();
  Witness start;
  EXPECT_FALSE(rows.Find({0, 1, 2}, &start));
}

TEST(WarmRows, AreBoundedWhateverTheBatch) {
  WarmRows rows;
  rows.Keep({WarmRows::kMostRows - 1, 1, 2}, Ended(State::kSeparated, 4));
  const std::size_t most = rows.byte_size();
  EXPECT_LE(most, 900'000);
  rows.Keep({WarmRows::kMostRows, 1, 2}, Ended(State::kSeparated, 4));
  EXPECT_EQ(rows.byte_size(), most);
  Witness start;
  EXPECT_TRUE(rows.Find({WarmRows::kMostRows - 1, 1, 2}, &start));
  EXPECT_FALSE(rows.Find({WarmRows::kMostRows, 1, 2}, &start));
}

TEST(WarmRows, ReserveKeepsWhatIsKnownAndItsBound) {
  WarmRows rows;
  rows.Keep({1, 1, 2}, Ended(State::kSeparated, 3));
  rows.Reserve(10 * WarmRows::kMostRows);
  const std::size_t bytes = rows.byte_size();
  Witness start;
  EXPECT_TRUE(rows.Find({1, 1, 2}, &start));
  EXPECT_FALSE(rows.Find({2, 1, 2}, &start));
  rows.Keep({WarmRows::kMostRows - 1, 1, 2}, Ended(State::kSeparated, 3));
  rows.Keep({WarmRows::kMostRows, 1, 2}, Ended(State::kSeparated, 3));
  EXPECT_EQ(rows.byte_size(), bytes);
}

}  // namespace
}  // namespace clearance::server

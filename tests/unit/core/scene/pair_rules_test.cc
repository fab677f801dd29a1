// SPDX-License-Identifier: Apache-2.0

#include "core/scene/pair_rules.h"

#include <gtest/gtest.h>

#include <vector>

namespace clearance {
namespace {

TEST(PairRules, AreFoundInEitherOrder) {
  const std::vector<PairRule> given = {{9, 2, true, 0}, {2, 5, false, 0.25}, {7, 3, true, 0}};
  const PairRules rules(given);
  ASSERT_NE(rules.Find(2, 9), nullptr);
  EXPECT_TRUE(rules.Find(9, 2)->is_allowed);
  ASSERT_NE(rules.Find(5, 2), nullptr);
  EXPECT_EQ(rules.Find(5, 2)->margin, 0.25);
  EXPECT_EQ(rules.Find(2, 3), nullptr);
  EXPECT_EQ(rules.Find(9, 10), nullptr);
  EXPECT_EQ(rules.Find(9, 1), nullptr);
  EXPECT_EQ(rules.Find(3, 8), nullptr);
  EXPECT_EQ(rules.rules().size(), 3U);
}

TEST(PairRules, OfOnePairTheLastHolds) {
  const std::vector<PairRule> given = {
      {1, 2, false, 0.5}, {2, 1, true, 0}, {3, 4, true, 0}, {4, 3, false, 0.125}};
  const PairRules rules(given);
  EXPECT_EQ(rules.rules().size(), 2U);
  EXPECT_TRUE(rules.Find(1, 2)->is_allowed);
  EXPECT_FALSE(rules.Find(3, 4)->is_allowed);
  EXPECT_EQ(rules.largest_margin(), 0.125);
}

TEST(PairRules, OfNoneFindNothing) {
  EXPECT_EQ(PairRules().Find(1, 2), nullptr);
  EXPECT_EQ(PairRules().largest_margin(), 0);
  EXPECT_EQ(PairRules().byte_size(), 0U);
}

TEST(GroupBits, EnableAPairOnlyBothWays) {
  EXPECT_TRUE(IsEnabled({}, {}));
  EXPECT_TRUE(IsEnabled({1, 2}, {2, 1}));
  EXPECT_FALSE(IsEnabled({1, 1}, {2, 1}));
  EXPECT_FALSE(IsEnabled({1, 2}, {2, 2}));
  EXPECT_FALSE(IsEnabled({1, 0}, {1, ~0U}));
}

}  // namespace
}  // namespace clearance

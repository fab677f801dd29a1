// SPDX-License-Identifier: Apache-2.0
//
// What is counted of whom, and for how long.

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "server/fence/address_bans.h"

namespace clearance::server {
namespace {

TEST(RecentConnections, AreCountedByAddressUntilASecondIsOver) {
  const SteadyTime begin = SteadyNow();
  RecentConnections recent;
  EXPECT_EQ(recent.Add("a", begin), 1);
  EXPECT_EQ(recent.Add("a", begin + absl::Milliseconds(999)), 2);
  EXPECT_EQ(recent.Add("b", begin + absl::Milliseconds(999)), 1);
  EXPECT_EQ(recent.Add("a", begin + absl::Seconds(1)), 1);
  EXPECT_EQ(recent.Add("b", begin + absl::Seconds(1)), 2);
}

TEST(RecentConnections, AreForgottenAfterwards) {
  const SteadyTime begin = SteadyNow();
  RecentConnections recent;
  recent.Add("a", begin);
  recent.Add("b", begin + absl::Milliseconds(500));
  recent.Forget(begin + absl::Seconds(1));
  EXPECT_EQ(recent.size(), 1);
  EXPECT_EQ(recent.Add("b", begin + absl::Seconds(1)), 2);
}

}  // namespace
}  // namespace clearance::server

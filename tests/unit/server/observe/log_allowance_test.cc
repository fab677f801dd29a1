// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "server/observe/log.h"

namespace clearance::server {
namespace {

using testing::Eq;
using testing::Optional;

TEST(LogAllowance, LetsSoManyAnHourThroughAndTellsHowManyItHeldBack) {
  SteadyTime now{absl::Seconds(1000)};
  LogAllowance allowance(2, [&now] { return now; });
  EXPECT_THAT(allowance.Take(), Optional(Eq(0u)));
  EXPECT_THAT(allowance.Take(), Optional(Eq(0u)));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(allowance.Take(), std::nullopt);
  now += absl::Minutes(59);
  EXPECT_EQ(allowance.Take(), std::nullopt);
  now += absl::Minutes(1);
  EXPECT_THAT(allowance.Take(), Optional(Eq(6u)));
  EXPECT_THAT(allowance.Take(), Optional(Eq(0u)));
  EXPECT_EQ(allowance.Take(), std::nullopt);
}

TEST(LogAllowance, CountsRightFromManyThreads) {
  const SteadyTime now{absl::Seconds(1000)};
  LogAllowance allowance(10, [now] { return now; });
  std::vector<int> taken(4);
  std::vector<std::thread> threads;
  for (int& own : taken) {
    threads.emplace_back([&allowance, &own] {
      for (int i = 0; i < 1000; ++i) own += allowance.Take() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken[0] + taken[1] + taken[2] + taken[3], 10);
}

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/guard/quota.h"

namespace clearance::server {
namespace {

class Account : public ::testing::Test {
 protected:
  SteadyTime now_{absl::Hours(1)};
  PrincipalUsage usage_{[this] { return now_; }};
};

TEST_F(Account, IsEvenUntilMoreIsTakenThanComesInInOneSecond) {
  EXPECT_EQ(usage_.TimeUntilEven(0.5), absl::ZeroDuration());
  usage_.Charge(absl::Milliseconds(500));
  EXPECT_EQ(usage_.TimeUntilEven(0.5), absl::ZeroDuration());
  usage_.Charge(absl::Milliseconds(1));
  EXPECT_EQ(usage_.TimeUntilEven(0.5), absl::Milliseconds(2));
}

TEST_F(Account, IsEvenAgainAfterTheTimeThatItSaid) {
  usage_.TimeUntilEven(0.5);
  usage_.Charge(absl::Seconds(10));
  const absl::Duration wait = usage_.TimeUntilEven(0.5);
  EXPECT_EQ(wait, absl::Seconds(19));
  now_ += wait - absl::Milliseconds(1);
  EXPECT_GT(usage_.TimeUntilEven(0.5), absl::ZeroDuration());
  now_ += absl::Milliseconds(1);
  EXPECT_EQ(usage_.TimeUntilEven(0.5), absl::ZeroDuration());
}

TEST_F(Account, SavesNoMoreThanOneSecondsWorth) {
  usage_.TimeUntilEven(2);
  now_ += absl::Hours(1000);
  usage_.TimeUntilEven(2);
  usage_.Charge(absl::Seconds(3));
  EXPECT_EQ(usage_.TimeUntilEven(2), absl::Milliseconds(500));
}

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// How long addresses are banned, by a clock that the test turns.

#include "server/fence/address_bans.h"

#include <gtest/gtest.h>

#include <string>

namespace clearance::server {
namespace {

constexpr absl::Duration kFirst = absl::Seconds(10);
constexpr SteadyTime kStart = SteadyTime(absl::ZeroDuration());

TEST(AddressBans, LastAsLongAsTheyAreToAndHoldNobodyElse) {
  AddressBans bans(kFirst);
  EXPECT_FALSE(bans.IsBanned("a", kStart));
  bans.Ban("a", kStart);
  EXPECT_TRUE(bans.IsBanned("a", kStart));
  EXPECT_TRUE(bans.IsBanned("a", kStart + kFirst - absl::Nanoseconds(1)));
  EXPECT_FALSE(bans.IsBanned("a", kStart + kFirst));
  EXPECT_FALSE(bans.IsBanned("b", kStart));
}

TEST(AddressBans, AreLongerEachTimeUpToAMost) {
  AddressBans bans(kFirst);
  SteadyTime now = kStart;
  for (const int times : {1, 2, 4, 8, 16, 32, 64, 64}) {
    bans.Ban("a", now);
    EXPECT_TRUE(bans.IsBanned("a", now + times * kFirst - absl::Nanoseconds(1))) << times;
    EXPECT_FALSE(bans.IsBanned("a", now + times * kFirst)) << times;
    now += times * kFirst;
  }
}

// All connections of one address may be cut within a moment.
TEST(AddressBans, AreNotLongerForWhatWasOpenBefore) {
  AddressBans bans(kFirst);
  bans.Ban("a", kStart);
  bans.Ban("a", kStart + kFirst / 2);
  EXPECT_FALSE(bans.IsBanned("a", kStart + kFirst));
}

TEST(AddressBans, AreForgottenByOneWhoKeptQuiet) {
  AddressBans bans(kFirst);
  bans.Ban("a", kStart);
  const SteadyTime later = kStart + (AddressBans::kMostTimes + 1) * kFirst;
  bans.Ban("a", later);
  EXPECT_FALSE(bans.IsBanned("a", later + kFirst));
}

TEST(AddressBans, AreNoneForThoseWithoutAnAddressAndWithoutALength) {
  AddressBans bans(kFirst);
  bans.Ban("", kStart);
  EXPECT_FALSE(bans.IsBanned("", kStart));
  AddressBans none(absl::ZeroDuration());
  none.Ban("a", kStart);
  EXPECT_FALSE(none.IsBanned("a", kStart));
}

TEST(AddressBans, BeginWithAWarningWhereAnHonestClientMayHaveDoneIt) {
  AddressBans bans(kFirst);
  const absl::Duration step = absl::Milliseconds(1);
  bans.WarnOrBan("a", kStart, kStart + step);
  EXPECT_FALSE(bans.IsBanned("a", kStart + step));
  // Opened before the warning, as all that one cause makes look alike.
  bans.WarnOrBan("a", kStart + step, kStart + 2 * step);
  EXPECT_FALSE(bans.IsBanned("a", kStart + 2 * step));
  // Opened since.
  const SteadyTime again = kStart + kFirst;
  bans.WarnOrBan("a", kStart + 2 * step, again);
  EXPECT_TRUE(bans.IsBanned("a", again + kFirst - absl::Nanoseconds(1)));
  EXPECT_FALSE(bans.IsBanned("a", again + kFirst));
}

TEST(AddressBans, ForgetWarnings) {
  AddressBans bans(kFirst);
  bans.WarnOrBan("a", kStart, kStart);
  const SteadyTime later = kStart + AddressBans::kMostTimes * kFirst;
  bans.WarnOrBan("a", later - absl::Nanoseconds(1), later);
  EXPECT_FALSE(bans.IsBanned("a", later));
}

TEST(AddressBans, AreAsLongAfterAWarningAsWithout) {
  AddressBans bans(kFirst);
  bans.WarnOrBan("a", kStart, kStart);
  bans.Ban("a", kStart);
  EXPECT_TRUE(bans.IsBanned("a", kStart));
  EXPECT_FALSE(bans.IsBanned("a", kStart + kFirst));
}

TEST(AddressBans, AreBoundedInNumber) {
  constexpr int kMany = 200'000;
  AddressBans bans(kFirst);
  for (int i = 0; i < kMany; ++i) bans.Ban(std::to_string(i), kStart);
  const std::size_t most = bans.size();
  EXPECT_LT(most, kMany / 2);
  // Those that are over make room.
  const SteadyTime later = kStart + (AddressBans::kMostTimes + 1) * kFirst;
  bans.Ban("late", later);
  EXPECT_TRUE(bans.IsBanned("late", later));
  EXPECT_EQ(bans.size(), 1);
}

}  // namespace
}  // namespace clearance::server

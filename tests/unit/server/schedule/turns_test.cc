// SPDX-License-Identifier: Apache-2.0
//
// The order in which work is taken, without any threads: each work writes its name down.

#include "server/schedule/turns.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace clearance::server {
namespace {

class TurnsTest : public ::testing::Test {
 protected:
  using Account = Turns::Account;

  void Add(Account& account, const std::string& name, std::uint64_t turns = 1) {
    turns_.Add(&account, turns * Turns::kTurn, [this, name] { order_ += name; });
  }
  void Take(int count = 1) {
    for (int i = 0; i < count; ++i) turns_.Take()();
  }
  // What was taken, to the last.
  std::string Order() {
    while (!turns_.empty()) Take();
    return order_;
  }

  Turns turns_;
  std::string order_;
};

TEST_F(TurnsTest, OneAccountKeepsItsOrder) {
  Account a;
  turns_.Join(&a, "one");
  for (const char* name : {"a", "b", "c"}) Add(a, name);
  EXPECT_EQ(Order(), "abc");
}

TEST_F(TurnsTest, AccountsTakeTurnsHoweverMuchOneBrings) {
  Account greedy;
  Account small;
  turns_.Join(&greedy, "one");
  turns_.Join(&small, "two");
  for (int i = 0; i < 6; ++i) Add(greedy, "g");
  Take(2);
  Add(small, "s");
  Add(small, "s");
  EXPECT_EQ(Order(), "ggsgsggg");
}

TEST_F(TurnsTest, ThatOfManyStreamsIsNoMoreThanThatOfOne) {
  std::array<Account, 5> greedy;
  Account small;
  for (Account& account : greedy) turns_.Join(&account, "principal");
  turns_.Join(&small, "other");
  for (Account& account : greedy) Add(account, "g");
  for (int i = 0; i < 3; ++i) Add(small, "s");
  EXPECT_EQ(Order(), "gsgsgsgg");
}

TEST_F(TurnsTest, WithinAGroupStreamsTakeTurns) {
  Account greedy;
  Account small;
  turns_.Join(&greedy, "principal");
  turns_.Join(&small, "principal");
  for (int i = 0; i < 4; ++i) Add(greedy, "g");
  Take(2);
  Add(small, "s");
  Add(small, "s");
  EXPECT_EQ(Order(), "ggsgsg");
}

TEST_F(TurnsTest, ADebtOutlivesTheStreamsThatMadeIt) {
  Account other;
  turns_.Join(&other, "other");
  for (int i = 0; i < 2; ++i) {  // as long as it owes, coming anew changes nothing
    Account greedy;
    turns_.Join(&greedy, "greedy");
    if (i == 0) Add(greedy, "G", 5);
    while (!turns_.empty()) Take();
    turns_.Leave(&greedy);
  }
  Account again;
  turns_.Join(&again, "greedy");
  Add(again, "g");
  for (int i = 0; i < 3; ++i) Add(other, "o");
  EXPECT_EQ(Order(), "Gooog");
  turns_.Leave(&again);
  turns_.Leave(&other);
}

TEST_F(TurnsTest, ADebtIsForgottenOnceOthersHadAsMuch) {
  Account greedy;
  Account other;
  turns_.Join(&other, "other");
  turns_.Join(&greedy, "greedy");
  Add(greedy, "G", 5);
  Take();
  turns_.Leave(&greedy);
  EXPECT_EQ(turns_.group_count(), 2U);
  Add(other, "o", 5);
  Add(other, "o");
  Take(2);
  Account third;
  turns_.Join(&third, "third");
  EXPECT_EQ(turns_.group_count(), 2U);
  turns_.Leave(&third);
  turns_.Leave(&other);
}

TEST_F(TurnsTest, OfManyDebtorsThoseWhoOweMostAreRemembered) {
  constexpr std::uint64_t kDebtors = Turns::kMostDebtors + 500;
  for (std::uint64_t i = 0; i < kDebtors; ++i) {
    Account account;
    turns_.Join(&account, "debtor" + std::to_string(i));
    turns_.Charge(&account, (10 + i) * Turns::kTurn);
    turns_.Leave(&account);
  }
  EXPECT_EQ(turns_.group_count(), Turns::kMostDebtors);
  Account least, most;
  turns_.Join(&most, "debtor" + std::to_string(kDebtors - 1));
  EXPECT_EQ(turns_.group_count(), Turns::kMostDebtors);
  turns_.Join(&least, "debtor0");
  EXPECT_EQ(turns_.group_count(), Turns::kMostDebtors + 1);
  turns_.Leave(&least);
  turns_.Leave(&most);
}

TEST_F(TurnsTest, AreMeasuredByCost) {
  Account dear;
  Account cheap;
  turns_.Join(&dear, "one");
  turns_.Join(&cheap, "two");
  for (int i = 0; i < 3; ++i) Add(dear, "d", 3);
  for (int i = 0; i < 9; ++i) Add(cheap, "c");
  EXPECT_EQ(Order(), "dcccdcccdccc");
}

TEST_F(TurnsTest, WhatWorkTurnsOutToCostCountsToo) {
  Account dear;
  Account cheap;
  turns_.Join(&dear, "one");
  turns_.Join(&cheap, "two");
  Add(dear, "d");
  Add(dear, "d");
  for (int i = 0; i < 3; ++i) Add(cheap, "c");
  Take();
  turns_.Charge(&dear, 2 * Turns::kTurn);
  EXPECT_EQ(Order(), "dcccd");
}

TEST_F(TurnsTest, WhoWasAwayHasSavedNothingUp) {
  Account busy;
  Account idle;
  turns_.Join(&busy, "one");
  turns_.Join(&idle, "two");
  for (int i = 0; i < 10; ++i) Add(busy, "b");
  Take(8);
  for (int i = 0; i < 4; ++i) Add(idle, "i");
  EXPECT_EQ(Order(), "bbbbbbbbibibii");
}

TEST_F(TurnsTest, WhoComesAnewAgainAndAgainWinsNothing) {
  Account busy;
  turns_.Join(&busy, "one");
  for (int i = 0; i < 6; ++i) Add(busy, "b");
  Take(2);
  std::array<Account, 4> brief;
  for (std::size_t i = 0; i < brief.size(); ++i) {
    turns_.Join(&brief[i], "brief " + std::to_string(i));
    Add(brief[i], "x");
    Take();
  }
  EXPECT_EQ(order_, "bbbxbx");
  EXPECT_EQ(Order(), "bbbxbxxbxb");
}

// The same where they are streams of one group.
TEST_F(TurnsTest, NorDoesAStreamAmongItsOwn) {
  Account busy;
  turns_.Join(&busy, "one");
  for (int i = 0; i < 6; ++i) Add(busy, "b");
  Take(2);
  std::array<Account, 4> brief;
  for (Account& account : brief) {
    turns_.Join(&account, "one");
    Add(account, "x");
    Take();
  }
  EXPECT_EQ(Order(), "bbbxbxxbxb");
}

TEST_F(TurnsTest, AGroupIsForgottenWithItsLastStream) {
  Account first;
  turns_.Join(&first, "one");
  Add(first, "a");
  Take();
  turns_.Leave(&first);
  Account second;
  turns_.Join(&second, "one");
  Add(second, "b");
  EXPECT_EQ(Order(), "ab");
}

TEST_F(TurnsTest, AccountsAreCountedByGroup) {
  Account first, second, other;
  turns_.Join(&first, "one");
  turns_.Join(&second, "one");
  turns_.Join(&other, "two");
  EXPECT_EQ(turns_.account_count(), 3u);
  EXPECT_EQ(turns_.GroupSizeOf(first), 2u);
  turns_.Leave(&second);
  EXPECT_EQ(turns_.account_count(), 2u);
  EXPECT_EQ(turns_.GroupSizeOf(first), 1u);
}

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/seats.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

class SeatsTest : public testing::Test {
 protected:
  // How many of `wanted` seats the holder gets beside what is taken.
  int Take(const std::string& holder, int wanted) {
    int got = 0;
    for (int i = 0; i < wanted; ++i) got += TakeOne(holder).ok() ? 1 : 0;
    return got;
  }
  absl::Status TakeOne(const std::string& holder) {
    auto seat = std::make_unique<Seats::Seat>(seats_);
    absl::Status status = seat->Take(holder);
    if (status.ok()) taken_.push_back(std::move(seat));
    return status;
  }

  prometheus::Gauge gauge_;
  Seats seats_{{"max_seats", 16}, gauge_, {"max_caller_seats", 10}};
  std::vector<std::unique_ptr<Seats::Seat>> taken_;
};

TEST_F(SeatsTest, AHolderHasAsManyAsAllOthersLeaveFree) {
  EXPECT_EQ(Take("a", 99), 8);
  EXPECT_EQ(Take("b", 99), 4);
  EXPECT_EQ(Take("c", 99), 2);
  EXPECT_EQ(gauge_.Value(), 14);
  const v1::Error error = ErrorOf(TakeOne("a"));
  EXPECT_EQ(error.code(), static_cast<int>(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(error.value(), "9 of one caller");
  EXPECT_EQ(error.limit(), "max_seats: as many as all others leave free");
  EXPECT_TRUE(error.has_retry_after());
}

TEST_F(SeatsTest, TheLastOneIsForWhoeverHasNone) {
  Take("a", 99);
  Take("b", 99);
  Take("c", 99);
  EXPECT_EQ(Take("d", 2), 1);
  EXPECT_EQ(Take("e", 2), 1);
  EXPECT_EQ(ErrorOf(TakeOne("f")).limit(), "max_seats <= 16");
}

TEST_F(SeatsTest, WhatIsLeftIsThereAgain) {
  EXPECT_EQ(Take("a", 99), 8);
  taken_.resize(3);
  EXPECT_EQ(gauge_.Value(), 3);
  EXPECT_EQ(Take("a", 99), 5);
  taken_.clear();
  EXPECT_EQ(gauge_.Value(), 0);
}

TEST_F(SeatsTest, AHolderMayHaveALimitOfItsOwn) {
  Seats seats({"max_seats", 100}, gauge_, {"max_caller_seats", 1});
  Seats::Seat first(seats), second(seats), of_another(seats);
  EXPECT_TRUE(first.Take("a").ok());
  EXPECT_EQ(ErrorOf(second.Take("a")).limit(), "max_caller_seats <= 1");
  EXPECT_TRUE(of_another.Take("b").ok());
}

}  // namespace
}  // namespace clearance::server

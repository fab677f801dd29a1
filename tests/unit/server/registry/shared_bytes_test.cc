// SPDX-License-Identifier: Apache-2.0
#include "server/registry/shared_bytes.h"

#include <gtest/gtest.h>

#include <memory>

#include "server/observe/metrics.h"

namespace clearance::server {
namespace {

class SharedBytesTest : public testing::Test {
 protected:
  double Shown() { return metrics_.total_session_bytes().Value(); }

  Metrics metrics_{"test"};
  SharedBytes bytes_{1000, &metrics_.total_session_bytes()};
};

TEST_F(SharedBytesTest, AHolderHasAtMostWhatAllOthersLeaveFree) {
  const auto first = bytes_.Take(500, "a");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(bytes_.Take(1, "a"), nullptr);
  const auto second = bytes_.Take(250, "b");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(bytes_.Take(1, "b"), nullptr);
  EXPECT_EQ(bytes_.Take(126, "c"), nullptr);
  EXPECT_NE(bytes_.Take(125, "c"), nullptr);
  EXPECT_EQ(Shown(), 750);
}

TEST_F(SharedBytesTest, WhatIsLetGoIsThereAgain) {
  auto held = bytes_.Take(500, "a");
  held.reset();
  EXPECT_EQ(Shown(), 0);
  EXPECT_NE(bytes_.Take(500, "b"), nullptr);
}

TEST_F(SharedBytesTest, APartGrowsShrinksAndEnds) {
  {
    SharedBytes::Part part(bytes_, "a");
    SharedBytes::Part another(bytes_, "a");
    ASSERT_TRUE(part.Resize(300));
    ASSERT_TRUE(another.Resize(200));
    EXPECT_EQ(Shown(), 500);
    EXPECT_FALSE(part.Resize(301)) << "both are of one holder";
    EXPECT_EQ(Shown(), 500);
    ASSERT_TRUE(another.Resize(100));
    ASSERT_TRUE(part.Resize(400));
    EXPECT_EQ(Shown(), 500);
    ASSERT_TRUE(part.Resize(0));
    EXPECT_EQ(Shown(), 100);
  }
  EXPECT_EQ(Shown(), 0);
}

TEST_F(SharedBytesTest, NoSizeOverflows) {
  SharedBytes::Part part(bytes_, "a");
  EXPECT_FALSE(part.Resize(~std::uint64_t{0}));
  ASSERT_TRUE(part.Resize(400));
  EXPECT_FALSE(part.Resize(~std::uint64_t{0}));
  EXPECT_EQ(Shown(), 400);
}

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "server/guard/caller.h"

namespace clearance::server {
namespace {

TEST(RequestId, IsTakenFromACallerInItsFormOnly) {
  for (const std::string& id :
       {std::string("a"), std::string("7f3a-99.x_y:/+=Z"), std::string(128, 'x')}) {
    EXPECT_TRUE(IsRequestId(id)) << id;
  }
  for (const std::string& id :
       {std::string(), std::string(129, 'x'), std::string("a b"), std::string("a\nb"),
        std::string("a\"b"), std::string("\xc3\xa9"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(IsRequestId(id)) << id;
  }
}

TEST(RequestId, OfOursHasTheFormAndIsNewEachTime) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = MakeRequestId();
    EXPECT_EQ(id.size(), 32u);
    EXPECT_TRUE(IsRequestId(id));
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 1000u);
}

// Oracle: the examples of the W3C's recommendation.
TEST(TraceId, IsThatOfAWholeTraceparent) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string good = "00-" + trace + "-00f067aa0ba902b7-01";
  EXPECT_EQ(TraceIdOf(good), trace);
  EXPECT_EQ(TraceIdOf("cc-" + trace + "-00f067aa0ba902b7-01-what.the.future.brings"), trace);
  EXPECT_EQ(TraceIdOf("cc-" + trace + "-00f067aa0ba902b7-01.x"), "");
  EXPECT_EQ(TraceParentOf(good), good);
  EXPECT_EQ(TraceParentOf("cc" + good.substr(2) + "-what.the.future.brings"), good);
  for (const std::string& bad :
       {std::string(), good.substr(1), good + "-x", "ff" + good.substr(2), "0g" + good.substr(2),
        "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01",
        "00-" + trace + "-" + std::string(16, '0') + "-01",
        std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"),
        "00_" + trace + "-00f067aa0ba902b7-01", "00-" + trace + "_00f067aa0ba902b7-01",
        "00-" + trace + "-00f067aa0ba902b7_01", "00-" + trace + "-00f067aa0ba902b7-0x"}) {
    EXPECT_EQ(TraceIdOf(bad), "") << bad;
    EXPECT_EQ(TraceParentOf(bad), "") << bad;
  }
}

}  // namespace
}  // namespace clearance::server

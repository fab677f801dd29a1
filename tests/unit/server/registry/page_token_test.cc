// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>

#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

TEST(PageToken, GivesBackTheLastName) {
  const auto name = ParsePageToken(MakePageToken("a/", "a/b"), "a/");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(*name, "a/b");
}

TEST(PageToken, IsRefusedForAnotherPrefix) {
  EXPECT_FALSE(ParsePageToken(MakePageToken("a", "ab"), "").ok());
}

TEST(PageToken, IsRefusedWhereTheNameHasNotThePrefix) {
  EXPECT_FALSE(ParsePageToken(MakePageToken("a", "b"), "a").ok());
}

TEST(PageToken, IsRefusedWhereItIsNone) {
  for (const char* token : {"", "x", "!!!!", "YWJj"})
    EXPECT_FALSE(ParsePageToken(token, "").ok()) << token;
}

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/registry/shape_name.h"

#include <gtest/gtest.h>

#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

TEST(ShapeName, AcceptsTheAllowedForm) {
  for (const std::string& name :
       {std::string("a"), std::string("0"), std::string("robot/arm-3.link_2"),
        std::string(128, 'z'), std::string("a..//--__")}) {
    EXPECT_TRUE(CheckShapeName(name, "name").ok()) << name;
  }
}

TEST(ShapeName, RefusesEverythingElse) {
  for (const std::string& name :
       {std::string(""), std::string(129, 'z'), std::string("A"), std::string(".a"),
        std::string("-a"), std::string("/a"), std::string("_a"), std::string("a b"),
        std::string("a\n"), std::string("a\0", 2), std::string("\xc3\xa4")}) {
    EXPECT_FALSE(CheckShapeName(name, "name").ok()) << name;
  }
}

TEST(ShapeName, IsRefusedNamingFieldValueAndLimit) {
  const absl::Status status = CheckShapeName("A", "names[3]");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(status).field(), "names[3]");
  EXPECT_EQ(ErrorOf(status).value(), "A");
  EXPECT_EQ(ErrorOf(status).limit(), "1 to 128 characters of [a-z0-9][a-z0-9._/-]*");
}

TEST(Refusal, GrowsItsPathOnTheWayUp) {
  const absl::Status status = Under("open", Under("shape", CheckShapeName("A", "name")));
  EXPECT_EQ(ErrorOf(status).field(), "open.shape.name");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

TEST(Refusal, ShortensValuesAndKeepsThemText) {
  const absl::Status status = CheckShapeName(std::string(100, '\xff'), "name");
  EXPECT_EQ(ErrorOf(status).value(), std::string(64, '?'));
}

}  // namespace
}  // namespace clearance::server

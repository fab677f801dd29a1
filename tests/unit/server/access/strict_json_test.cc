// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "server/access/policy.h"

namespace clearance::server {
namespace {

std::string ErrorOf(std::string_view text) {
  return std::string(Policy::Parse(text).status().message());
}

TEST(StrictJson, NamesLineAndColumnOfWhatIsNot) {
  EXPECT_EQ(ErrorOf("{\n  \"a\": 1,\n  }\n"), "line 3, column 3: malformed JSON");
  EXPECT_EQ(ErrorOf(""), "line 1, column 0: malformed JSON");
  EXPECT_EQ(ErrorOf("{\"a\": 1} x"), "line 1, column 10: malformed JSON");
  EXPECT_EQ(ErrorOf("{\"a\": 1e999}"), "line 1, column 11: malformed JSON");
}

TEST(StrictJson, RefusesAKeyThatStandsTwice) {
  EXPECT_EQ(ErrorOf(R"({"a": 1, "b": {"a": 2}, "a": 3})"), "the key \"a\" stands twice");
  EXPECT_EQ(ErrorOf(R"({"principals": {"role": {"role": "query"}}})"), "");
  EXPECT_EQ(ErrorOf(R"([{"a": 1}, {"a": 1}])"), "the file: must be an object");
}

TEST(StrictJson, RefusesWhatNestsTooDeep) {
  EXPECT_EQ(ErrorOf(std::string(32, '[') + std::string(32, ']')), "the file: must be an object");
  EXPECT_EQ(ErrorOf(std::string(1'000'000, '[')), "nests deeper than 32");
}

}  // namespace
}  // namespace clearance::server

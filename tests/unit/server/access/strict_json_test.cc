// SPDX-License-Identifier: Apache-2.0
#include "server/access/strict_json.h"

#include <gtest/gtest.h>

#include <string>

namespace clearance::server {
namespace {

std::string ErrorOf(std::string_view text) {
  const auto parsed = ParseStrictJson(text);
  return std::string(parsed.status().message());
}

TEST(StrictJson, ReadsWhatIsJson) {
  const auto parsed = ParseStrictJson(R"({"a": [1, 2.5, "x", null, true], "b": {"a": {}}})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ((*parsed)["a"][1], 2.5);
}

TEST(StrictJson, NamesLineAndColumnOfWhatIsNot) {
  EXPECT_EQ(ErrorOf("{\n  \"a\": 1,\n  }\n"), "line 3, column 3: malformed JSON");
  EXPECT_EQ(ErrorOf(""), "line 1, column 0: malformed JSON");
  EXPECT_EQ(ErrorOf("{\"a\": 1} x"), "line 1, column 10: malformed JSON");
  EXPECT_EQ(ErrorOf("{\"a\": 1e999}"), "line 1, column 11: malformed JSON");
}

TEST(StrictJson, RefusesAKeyThatStandsTwice) {
  EXPECT_EQ(ErrorOf(R"({"a": 1, "b": {"a": 2}, "a": 3})"), "the key \"a\" stands twice");
  EXPECT_EQ(ErrorOf(R"([{"a": 1}, {"a": 1}])"), "");
}

TEST(StrictJson, RefusesWhatNestsTooDeep) {
  EXPECT_EQ(ErrorOf(std::string(32, '[') + std::string(32, ']')), "");
  EXPECT_EQ(ErrorOf(std::string(1'000'000, '[')), "nests deeper than 32");
}

}  // namespace
}  // namespace clearance::server

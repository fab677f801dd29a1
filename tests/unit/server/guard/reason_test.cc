// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

std::vector<std::string> Names() {
  std::vector<std::string> names;
#define CLEARANCE_TEST_NAME(constant, name) names.emplace_back(name);
  CLEARANCE_SERVER_REASONS(CLEARANCE_TEST_NAME)
#undef CLEARANCE_TEST_NAME
  return names;
}

TEST(Reason, PageExplainsEachReasonOfTheServer) {
  std::vector<std::string> listed;
  std::ifstream page(CLEARANCE_REASONS_PAGE);
  ASSERT_TRUE(page.is_open());
  const std::regex row(R"(\| `([A-Z_]+)` \| [A-Z].+\. \|)");
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, row)) << line;
    listed.push_back(parts[1]);
  }
  EXPECT_EQ(listed, Names());
}

TEST(Reason, NamesAreUniqueCapitalsOfAtMost63Characters) {
  std::set<std::string> names;
  for (const std::string& name : Names()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_LE(name.size(), 63u) << name;
    for (const char c : name) EXPECT_TRUE(c == '_' || std::isupper(c) != 0) << name;
  }
}

}  // namespace
}  // namespace clearance::server

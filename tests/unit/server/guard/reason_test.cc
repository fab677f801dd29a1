// SPDX-License-Identifier: Apache-2.0
#include "server/guard/reason.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace clearance::server {
namespace {

struct Row {
  std::string_view name, text;
};

std::vector<Row> Table() {
  std::vector<Row> rows;
#define CLEARANCE_TEST_ROW(constant, name, text) rows.push_back({name, text});
  CLEARANCE_SERVER_REASONS(CLEARANCE_TEST_ROW)
#undef CLEARANCE_TEST_ROW
  return rows;
}

TEST(Reason, PageHasTheTableOfTheServer) {
  std::vector<std::string> listed, expected;
  std::ifstream page(CLEARANCE_REASONS_PAGE);
  ASSERT_TRUE(page.is_open());
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) listed.push_back(line);
  }
  for (const Row& row : Table()) {
    std::ostringstream line;
    line << "| `" << row.name << "` | " << row.text << " |";
    expected.push_back(line.str());
  }
  EXPECT_EQ(listed, expected);
}

TEST(Reason, NamesAreUniqueCapitalsOfAtMost63Characters) {
  std::set<std::string_view> names;
  for (const Row& row : Table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_LE(row.name.size(), 63u) << row.name;
    for (const char c : row.name) EXPECT_TRUE(c == '_' || std::isupper(c) != 0) << row.name;
  }
}

}  // namespace
}  // namespace clearance::server

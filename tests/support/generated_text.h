// SPDX-License-Identifier: Apache-2.0
//
// Files, or parts of pages, that are made from the tables of the code. With CLEARANCE_RENEW=1 in
// the environment a test writes them instead of comparing them.

#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace clearance::test {

inline std::string ReadText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

// Expects the file to be `text`, or makes it so.
inline void ExpectGenerated(const std::string& path, const std::string& text) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs
  if (std::getenv("CLEARANCE_RENEW") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(ReadText(path), text)
      << path << " is not what the code says. Renew it:\n  CLEARANCE_RENEW=1 ctest --test-dir "
      << "build/release -R '" << testing::UnitTest::GetInstance()->current_test_info()->name()
      << "'";
}

// The text of a page with `part` on the lines between <!-- name --> and <!-- end -->.
inline std::string WithPart(const std::string& page, const std::string& name,
                            const std::string& part) {
  const std::string begin = "<!-- " + name + " -->\n";
  const std::size_t at = page.find(begin);
  const std::size_t end = page.find("<!-- end -->", at);
  EXPECT_NE(end, std::string::npos) << "the page has no part " << name;
  if (end == std::string::npos) return page;
  return page.substr(0, at) + begin + part + page.substr(end);
}

}  // namespace clearance::test

// SPDX-License-Identifier: Apache-2.0
//
// Prometheus' own linter (package prometheus) on what the server really says at /metrics.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "server/observe/metrics.h"
#include "tests/support/optional_program.h"

namespace clearance::server {
namespace {

TEST(Promtool, FindsNothingToSayAboutOurMetrics) {
  CLEARANCE_REQUIRE_PROGRAMS("promtool");
  const std::string path =
      testing::TempDir() + "clearance_promtool_metrics." + std::to_string(getpid()) + ".txt";
  std::ofstream(path) << Metrics("1.2.3").Scrape();
  FILE* const lint = popen(("promtool check metrics <" + path + " 2>&1").c_str(), "r");
  ASSERT_NE(lint, nullptr);
  std::string findings;
  for (int c = std::fgetc(lint); c != EOF; c = std::fgetc(lint)) findings += static_cast<char>(c);
  EXPECT_EQ(pclose(lint), 0);
  EXPECT_EQ(findings, "");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace clearance::server

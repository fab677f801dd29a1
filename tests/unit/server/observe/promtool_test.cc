// SPDX-License-Identifier: Apache-2.0
//
// Prometheus' own linter (package prometheus) on what the server really says at /metrics.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "server/observe/metrics.h"

namespace clearance::server {
namespace {

TEST(Promtool, FindsNothingToSayAboutOurMetrics) {
  if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "promtool not installed";
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

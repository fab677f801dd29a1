// SPDX-License-Identifier: Apache-2.0
#include "server/app/shown_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/config/flags.h"

namespace clearance::server {
namespace {

using testing::HasSubstr;

TEST(ShownLimits, AreThoseOfTheConfiguration) {
  ServerConfig config;
  config.max_connections = 11;
  config.max_pending_work = absl::Milliseconds(12'500);
  config.max_total_bytes_in_flight = 13;
  config.limits.max_sessions = 14;
  config.limits.max_shapes = 15;
  config.limits.max_registry_bytes = 16;
  config.limits.max_scenes = 17;
  config.limits.max_scene_bytes = 18;
  config.limits.max_tracks = 19;
  config.limits.max_watches = 20;
  config.max_total_session_bytes = 21;
  Metrics metrics("1");
  ShowLimits(config, &metrics);
  const std::string text = metrics.Scrape();
  for (const char* const line :
       {"max_connections 11", "max_pending_work_seconds 12.5", "max_total_bytes_in_flight 13",
        "max_sessions 14", "max_shapes 15", "max_registry_bytes 16", "max_scenes 17",
        "max_scene_bytes 18", "max_tracks 19", "max_watches 20", "max_total_session_bytes 21"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\nclearance_") + line + "\n"));
  }
}

TEST(ShownLimits, HaveTheNamesOfTheirFlags) {
  ASSERT_TRUE(ConfigFromFlags().ok());  // the flags are linked in
  std::size_t seen = 0;
  for (absl::string_view line : absl::StrSplit(Metrics("1").Scrape(), '\n')) {
    if (!absl::ConsumePrefix(&line, "clearance_max_")) continue;
    absl::string_view name = line.substr(0, line.find(' '));
    absl::ConsumeSuffix(&name, "_seconds");
    const std::string flag = "max_" + std::string(name);
    EXPECT_NE(absl::FindCommandLineFlag(flag), nullptr) << flag;
    ++seen;
  }
  EXPECT_EQ(seen, kServerLimits);
}

TEST(LimitRefusals, HaveTheNamesOfFlags) {
  ASSERT_TRUE(ConfigFromFlags().ok());  // the flags are linked in
  for (const char* const name : kRefusingLimits)
    EXPECT_NE(absl::FindCommandLineFlag(name), nullptr) << name;
}

}  // namespace
}  // namespace clearance::server

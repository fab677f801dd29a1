// SPDX-License-Identifier: Apache-2.0

#include "server/fence/cut_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace clearance::server {
namespace {

class CutLogTest : public testing::Test {
 protected:
  std::vector<nlohmann::json> lines_;
  SteadyTime now_ = SteadyTime(absl::Hours(1));
  Log log_{LogFormat::kJson, LogLevel::kInfo, [this](absl::string_view line) {
             lines_.push_back(nlohmann::json::parse(line.begin(), line.end()));
           }};
  CutLog cut_log_{&log_, [this] { return now_; }};
};

TEST_F(CutLogTest, SaysWhoWasCutForWhatAndWhatItHadDone) {
  cut_log_.Write({.peer = "ipv4:192.0.2.1:5000",
                  .reason = "resets",
                  .evidence = "too many calls given up",
                  .age = absl::Milliseconds(1500),
                  .received_bytes = 123'456,
                  .calls = {.started = 100, .answered = 10, .given_up = 83, .messages = 11},
                  .is_banned = true});
  ASSERT_EQ(lines_.size(), 1u);
  nlohmann::json line = lines_.front();
  line.erase("time");
  EXPECT_EQ(line, nlohmann::json::parse(R"({"level": "WARNING", "message": "cut a connection",
      "peer": "ipv4:192.0.2.1:5000", "reason": "resets", "evidence": "too many calls given up",
      "age_seconds": 1.5, "received_bytes": 123456, "calls_open": 7, "calls_started": 100,
      "calls_answered": 10, "calls_given_up": 83, "messages": 11, "banned": true,
      "held_back": 0})"));
}

TEST_F(CutLogTest, WritesSoManyLinesAnHourAndThenHowManyItHeldBack) {
  for (std::uint64_t i = 0; i < CutLog::kLinesAnHour + 5; ++i) cut_log_.Write({});
  now_ += absl::Hours(1);
  cut_log_.Write({});
  ASSERT_EQ(lines_.size(), CutLog::kLinesAnHour + 1);
  EXPECT_EQ(lines_.back()["held_back"], 5);
}

TEST(CutLog, WithoutALogWritesNothing) { CutLog(nullptr).Write({}); }

}  // namespace
}  // namespace clearance::server

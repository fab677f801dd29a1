// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "server/fence/stream_fence.h"

namespace clearance::server {
namespace {

class CutLogTest : public testing::Test {
 protected:
  void Write() { cut_log_.Write({}, kStreams, 0, false); }

  std::vector<nlohmann::json> lines_;
  SteadyTime now_ = SteadyTime(absl::Hours(1));
  Log log_{LogFormat::kJson, LogLevel::kInfo, [this](absl::string_view line) {
             lines_.push_back(nlohmann::json::parse(line.begin(), line.end()));
           }};
  CutLog cut_log_{&log_, [this] { return now_; }};
};

TEST_F(CutLogTest, SaysWhoWasCutForWhatAndWhatItHadDone) {
  const WatchedConnection cut = {
      .peer = "ipv4:192.0.2.1:5000",
      .opened = now_ - absl::Milliseconds(1500),
      .notes = {.latest = {.started = 100, .answered = 10, .given_up = 83, .messages = 11}}};
  cut_log_.Write(cut, kResets, 123'456, true);
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
  for (std::uint64_t i = 0; i < CutLog::kLinesAnHour + 5; ++i) Write();
  now_ += absl::Hours(1);
  Write();
  ASSERT_EQ(lines_.size(), CutLog::kLinesAnHour + 1);
  EXPECT_EQ(lines_.back()["held_back"], 5);
}

TEST(CutLog, WithoutALogWritesNothing) { CutLog(nullptr).Write({}, kStreams, 0, false); }

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/service/cut_log.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clearance::server {
namespace {

// A log that can be left unread.
class CutLogTest : public testing::Test {
 protected:
  // Waits for so many lines in all.
  std::vector<nlohmann::json> AwaitLines(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lines_.size() >= count; });
    return lines_;
  }
  void SetRead(bool is_read) {
    const std::lock_guard lock(mutex_);
    is_read_ = is_read;
    changed_.notify_all();
  }
  void AwaitStuck() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stuck_; });
  }

  void Take(absl::string_view line) {
    std::unique_lock lock(mutex_);
    is_stuck_ = !is_read_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_read_; });
    is_stuck_ = false;
    lines_.push_back(nlohmann::json::parse(line.begin(), line.end()));
    changed_.notify_all();
  }

  std::mutex mutex_;  // guards the next four
  std::condition_variable changed_;
  std::vector<nlohmann::json> lines_;
  bool is_read_ = true;
  bool is_stuck_ = false;
  SteadyTime now_ = SteadyTime(absl::Hours(1));
  Log log_{LogFormat::kJson, LogLevel::kInfo, [this](absl::string_view line) { Take(line); }};
  std::optional<CutLog> cut_log_{std::in_place, &log_, [this] { return now_; }};
};

TEST_F(CutLogTest, SaysWhoWasCutForWhatAndWhatItHadDone) {
  cut_log_->Write({.peer = "ipv4:192.0.2.1:5000",
                   .reason = "resets",
                   .evidence = "too many calls given up",
                   .age = absl::Milliseconds(1500),
                   .received_bytes = 123'456,
                   .calls = {.started = 100, .answered = 10, .given_up = 83, .messages = 11},
                   .is_banned = true});
  nlohmann::json line = AwaitLines(1).front();
  line.erase("time");
  EXPECT_EQ(line, nlohmann::json::parse(R"({"level": "WARNING", "message": "cut a connection",
      "peer": "ipv4:192.0.2.1:5000", "reason": "resets", "evidence": "too many calls given up",
      "age_seconds": 1.5, "received_bytes": 123456, "calls_open": 7, "calls_started": 100,
      "calls_answered": 10, "calls_given_up": 83, "messages": 11, "banned": true,
      "held_back": 0})"));
}

TEST_F(CutLogTest, WritesSoManyLinesAnHourAndThenHowManyItHeldBack) {
  for (std::uint64_t i = 0; i < CutLog::kLinesAnHour + 5; ++i) cut_log_->Write({});
  AwaitLines(CutLog::kLinesAnHour);
  now_ += absl::Hours(1);
  cut_log_->Write({});
  const std::vector<nlohmann::json> lines = AwaitLines(CutLog::kLinesAnHour + 1);
  EXPECT_EQ(lines.size(), CutLog::kLinesAnHour + 1);
  EXPECT_EQ(lines.back()["held_back"], 5);
}

// Of all that is told meanwhile it keeps so many lines, and counts the others.
TEST_F(CutLogTest, DoesNotWaitForALogThatNobodyReads) {
  SetRead(false);
  cut_log_->Write({});
  AwaitStuck();
  for (int hour = 0; hour < 3; ++hour) {
    for (std::uint64_t i = 0; i < CutLog::kLinesAnHour; ++i) cut_log_->Write({});
    now_ += absl::Hours(1);
  }
  SetRead(true);
  // The one that was stuck, and those that waited.
  AwaitLines(1 + CutLog::kMostWaiting);
  cut_log_->Write({});
  const std::vector<nlohmann::json> lines = AwaitLines(2 + CutLog::kMostWaiting);
  std::uint64_t told = 0;
  for (const nlohmann::json& line : lines) told += 1 + line["held_back"].get<std::uint64_t>();
  EXPECT_EQ(told, 2 + 3 * CutLog::kLinesAnHour);
}

TEST_F(CutLogTest, WritesWhatWaitsBeforeItGoes) {
  SetRead(false);
  for (int i = 0; i < 10; ++i) cut_log_->Write({});
  AwaitStuck();
  SetRead(true);
  cut_log_.reset();
  EXPECT_EQ(AwaitLines(10).size(), 10u);
}

TEST(CutLog, WithoutALogWritesNothing) { CutLog(nullptr).Write({}); }

}  // namespace
}  // namespace clearance::server

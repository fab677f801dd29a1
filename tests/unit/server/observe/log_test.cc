// SPDX-License-Identifier: Apache-2.0
#include "server/observe/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace clearance::server {
namespace {

const absl::Time kNewYear = absl::FromUnixMillis(1767225600000);

std::string Human(absl::string_view message, std::vector<LogField> fields) {
  return FormatLogRecord(LogFormat::kHuman, {kNewYear, LogLevel::kInfo, message, fields});
}

nlohmann::json Json(absl::string_view message, std::vector<LogField> fields) {
  const std::string line =
      FormatLogRecord(LogFormat::kJson, {kNewYear, LogLevel::kWarning, message, fields});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return nlohmann::json::parse(line);
}

TEST(HumanLog, ShowsTimeLevelMessageAndFields) {
  EXPECT_EQ(Human("session ended",
                  {{"request_id", "r-17"}, {"rows", 3}, {"late", false}, {"seconds", 0.5}}),
            "2026-01-01T00:00:00.000Z INFO session ended request_id=r-17 rows=3 late=false "
            "seconds=0.5");
}

TEST(HumanLog, QuotesAndEscapesWhatAPeerCouldUseToForgeALine) {
  EXPECT_EQ(Human("bad\nname", {{"name", "a\n2026 ERROR x"}, {"empty", ""}, {"quote", "a\"b=c"}}),
            "2026-01-01T00:00:00.000Z INFO bad\\nname name=\"a\\n2026 ERROR x\" empty=\"\" "
            "quote=\"a\\\"b=c\"");
  EXPECT_EQ(Human("m", {{"escape", "\x1b[2J\xff"}}),
            "2026-01-01T00:00:00.000Z INFO m escape=\"\\033[2J\\377\"");
}

TEST(HumanLog, ReadsAsAPersonWouldWriteIt) {
  EXPECT_EQ(Human("the server's alone", {{"text", "it's \\'"}, {"seconds", 0.055047122}}),
            "2026-01-01T00:00:00.000Z INFO the server's alone text=\"it's \\\\'\" "
            "seconds=0.055047122");
}

TEST(JsonLog, KeepsTypesAndOrder) {
  const LogField fields[] = {{"request_id", "r-17"}, {"big", std::uint64_t{1} << 63}, {"on", true}};
  EXPECT_EQ(FormatLogRecord(LogFormat::kJson, {kNewYear, LogLevel::kError, "no", fields}),
            R"({"time":"2026-01-01T00:00:00.000Z","level":"ERROR","message":"no",)"
            R"("request_id":"r-17","big":9223372036854775808,"on":true})");
}

TEST(JsonLog, StaysOneValidObjectWhateverThePeerSent) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  const nlohmann::json object = Json(every_byte, {{"name", every_byte}});
  EXPECT_EQ(object["level"], "WARNING");
  EXPECT_THAT(object["name"].get<std::string>(), testing::StartsWith(every_byte.substr(0, 128)));
}

TEST(JsonLog, ShowsWhatIsNoNumberAsNull) {
  EXPECT_TRUE(Json("m", {{"x", std::numeric_limits<double>::quiet_NaN()}})["x"].is_null());
}

TEST(Log, DropsRecordsBelowItsLevel) {
  std::string text;
  Log log(LogFormat::kHuman, LogLevel::kWarning,
          [&text](absl::string_view line) { text.append(line.data(), line.size()); });
  log.Debug("one");
  log.Info("two");
  EXPECT_EQ(text, "");
  log.Warning("three");
  log.Error("four");
  EXPECT_THAT(text, testing::ContainsRegex("WARNING three\n.* ERROR four\n$"));
}

TEST(Log, WritesAuditRecordsWhateverItsLevelIs) {
  std::string text;
  Log log(LogFormat::kHuman, LogLevel::kError,
          [&text](absl::string_view line) { text.append(line.data(), line.size()); });
  log.Write(LogLevel::kAudit, "registry", {});
  EXPECT_THAT(text, testing::EndsWith(" AUDIT registry\n"));
}

TEST(Log, HandsWholeLinesToItsSinkFromAllThreads) {
  std::vector<std::string> lines;
  Log log(LogFormat::kJson, LogLevel::kInfo,
          [&lines](absl::string_view line) { lines.emplace_back(line); });
  constexpr int kThreads = 4;
  constexpr int kRecords = 250;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&log, thread] {
      for (int i = 0; i < kRecords; ++i) log.Info("m", {{"thread", thread}, {"i", i}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(lines.size(), kThreads * kRecords);
  for (const std::string& line : lines) {
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    EXPECT_EQ(line.back(), '\n');
  }
}

}  // namespace
}  // namespace clearance::server

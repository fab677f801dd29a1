// SPDX-License-Identifier: Apache-2.0
#include "server/guard/caller_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clearance::server {
namespace {

using ::testing::HasSubstr;

TEST(Audit, TellsWhoDidWhatWhateverTheLevelOfTheLog) {
  std::string written;
  Log log(LogFormat::kHuman, LogLevel::kError,
          [&](absl::string_view line) { written.append(line.data(), line.size()); });
  const Caller caller{
      .principal = nullptr, .peer = "ipv4:127.0.0.1:7", .request_id = "id-1", .trace_id = ""};
  WriteAudit(log, caller,
             {.action = "delete",
              .name = "crate",
              .digest = "v1-sha256-00",
              .revision = 7,
              .outcome = "changed"});
  EXPECT_THAT(written,
              HasSubstr(" AUDIT registry action=delete outcome=changed name=crate "
                        "digest=v1-sha256-00 revision=7 principal=anyone peer=ipv4:127.0.0.1:7 "
                        "request_id=id-1 trace_id=\"\"\n"));
}

TEST(Audit, ShowsNoMoreOfANameThanOneMayHave) {
  std::string written;
  Log log(LogFormat::kJson, LogLevel::kError,
          [&](absl::string_view line) { written.append(line.data(), line.size()); });
  // Cut in the middle of a character.
  const std::string name = std::string(127, 'n') + std::string(1 << 20, '\xc3');
  WriteAudit(
      log, Caller{},
      {.action = "delete", .name = name, .digest = "", .revision = 0, .outcome = "unchanged"});
  EXPECT_THAT(written, HasSubstr(std::string(127, 'n')));
  EXPECT_LT(written.size(), 1000u);
}

TEST(RefusalLog, TellsAHundredRefusalsAnHourAndNoMore) {
  std::vector<std::string> lines;
  Log log(LogFormat::kHuman, LogLevel::kInfo,
          [&](absl::string_view line) { lines.emplace_back(line); });
  RefusalLog refusals(log);
  const Caller caller{.principal = nullptr, .peer = "peer-1", .request_id = "id-1", .trace_id = ""};
  for (int i = 0; i < 250; ++i)
    refusals.Write(caller, "Distance", absl::UnauthenticatedError("who"));
  ASSERT_EQ(lines.size(), 100u);
  EXPECT_THAT(lines[0], HasSubstr("WARNING refused a call code=UNAUTHENTICATED reason=who "
                                  "method=Distance principal=anyone peer=peer-1 request_id=id-1"));
}

}  // namespace
}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
#include "server/guard/refusal_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clearance::server {
namespace {

using ::testing::HasSubstr;

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

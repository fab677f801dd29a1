// SPDX-License-Identifier: Apache-2.0
//
// `clearance bench`: what it says it asked is what the server counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/integration/client/command_line.h"

namespace clearance::client {
namespace {

using ::testing::HasSubstr;

class BenchCommand : public CommandLine {
 protected:
  // Rows that the server answered.
  double AnsweredRows() const {
    std::istringstream page(ShutdownAndScrape());
    double rows = 0;
    for (std::string line; std::getline(page, line);) {
      if (line.rfind("clearance_queries_total{", 0) != 0) continue;
      rows += std::strtod(line.c_str() + line.rfind(' '), nullptr);
    }
    return rows;
  }
};

TEST_F(BenchCommand, SweepsTheNumberOfSessions) {
  const Ran ran = RunApart("--json bench --concurrency 1:5:2 --messages 10 --rows 4 --csv " +
                           File("sweep.csv"));
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  const Json lines = Json::parse(ran.output);
  ASSERT_EQ(lines.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const Json& line = lines[i];
    EXPECT_EQ(line["concurrency"], 1 + 2 * i);
    EXPECT_EQ(line["messages"], 10);
    EXPECT_NEAR(line["queries_per_second"].get<double>() * line["seconds"].get<double>(), 40, 1e-6);
    double before = 0;
    for (const char* const name : {"p50_us", "p90_us", "p95_us", "p99_us", "max_us"}) {
      EXPECT_GE(line[name].get<double>(), before) << name;
      before = line[name];
    }
    EXPECT_GT(before, 0);
  }
  std::ifstream csv(File("sweep.csv"));
  std::string header, first;
  std::getline(csv, header);
  std::getline(csv, first);
  EXPECT_EQ(header,
            "concurrency,rows_a_message,messages,in_flight,seconds,messages_per_second,"
            "queries_per_second,p50_us,p90_us,p95_us,p99_us,max_us");
  EXPECT_EQ(first.rfind("1,4,10,8,", 0), 0u) << first;
  // With the first pass of each session.
  EXPECT_EQ(AnsweredRows(), 3 * 40 + (1 + 3 + 5) * 4);
}

TEST_F(BenchCommand, EndsOnceLatenciesAreTooLong) {
  const Ran ran =
      RunApart("--json bench --concurrency 1:9:1 --messages 10 --rows 4 --max-p99 0.001");
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_EQ(Json::parse(ran.output).size(), 1u);
}

TEST_F(BenchCommand, RefusesASweepThatIsNone) {
  for (const char* const sweep : {"0", "3:1", "1:2:0", "1:2:3:4", "x", "1:9999"}) {
    const Ran ran = Run(std::string("bench --concurrency ") + sweep);
    EXPECT_EQ(ran.exit_code, 2) << sweep;
    EXPECT_THAT(ran.output, HasSubstr("must be FIRST, FIRST:LAST or FIRST:LAST:STEP"));
  }
  EXPECT_THAT(Run("bench --messages 1 --csv /nonexistent/file").output,
              HasSubstr("/nonexistent/file: cannot be written"));
}

}  // namespace
}  // namespace clearance::client

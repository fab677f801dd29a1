// SPDX-License-Identifier: Apache-2.0
//
// `clearance watch` with scripted pages, whose differences are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "server/observe/http_server.h"
#include "tests/integration/client/command_line.h"
#include "tests/support/skip.h"

namespace clearance::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// At look n the counts are n times those of the first. Eight of ten batches take up to 1 ms and two
// up to 2 ms: the median is at 5/8 of the first bucket, 90 % in the middle of the second.
std::string PageOf(int n) {
  return absl::StrFormat(
      R"(# HELP clearance_queries_total Rows answered, by what was proved.
clearance_queries_total{kind="distance",state="separated"} %d
clearance_queries_total{kind="distance",state="touching"} %d
clearance_queries_total{kind="scene_ray",state="hit"} 0
clearance_refused_rows_total{kind="distance"} %d
grpc_server_msg_received_total{grpc_type="unary",grpc_method="Distance"} %d
grpc_server_started_total{grpc_type="unary",grpc_method="Distance"} %d
grpc_server_handled_total{grpc_method="Distance",grpc_code="OK"} %d
grpc_server_handled_total{grpc_method="Distance",grpc_code="NotFound"} %d
clearance_batch_compute_seconds_bucket{kind="distance",le="0.001"} %d
clearance_batch_compute_seconds_bucket{kind="distance",le="0.002"} %d
clearance_batch_compute_seconds_bucket{kind="distance",le="+Inf"} %d
clearance_sessions_open 3
process_resident_memory_bytes 44564480
)",
      900 * n, 100 * n, 4 * n, 20 * n, 10 * n, 5 * n, n, 8 * n, 10 * n, 10 * n);
}

class Watch : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    auto started =
        server::HttpServer::Start("127.0.0.1:0", [this](const server::HttpRequest& request) {
          EXPECT_EQ(request.path, "/metrics");
          return server::HttpReply{.body = PageOf(next_.fetch_add(step_))};
        });
    ASSERT_TRUE(started.ok()) << started.status();
    http_ = *std::move(started);
  }

  std::string Http() const { return "--http 127.0.0.1:" + std::to_string(http_->port()); }

  std::atomic<int> next_ = 7;
  std::atomic<int> step_ = 1;  // of the counts between two looks

 private:
  std::unique_ptr<server::HttpServer> http_;
};

TEST_F(Watch, PrintsRatesAndPercentilesSinceTheLastLook) {
  const Ran ran = RunApart("--json watch --interval 0.01 --count 2 " + Http());
  EXPECT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 2);
  const Json look = Json::parse(ran.output.substr(0, ran.output.find('\n')));
  const double seconds = look["seconds"];
  EXPECT_GE(seconds, 0.01);
  const auto counted = [&](const char* name) { return look[name].get<double>() * seconds; };
  EXPECT_NEAR(counted("queries_per_second"), 1000, 1e-6);
  EXPECT_NEAR(counted("messages_per_second"), 20, 1e-6);
  EXPECT_NEAR(counted("calls_per_second"), 10, 1e-6);
  EXPECT_NEAR(counted("errors_per_second"), 5, 1e-6);  // a call and four rows
  EXPECT_EQ(look["sessions"], 3);
  EXPECT_NEAR(look["batch_p50_us"].get<double>(), 625, 1e-6);
  EXPECT_NEAR(look["batch_p90_us"].get<double>(), 1500, 1e-6);
  EXPECT_TRUE(look["queue_p99_us"].is_null());
  const Json& states = look["states_per_second"];
  EXPECT_EQ(states.size(), 1u);
  EXPECT_NEAR(states["distance"]["touching"].get<double>() * seconds, 100, 1e-6);
}

TEST_F(Watch, CountsAServerThatBeganAnewFromItsBeginning) {
  step_ = -5;
  const Ran ran = RunApart("--json watch --interval 0.01 --count 1 " + Http());
  EXPECT_EQ(ran.exit_code, 0) << ran.errors;
  const Json look = Json::parse(ran.output);
  EXPECT_NEAR(look["queries_per_second"].get<double>() * look["seconds"].get<double>(), 2000, 1e-6);
}

TEST_F(Watch, PrintsLinesToAPipeAndAPageToATerminal) {
  const std::string watch = "watch --interval 0.01 --count 2 " + Http();
  const Ran lines = Run(watch);
  EXPECT_EQ(std::count(lines.output.begin(), lines.output.end(), '\n'), 2) << lines.output;
  EXPECT_THAT(lines.output, HasSubstr(" 3 sessions  batch p50 625 us p99 1.95 ms  "));
  if (!test::HasTerminals()) GTEST_SKIP() << test::kNoTerminals;
  const Ran page = Shell("script -qec '" CLEARANCE_CLI " " + watch + "' /dev/null");
  EXPECT_EQ(page.exit_code, 0) << page.output;
  EXPECT_THAT(page.output, HasSubstr("\x1b[H\x1b[J"));
  EXPECT_THAT(page.output, HasSubstr("sessions                          3"));
  EXPECT_THAT(page.output, HasSubstr("distance               separated"));
  EXPECT_THAT(page.output, HasSubstr("batch                        625 us       1.5 ms"));
  EXPECT_THAT(page.output, HasSubstr("resident memory            42.5 MiB"));
  EXPECT_THAT(page.output, Not(HasSubstr("_per_second")));
}

TEST_F(Watch, EndsWhereNobodySeesItAnyMore) {
  const Ran ran = RunApart("watch --interval 0.01 " + Http() + " >/dev/full");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.errors, HasSubstr("stdout: cannot be written"));
}

TEST_F(Watch, SaysThatNobodyAnswersOrSomebodyElse) {
  const Ran nobody = Run("watch --count 1 --http 127.0.0.1:1");
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_THAT(nobody.output,
              HasSubstr("http://127.0.0.1:1/metrics: 127.0.0.1: Connection refused"));
  const Ran other = Run("watch --count 1 --http " + server().address());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.output, HasSubstr("/metrics: answers "));
}

}  // namespace
}  // namespace clearance::client

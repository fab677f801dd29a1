// SPDX-License-Identifier: Apache-2.0
#include "server/observe/metrics.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/scene_query_service.pb.h"
#include "clearance/v1/scene_service.pb.h"
#include "clearance/v1/server_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/config/server_config.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RpcSeries, CoverEveryMethodOfTheProtosInTheirOrder) {
  const google::protobuf::FileDescriptor* const files[] = {
      v1::RegisterShapeRequest::descriptor()->file(), v1::DistanceRequest::descriptor()->file(),
      v1::CreateSceneRequest::descriptor()->file(), v1::GetServerInfoRequest::descriptor()->file(),
      v1::CheckRequest::descriptor()->file()};
  std::size_t next = 0;
  for (const auto* const file : files) {
    for (int i = 0; i < file->service(0)->method_count(); ++i) {
      ASSERT_LT(next, kRpcMethods);
      const google::protobuf::MethodDescriptor& method = *file->service(0)->method(i);
      const RpcMethodInfo& info = InfoOf(static_cast<RpcMethod>(next++));
      EXPECT_EQ(info.service, method.service()->full_name());
      EXPECT_EQ(info.method, method.name());
      const char* const streaming = method.client_streaming() ? "bidi_stream" : "server_stream";
      EXPECT_STREQ(info.type, method.server_streaming() ? streaming : "unary");
    }
  }
  EXPECT_EQ(next, kRpcMethods);
}

TEST(Metrics, TellWhenTheProcessStarted) {
  const std::string text = Metrics("1.2.3").Scrape();
  const std::string name = "\nprocess_start_time_seconds ";
  const std::size_t begin = text.find(name);
  ASSERT_NE(begin, std::string::npos);
  EXPECT_NEAR(std::stod(text.substr(begin + name.size())),
              absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()), 3600);
}

TEST(Metrics, StandAtZeroFromTheStart) {
  const std::string text = Metrics("1.2.3").Scrape();
  for (
      const char* const line :
      {R"(grpc_server_started_total{grpc_method="Session",grpc_service="clearance.v1.QueryService",grpc_type="bidi_stream"} 0)",
       R"(grpc_server_handled_total{grpc_code="Unauthenticated",grpc_method="GetShape",grpc_service="clearance.v1.ShapeService",grpc_type="unary"} 0)",
       R"(clearance_queries_total{kind="distance",state="beyond"} 0)",
       R"(clearance_queries_total{kind="time_of_collision",state="initially_overlapping"} 0)",
       R"(clearance_undecided_total{kind="intersection",reason="budget"} 0)",
       R"(clearance_refused_rows_total{kind="distance"} 0)",
       R"(clearance_checked_answers_total{kind="distance"} 0)",
       R"(clearance_checked_answers_total{kind="time_of_collision"} 0)",
       R"(clearance_contradicted_answers_total{kind="distance"} 0)",
       R"(clearance_contradicted_answers_total{kind="intersection"} 0)",
       R"(clearance_contradicted_answers_total{kind="time_of_collision"} 0)",
       R"(clearance_unchecked_answers_total{kind="intersection",reason="too_large"} 0)",
       R"(clearance_unchecked_answers_total{kind="distance",reason="undecided"} 0)",
       R"(clearance_loop_silence_seconds{loop="accept"} 0)",
       R"(clearance_loop_silence_seconds{loop="handover"} 0)",
       R"(clearance_loop_silence_seconds{loop="poll"} 0)",
       R"(clearance_loop_silence_seconds{loop="work"} 0)",
       "\nclearance_sessions_open 0",
       "\nclearance_sessions_refused_total 0",
       "\nclearance_registry_revision 0"}) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat(line, "\n")));
  }
  EXPECT_THAT(text, HasSubstr(R"(,version="1.2.3"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr(R"(kind="intersection",state="beyond")")));
}

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
  metrics.ShowLimits(config);
  const std::string text = metrics.Scrape();
  for (const char* const line :
       {"max_pending_work_seconds 12.5", "max_total_bytes_in_flight 13", "max_sessions 14",
        "max_shapes 15", "max_registry_bytes 16", "max_scenes 17", "max_scene_bytes 18",
        "max_tracks 19", "max_watches 20", "max_total_session_bytes 21"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\nclearance_") + line + "\n"));
  }
  const auto connections = absl::c_find_if(AllSettings(), [](const Setting& setting) {
    return setting.name == std::string("max_connections");
  });
  EXPECT_EQ(absl::StrContains(text, "\nclearance_max_connections 11\n"), IsInEffect(*connections))
      << "a limit that no part of this build keeps";
}

TEST(RpcSeries, CountCallsMessagesCodesAndTime) {
  Metrics metrics("1");
  RpcSeries& rpc = metrics.Rpc(RpcMethod::kDistance);
  rpc.Started();
  rpc.MessageReceived();
  rpc.MessageSent();
  rpc.Handled(3, absl::Microseconds(70));
  rpc.Handled(-1, absl::Seconds(20));
  rpc.Handled(17, absl::ZeroDuration());
  const std::string text = metrics.Scrape();
  const std::string labels =
      R"(grpc_method="Distance",grpc_service="clearance.v1.QueryService",grpc_type="unary")";
  const auto expect = [&](const std::string& name, const std::string& rest) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat(name, labels, rest, "\n")));
  };
  expect("grpc_server_started_total{", "} 1");
  expect("grpc_server_msg_received_total{", "} 1");
  expect("grpc_server_msg_sent_total{", "} 1");
  expect(R"(grpc_server_handled_total{grpc_code="InvalidArgument",)", "} 1");
  expect(R"(grpc_server_handled_total{grpc_code="Unknown",)", "} 2");
  expect("grpc_server_handling_seconds_bucket{", R"(,le="5e-05"} 1)");
  expect("grpc_server_handling_seconds_bucket{", R"(,le="0.0001"} 2)");
  expect("grpc_server_handling_seconds_bucket{", R"(,le="10"} 2)");
  expect("grpc_server_handling_seconds_count{", "} 3");
}

TEST(Metrics, TakeABatchAsAWhole) {
  Metrics metrics("1");
  BatchTally tally(QueryKind::kDistance);
  DistanceAnswer answer;
  answer.state = State::kTouching;
  answer.tolerance = 1;
  answer.bracket = {-0.25, 0.25};
  answer.iterations = 7;
  for (int i = 0; i < 5; ++i) tally.Add(answer);
  tally.AddRefused();
  tally.AddNotReached();
  metrics.Record(tally, absl::Milliseconds(2));

  const std::string text = metrics.Scrape();
  for (const char* const line : {R"(clearance_queries_total{kind="distance",state="touching"} 5)",
                                 R"(clearance_queries_total{kind="distance",state="undecided"} 1)",
                                 R"(clearance_undecided_total{kind="distance",reason="budget"} 1)",
                                 R"(clearance_refused_rows_total{kind="distance"} 1)",
                                 R"(clearance_batch_rows_sum{kind="distance"} 7)",
                                 R"(clearance_batch_rows_count{kind="intersection"} 0)",
                                 R"(clearance_batch_compute_seconds_sum{kind="distance"} 0.002)",
                                 R"(clearance_iterations_bucket{kind="distance",le="6"} 0)",
                                 R"(clearance_iterations_bucket{kind="distance",le="8"} 5)",
                                 R"(clearance_iterations_sum{kind="distance"} 35)",
                                 R"(clearance_bracket_width_ratio_bucket{le="0.25"} 0)",
                                 R"(clearance_bracket_width_ratio_bucket{le="0.5"} 5)",
                                 "clearance_bracket_width_ratio_count 5"}) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat("\n", line, "\n")));
  }
}

TEST(Metrics, LoseNothingWhenManyThreadsRecord) {
  Metrics metrics("1");
  constexpr int kThreads = 4;
  constexpr int kBatches = 500;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&metrics] {
      for (int i = 0; i < kBatches; ++i) {
        BatchTally tally(QueryKind::kIntersection);
        tally.AddNotReached();
        metrics.Record(tally, absl::ZeroDuration());
        metrics.sessions_open().Increment();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = metrics.Scrape();
  EXPECT_THAT(
      text, HasSubstr("clearance_undecided_total{kind=\"intersection\",reason=\"budget\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr("\nclearance_sessions_open 2000\n"));
}

}  // namespace
}  // namespace clearance::server

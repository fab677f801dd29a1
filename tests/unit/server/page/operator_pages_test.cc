// SPDX-License-Identifier: Apache-2.0
#include "server/page/operator_pages.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace clearance::server {
namespace {

// Four calls that wait for their channels, until the test has seen what that leaves to others.
TEST(OperatorPages, AnswerFewCallsAtOnceAndProbesBesideThem) {
  constexpr int kAtOnce = 4;
  std::latch waiting(kAtOnce), may_go(1);
  std::atomic<int> calls = 0;
  const auto to_nobody = [&] {
    if (calls++ < kAtOnce) {
      waiting.count_down();
      may_go.wait();
    }
    return grpc::CreateChannel("unix:/nobody", grpc::InsecureChannelCredentials());
  };
  const Metrics metrics("test");
  Metrics of_liveness("test");
  Liveness liveness(absl::InfiniteDuration(), of_liveness);
  OperatorPages pages(&metrics, &liveness);
  pages.AnswerCalls(to_nobody, /*checks_callers=*/false);
  pages.SetReady(true);
  const HttpRequest call = {.method = "POST",
                            .path = "/call/ServerService/GetServerInfo",
                            .content_type = "application/json",
                            .authorization = "",
                            .host = "127.0.0.1",
                            .body = "{}"};
  std::vector<HttpReply> replies(kAtOnce);
  std::vector<std::thread> callers;
  for (HttpReply& reply : replies) callers.emplace_back([&] { reply = pages.Answer(call); });
  waiting.wait();
  EXPECT_EQ(pages.Answer(call).status, 429);
  HttpRequest probe = call;
  probe.method = "GET";
  probe.path = "/livez";
  EXPECT_EQ(pages.Answer(probe).status, 200);
  may_go.count_down();
  for (std::thread& caller : callers) caller.join();
  for (const HttpReply& reply : replies) EXPECT_EQ(reply.status, 503);

  pages.SetReady(false);
  const HttpReply draining = pages.Answer(call);
  EXPECT_EQ(draining.status, 503);
  EXPECT_EQ(draining.content_type, "application/json");
}

// A page of somebody else's, whose name was made to mean this machine (DNS rebinding).
TEST(OperatorPages, AnswerNoNameOnAPortOfThisMachineAlone) {
  const Metrics metrics("test");
  Metrics of_liveness("test");
  Liveness liveness(absl::InfiniteDuration(), of_liveness);
  OperatorPages everywhere(&metrics, &liveness), here(&metrics, &liveness);
  here.AnswerAddressesOnly();
  const auto status_of = [](OperatorPages& pages, const std::string& host) {
    HttpRequest request;
    request.method = "GET";
    request.path = "/metrics";
    request.host = host;
    return pages.Answer(request).status;
  };
  for (const char* const host :
       {"127.0.0.1:9464", "127.0.0.1", "localhost:9464", "[::1]:9464", ""}) {
    EXPECT_EQ(status_of(here, host), 200) << host;
    EXPECT_EQ(status_of(everywhere, host), 200) << host;
  }
  for (const char* const host : {"evil.example", "evil.example:9464", "127.0.0.1.evil.example"}) {
    EXPECT_EQ(status_of(here, host), 403) << host;
    EXPECT_EQ(status_of(everywhere, host), 200) << host;
  }
}

}  // namespace
}  // namespace clearance::server

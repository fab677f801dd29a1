// SPDX-License-Identifier: Apache-2.0
#include "server/app/operator_pages.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace clearance::server {
namespace {

namespace fs = std::filesystem;

// Four calls that wait for their channels, until the test has seen what that leaves to others.
TEST(OperatorPages, AnswerFewCallsAtOnceAndProbesBesideThem) {
  std::string folder = fs::temp_directory_path() / "clearance-page-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(fs::path(folder) / "index.html") << "<p>";
  absl::StatusOr<PageFiles> files = PageFiles::Read(folder);
  fs::remove_all(folder);
  ASSERT_TRUE(files.ok()) << files.status();

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
  pages.Show(*std::move(files), PageCalls(to_nobody));
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

}  // namespace
}  // namespace clearance::server

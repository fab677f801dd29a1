// SPDX-License-Identifier: Apache-2.0
//
// How the real program ends: politely at the first signal, at once at the second.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::shared_ptr<grpc::Channel> ChannelTo(const ServerProcess& server) {
  return grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials());
}

class Drain : public testing::TestWithParam<int> {};

TEST_P(Drain, ExitsWithZeroThoughASessionIsOpen) {
  // Nothing is left to the timeout: sessions end by themselves, or the test hangs.
  ServerProcess server({"--drain_timeout=1h"});
  {
    const auto stub = v1::QueryService::NewStub(ChannelTo(server));
    grpc::ClientContext context;
    const auto session = stub->Session(&context);
    v1::SessionRequest request;
    request.set_tag(7);
    request.mutable_close()->set_slot(0);
    ASSERT_TRUE(session->Write(request));
    v1::SessionResponse response;
    ASSERT_TRUE(session->Read(&response));
    EXPECT_EQ(response.tag(), 7);

    server.process().Signal(GetParam());
    EXPECT_FALSE(session->Read(&response));
    EXPECT_EQ(session->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  // An idle gRPC client looks at its connection only every five seconds; the channel is gone by
  // now, so that the server need not wait for it.
  EXPECT_EQ(server.process().WaitForExit(), 0) << server.process().output();
}

INSTANTIATE_TEST_SUITE_P(Signals, Drain, testing::Values(SIGTERM, SIGINT),
                         [](const auto& row) { return row.param == SIGTERM ? "TERM" : "INT"; });

TEST(DrainDelay, SaysNotReadyButServesAndEndsAtTheSecondSignal) {
  ServerProcess server({"--drain_delay=1h"});
  server.process().Signal(SIGTERM);
  ASSERT_TRUE(server.process().WaitForLine("not ready")) << server.process().output();

  EXPECT_THAT(HttpGet(server.http_port(), "/readyz"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(HttpGet(server.http_port(), "/livez"), StartsWith("HTTP/1.1 200 "));
  const Completed health = RunServerProgram({"--health_check=" + server.grpc_address()});
  EXPECT_EQ(health.exit_code, 1);
  EXPECT_EQ(health.output, "NOT_SERVING\n");
  const auto stub = v1::ServerService::NewStub(ChannelTo(server));
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  EXPECT_TRUE(stub->GetServerInfo(&context, {}, &info).ok());

  server.process().Signal(SIGTERM);
  EXPECT_EQ(server.process().WaitForExit(), 1);
  EXPECT_TRUE(server.process().WaitForLine("second signal"));
}

TEST(Start, LogsWhatItRunsWithAsJson) {
  ServerProcess server({"--log_format=json", "--max_sessions=7"});
  const std::string output = server.process().output();
  EXPECT_THAT(output, HasSubstr(R"("message":"settings")"));
  EXPECT_THAT(output, HasSubstr(R"("max_sessions":"7")"));
}

}  // namespace
}  // namespace clearance::test

// SPDX-License-Identifier: Apache-2.0
//
// The HTTP port of the real program.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clearance/v1/server_service.grpc.pb.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"
#include "tests/support/raw_http2.h"

namespace clearance::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(OperatorPages, SayAliveAndReadyAndWhatElseIsNotThere) {
  ServerProcess server;
  EXPECT_THAT(HttpGet(server.http_port(), "/livez"), EndsWith("\r\n\r\nalive\n"));
  EXPECT_THAT(HttpGet(server.http_port(), "/readyz"),
              AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\nready\n")));
  EXPECT_THAT(HttpGet(server.http_port(), "/"), StartsWith("HTTP/1.1 404 "));
}

// A byte of a header at a time, of many connections, then none: an orchestrator that hears nothing
// would kill the server.
TEST(OperatorPages, SayAliveAndReadyWhileOthersSendTheirHeadersSlowly) {
  ServerProcess server;
  std::vector<RawConnection> slow;
  for (int i = 0; i < 64; ++i) slow.emplace_back(server.http_port(), kAttacker);
  for (const char byte : std::string("GET /livez HTTP/1.1\r\nHost: x\r\nA: ")) {
    for (const RawConnection& connection : slow) connection.Send(std::string(1, byte));
    EXPECT_THAT(HttpGet(server.http_port(), "/livez"), EndsWith("\r\n\r\nalive\n"));
    EXPECT_THAT(HttpGet(server.http_port(), "/readyz"), EndsWith("\r\n\r\nready\n"));
  }
}

TEST(OperatorPages, CountACallInTheMetrics) {
  ServerProcess server;
  const auto stub = v1::ServerService::NewStub(
      grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(stub->GetServerInfo(&context, {}, &info).ok());
  EXPECT_EQ(info.version(), CLEARANCE_VERSION);

  const std::string metrics = HttpGet(server.http_port(), "/metrics");
  EXPECT_THAT(metrics, HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(metrics,
              HasSubstr(R"(grpc_server_started_total{grpc_method="GetServerInfo",)"
                        R"(grpc_service="clearance.v1.ServerService",grpc_type="unary"} 1)"));
  EXPECT_THAT(metrics, HasSubstr("\nprocess_open_fds "));
}

}  // namespace
}  // namespace clearance::test

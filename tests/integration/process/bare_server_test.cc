// SPDX-License-Identifier: Apache-2.0
//
// The real program, built without the fence and without the etcd store.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "clearance/v1/query_service.grpc.pb.h"
#include "tests/integration/process/certificates.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/optional_program.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;

// Asks for the distance of two balls of radius 1 m whose centres are 5 m apart.
double AskDistance(const std::shared_ptr<grpc::Channel>& channel) {
  v1::DistanceRequest request;
  for (int i = 0; i < 2; ++i) {
    request.add_shapes()->mutable_inline_shape()->mutable_sphere()->set_radius(1);
  }
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  pairs->set_count(1);
  pairs->add_slots_a(0);
  pairs->add_slots_b(1);
  for (const double number : {5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  v1::DistanceResponse response;
  const grpc::Status status =
      v1::QueryService::NewStub(channel)->Distance(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return status.ok() ? response.result().distances(0) : 0;
}

Completed RunWith(const std::string& flag) {
  return RunServerProgram({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0", flag});
}

TEST(BareServer, FenceFlag_NotDefault_Refused) {
  const Completed run = RunWith("--max_streams=7");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.output,
            "clearance-server: --max_streams=7: this build has no fence; leave out the flag, or "
            "build the server with -DCLEARANCE_FENCE=ON\n");
}

TEST(BareServer, EtcdFlag_NotDefault_Refused) {
  const Completed run = RunWith("--store=etcd://127.0.0.1:2379");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.output,
            "clearance-server: --store=etcd://127.0.0.1:2379: this build has no etcd store; leave "
            "out the flag, or build the server with -DCLEARANCE_ETCD=ON\n");
  EXPECT_EQ(RunWith("--etcd_user=alice").exit_code, 2);
}

TEST(BareServer, TakenPort_ExitsWithOne) {
  const ServerProcess server;
  const Completed run =
      RunServerProgram({"--listen=" + server.grpc_address(), "--http_listen=127.0.0.1:0"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("gRPC cannot start on " + server.grpc_address()));
}

TEST(BareServer, Question_Answered) {
  ServerProcess server;
  EXPECT_THAT(server.process().output(), HasSubstr("this build has no fence"));
  const double distance =
      AskDistance(grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials()));
  EXPECT_NEAR(distance, 3, 1e-9);
  EXPECT_EQ(MetricOf(server, R"(clearance_queries_total{kind="distance",state="separated"})"), 1);
  server.process().Signal(SIGTERM);
  EXPECT_EQ(server.process().WaitForExit(), 0) << server.process().output();
}

TEST(BareServer, UnixSocket_Serves) {
  const TemporaryDirectory directory;
  const std::string address = "unix:" + directory.File("socket");
  ChildProcess server(
      {CLEARANCE_SERVER_PROGRAM, "--listen=" + address, "--http_listen=127.0.0.1:0"});
  ASSERT_TRUE(server.WaitForLine("grpc_port=0")) << server.output();
  const double distance =
      AskDistance(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  EXPECT_NEAR(distance, 3, 1e-9);
}

TEST(BareServer, Tls_ServesThoseWhoTrustItsCa) {
  CLEARANCE_REQUIRE_PROGRAMS("openssl");
  const Certificates files;
  const ServerProcess server(files.ServerFlags(false));
  std::stringstream ca;
  ca << std::ifstream(files.Path("ca.pem")).rdbuf();
  const auto credentials = grpc::SslCredentials({ca.str(), "", ""});
  EXPECT_NEAR(AskDistance(grpc::CreateChannel(server.grpc_address(), credentials)), 3, 1e-9);
}

}  // namespace
}  // namespace clearance::test

// SPDX-License-Identifier: Apache-2.0
//
// How the real program ends: politely at the first signal, at once at the second.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <sstream>
#include <string>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "tests/hammer/moves.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"
#include "tests/support/raw_http2.h"

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
  EXPECT_EQ(server.process().WaitForExit(), 0) << server.process().output();
}

// A client that does nothing does not answer either; gRPC would give it 20 s to.
TEST(DrainOfConnections, EndsThoseWithoutACallAndLetsCallsEnd) {
  // Type, flags and stream of such a frame.
  const std::string kBeginGoAway("\7\0\0\0\0\0", 6);
  ServerProcess server({"--drain_timeout=1h"});
  const RawConnection busy(server.grpc_port());
  busy.Send(Preface() + OpenCall(0, kCheck));
  busy.Send(Ping());
  ASSERT_TRUE(busy.AwaitBytes(kPingBytes));
  const RawConnection idle(server.grpc_port());
  ASSERT_TRUE(IsTaken(idle));

  server.process().Signal(SIGTERM);
  std::string said;
  for (std::string more = idle.Receive(); !more.empty(); more = idle.Receive()) said += more;
  // Once, and not again with the number of the last call, after an answer or the time for one.
  EXPECT_THAT(said, HasSubstr(kBeginGoAway));
  EXPECT_EQ(said.find(kBeginGoAway), said.rfind(kBeginGoAway));

  // The other's call goes on.
  busy.Send(Frame(FrameType::kData, kEndStream, StreamOf(0), MessageFrame("")));
  EXPECT_TRUE(busy.AwaitBytes("grpc-status"));
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
  EXPECT_THAT(output, HasSubstr(R"("message":"settings that differ from their defaults")"));
  EXPECT_THAT(output, HasSubstr(R"("max_sessions":"7")"));
  EXPECT_THAT(output, Not(HasSubstr("max_batch_rows")));
}

// Protobuf's own lines, of which every caller could make one a message, are records like all
// others.
TEST(Log, IsJsonWhateverTextsAreNoUtf8) {
  ServerProcess server({"--log_format=json"});
  const std::string name = "\xff\xfe";
  const std::string request = std::string("\x0a\x02", 2) + name;  // RegisterShapeRequest.name
  {
    grpc::GenericStub stub(ChannelTo(server));
    grpc::CompletionQueue queue;
    grpc::ClientContext context;
    const grpc::Slice slice(request);
    const auto call = stub.PrepareUnaryCall(&context, "/clearance.v1.ShapeService/RegisterShape",
                                            grpc::ByteBuffer(&slice, 1), &queue);
    call->StartCall();
    grpc::ByteBuffer answer;
    grpc::Status status;
    call->Finish(&answer, &status, nullptr);
    void* tag = nullptr;
    bool is_ok = false;
    ASSERT_TRUE(queue.Next(&tag, &is_ok));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  server.process().Signal(SIGTERM);
  server.process().WaitForExit();
  std::istringstream lines(server.process().output());
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, StartsWith("{"));
  EXPECT_THAT(server.process().output(), HasSubstr("Protobuf reports"));
}

}  // namespace
}  // namespace clearance::test

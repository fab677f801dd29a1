// SPDX-License-Identifier: Apache-2.0
//
// The view of operators and tools: health, reflection, metrics, a port that is taken, and
// compressed messages, which are refused.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "tests/integration/service/guarded_server.h"
#include "tests/integration/service/harness.h"
#include "tests/support/local_config.h"

namespace clearance::testing {
namespace {

using ::testing::HasSubstr;

// Sends one message and takes one, as bytes.
grpc::Status CallRaw(TestServer& server, const std::string& method, const std::string& request,
                     std::string* response) {
  grpc::GenericStub stub(server.channel);
  grpc::ClientContext context;
  context.set_deadline(HangGuard());
  grpc::CompletionQueue queue;
  const auto await = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto stream = stub.PrepareCall(&context, method, &queue);
  stream->StartCall(nullptr);
  await();
  const grpc::Slice slice(request);
  stream->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
  await();
  grpc::ByteBuffer bytes;
  stream->Read(&bytes, nullptr);
  grpc::Slice whole;
  if (await() && bytes.DumpToSingleSlice(&whole).ok()) {
    response->assign(reinterpret_cast<const char*>(whole.begin()), whole.size());
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  await();
  return status;
}

// Returns the number of grpc.health.v1.HealthCheckResponse.ServingStatus, or -1.
int HealthOf(TestServer& server, const std::string& service) {
  const std::string request = "\x0a" + std::string(1, static_cast<char>(service.size())) + service;
  std::string response;
  const grpc::Status status = CallRaw(server, "/grpc.health.v1.Health/Check", request, &response);
  return status.ok() && response.size() == 2 ? response[1] : -1;
}

TEST(Health, TurnsFromServingToNotServingWithTheDrain) {
  constexpr int kServing = 1;
  constexpr int kNotServing = 2;
  TestServer server;
  const std::string services[] = {"",
                                  "clearance.v1.QueryService",
                                  "clearance.v1.SceneService",
                                  "clearance.v1.SceneQueryService",
                                  "clearance.v1.ShapeService",
                                  "clearance.v1.ServerService"};
  for (const std::string& service : services)
    EXPECT_EQ(HealthOf(server, service), kServing) << service;
  server.grpc->BeginDrain();
  for (const std::string& service : services)
    EXPECT_EQ(HealthOf(server, service), kNotServing) << service;
}

TEST(Reflection, ListsTheServices) {
  TestServer server;
  std::string response;
  const std::string list_services = "\x3a\x01*";
  CallRaw(server, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", list_services,
          &response);
  for (const char* service :
       {"clearance.v1.QueryService", "clearance.v1.SceneService", "clearance.v1.SceneQueryService",
        "clearance.v1.ShapeService", "clearance.v1.ServerService"}) {
    EXPECT_THAT(response, HasSubstr(service));
  }
}

TEST(GuardedServer, TellsAnyoneItsHealthAndNobodyItsServices) {
  GuardedServer guarded;
  EXPECT_EQ(HealthOf(guarded.server, "clearance.v1.QueryService"), 1);
  std::string response;
  const grpc::Status status =
      CallRaw(guarded.server, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
              "\x3a\x01*", &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(response, "");
}

TEST(UnknownMethod, IsUnimplemented) {
  TestServer server;
  std::string response;
  EXPECT_EQ(CallRaw(server, "/clearance.v1.QueryService/Nothing", "", &response).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST(UnaryBytes, ThatAreNoRequestAreInvalid) {
  TestServer server;
  std::string response;
  const grpc::Status status =
      CallRaw(server, "/clearance.v1.QueryService/Distance", "\xff\xff\xff", &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ErrorOf(status).limit(), "a clearance.v1.DistanceRequest");
}

// Before it is unpacked: a little of it would become a lot.
TEST(Compression, IsRefused) {
  TestServer server;
  v1::GetShapeRequest request;
  request.set_name(std::string(1'000'000, 'n'));
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_deadline(HangGuard());
    context.set_compression_algorithm(algorithm);
    v1::GetShapeResponse response;
    const grpc::Status status = server.shapes->GetShape(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr("ompression"));

    grpc::ClientContext of_session;
    of_session.set_deadline(HangGuard());
    of_session.set_compression_algorithm(algorithm);
    const auto session = server.queries->Session(&of_session);
    session->Write(DistanceAt(5, 1));
    session->WritesDone();
    v1::SessionResponse answer;
    EXPECT_FALSE(session->Read(&answer));
    EXPECT_EQ(session->Finish().error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
  // It serves on, and what is not compressed as well.
  v1::GetShapeResponse response;
  EXPECT_EQ(
      Call(*server.shapes, &v1::ShapeService::Stub::GetShape, request, &response).error_code(),
      grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(GrpcServer, DoesNotShareAPortThatIsTaken) {
  TestServer server;
  server::ServerConfig config = server::LocalConfig(server.limits);
  config.listen = "127.0.0.1:" + std::to_string(server.grpc->port());
  const auto second =
      server::GrpcServer::Start({.config = config}, server.registry, server.metrics);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

// The counts are complete once the server is down.
TEST(Metrics, CountCallsMessagesRowsAndSizes) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  {
    TestSession session(server);
    session.Open(0, "ball");
    session.Open(1, "ball");
    EXPECT_EQ(session.Ask(DistanceAt(5, 1)).distance().states(0), v1::STATE_SEPARATED);
    EXPECT_TRUE(session.Finish().ok());
  }
  server.grpc->Shutdown(absl::InfiniteDuration());
  const std::string page = server.metrics.Scrape();
  const auto series_of = [&page](const std::string& name, const std::string& label) {
    std::size_t line = page.find("\n" + name + "{");
    while (line != std::string::npos) {
      const std::size_t end = page.find('\n', line + 1);
      const std::string text = page.substr(line + 1, end - line - 1);
      if (text.find(label) != std::string::npos) return text.substr(text.rfind(' ') + 1);
      line = page.find("\n" + name + "{", end);
    }
    return std::string("absent");
  };
  const std::string session = "grpc_method=\"Session\"";
  EXPECT_EQ(series_of("grpc_server_started_total", session), "1");
  EXPECT_EQ(series_of("grpc_server_msg_received_total", session), "3");
  EXPECT_EQ(series_of("grpc_server_msg_sent_total", session), "3");
  EXPECT_EQ(series_of("grpc_server_handled_total", "grpc_code=\"OK\",grpc_method=\"Session\""),
            "1");
  EXPECT_EQ(series_of("grpc_server_started_total", "grpc_method=\"RegisterShape\""), "1");
  EXPECT_EQ(server.metrics.shapes().Value(), 1);
  EXPECT_EQ(server.metrics.sessions_open().Value(), 0);
  EXPECT_EQ(server.metrics.messages_in_flight().Value(), 0);
}

}  // namespace
}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Clients that do not keep to HTTP/2, in short: each must lose its connection or be tolerated,
// memory stays bounded, and an honest client is served afterwards. `./dev attack` does the same for
// longer.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/hammer/moves.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/raw_http2.h"

namespace clearance::test {
namespace {

using testing::ContainsRegex;

constexpr char kCutForStreams[] = R"(clearance_connections_cut_total{reason="streams"})";
constexpr char kCutForResets[] = R"(clearance_connections_cut_total{reason="resets"})";
constexpr char kCutForFlood[] = R"(clearance_connections_cut_total{reason="flood"})";
constexpr char kRefusedAfterCut[] = R"(clearance_connections_refused_total{reason="cut"})";

// Limit of an attack, after which the server counts as unable to end it; and limit of the server's
// growth by then, which cannot be judged if a sanitizer takes memory itself.
constexpr int kManyStreams = 300'000;
constexpr double kMaxGrowthBytes =
    CLEARANCE_MEMORY_IS_JUDGED ? 400e6 : std::numeric_limits<double>::infinity();

constexpr int kShortCalls = 10'000;

// Sends make(0), make(1), … until the server ends the connection; returns false if it never does.
template <class Make>
bool IsEnded(const RawConnection& connection, const Make& make) {
  for (int i = 0; i < kManyStreams; ++i) {
    if (!connection.Send(make(i))) return true;
  }
  return false;
}

// Says the preface and waits until the connection is with the polling threads: what it sends before
// may be cut for holding the thread that hands it over, which it no longer does once that takes the
// next one.
void BeginOn(const ServerProcess& server, const RawConnection& connection) {
  EXPECT_TRUE(IsTaken(connection));
  EXPECT_TRUE(IsTaken(RawConnection(server.grpc_port())));
}

// Returns the server's log until it has drained: a line that is not there by then never comes.
std::string LogOf(ServerProcess* server) {
  server->process().Signal(SIGTERM);
  server->process().WaitForOutput();
  return server->process().output();
}

TEST(Attack, StreamsWithoutEndCostTheConnection) {
  for (const char* const path : {kCheck, kDistance}) {
    ServerProcess server({"--max_streams_per_connection=100"});
    const double before = ResidentBytes(server);
    const RawConnection attacker(server.grpc_port(), kAttacker);
    BeginOn(server, attacker);
    EXPECT_TRUE(IsEnded(attacker, [&](int i) { return OpenCall(i, path); })) << path;
    // The thread that cuts takes new connections too, so that by then it has counted.
    EXPECT_TRUE(Serves(server));
    EXPECT_EQ(MetricOf(server, kCutForStreams), 1) << path;
    EXPECT_LT(ResidentBytes(server), before + kMaxGrowthBytes);
    EXPECT_THAT(
        LogOf(&server),
        ContainsRegex(" peer=ipv4:127\\.0\\.0\\.2:[0-9]+ reason=streams .* calls_open=[0-9]{3}"))
        << path;
  }
}

TEST(Attack, StreamsGivenUpWithoutEndCostTheConnection) {
  ServerProcess server({"--max_streams_per_connection=100"});
  const double before = ResidentBytes(server);
  const RawConnection attacker(server.grpc_port(), kAttacker);
  BeginOn(server, attacker);
  EXPECT_TRUE(IsEnded(attacker, ResetCall));
  EXPECT_TRUE(Serves(server));
  EXPECT_EQ(MetricOf(server, kCutForResets) + MetricOf(server, kCutForStreams), 1);
  EXPECT_LT(ResidentBytes(server), before + kMaxGrowthBytes);
  EXPECT_THAT(LogOf(&server), ContainsRegex(" reason=(resets|streams) "));
}

TEST(Attack, StreamsWithinTheLimitCostNothing) {
  const ServerProcess server({"--max_streams_per_connection=100"});
  const RawConnection client(server.grpc_port());
  client.Send(Preface());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.Send(OpenCall(i, kCheck)));
  // Enough to be looked at.
  const std::string message = Frame(FrameType::kData, 0, 1, std::string(5000, '\0'));
  ASSERT_TRUE(client.Send(message));
  ASSERT_TRUE(client.Send(Frame(FrameType::kPing, 0, 0, "answerme")));
  EXPECT_TRUE(client.AwaitBytes("answerme"));
  EXPECT_TRUE(Serves(server));
  EXPECT_EQ(MetricOf(server, kCutForStreams), 0);
}

// Each connection keeps to its limit; together they hold what many clients may.
TEST(Attack, TooManyStreams_CutsAddressWithMostCalls) {
  ServerProcess server({"--max_streams_per_connection=100", "--max_streams=200"});
  const auto open = [&server](const char* source, int streams) {
    RawConnection connection(server.grpc_port(), source);
    EXPECT_TRUE(IsTaken(connection));
    for (int i = 0; i < streams; ++i) connection.Send(OpenCall(i, kCheck));
    connection.Send(Ping());
    EXPECT_TRUE(connection.AwaitBytes(kPingBytes));
    return connection;
  };
  {
    const RawConnection honest = open("127.0.0.1", 95);
    const RawConnection first = open(kAttacker, 60);
    EXPECT_EQ(MetricOf(server, kCutForStreams), 0);
    const RawConnection second = open(kAttacker, 70);
    second.AwaitEnd();
    for (const RawConnection* const other : {&honest, &first}) {
      other->Send(Ping());
      EXPECT_TRUE(other->AwaitBytes(kPingBytes));
    }
  }
  EXPECT_TRUE(Serves(server));
  EXPECT_EQ(MetricOf(server, kCutForStreams), 1);
  EXPECT_THAT(LogOf(&server), ContainsRegex(" reason=streams .*all connections.* calls_open=70"));
}

// A client whose calls have a deadline begins and gives up many while the server stands still,
// which then finds them all at once.
TEST(Attack, CallsGivenUpWhileTheServerStoodStillCostNothing) {
  ServerProcess server({"--max_streams_per_connection=100", "--max_connection_idle=1s"});
  const RawConnection client(server.grpc_port());
  ASSERT_TRUE(IsTaken(client));
  server.process().Signal(SIGSTOP);
  std::string calls;
  constexpr int kGivenUp = 250;
  for (int i = 0; i < kGivenUp; ++i) calls += ResetCall(i);
  // With one that stays, so that the connection is not idle.
  ASSERT_TRUE(client.Send(calls + OpenCall(kGivenUp, kDistance)));
  server.process().Signal(SIGCONT);
  // In the time of this one the server looks at the client often.
  const RawConnection idle(server.grpc_port());
  idle.Send(Preface());
  idle.AwaitEnd();
  EXPECT_TRUE(client.Send(Ping()));
  EXPECT_TRUE(client.AwaitBytes(kPingBytes));
  EXPECT_EQ(MetricOf(server, kCutForStreams), 0);
  EXPECT_EQ(MetricOf(server, kCutForResets), 0);
}

// Calls end while the connection is looked at, so that its counts are of different moments.
TEST(Attack, ShortCallsWithoutEndAreNoAttack) {
  const ServerProcess server;
  const auto stub = v1::ShapeService::NewStub(
      grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials()));
  const auto call = [&stub] {
    for (int i = 0; i < kShortCalls; ++i) {
      grpc::ClientContext context;
      v1::ListShapesResponse response;
      ASSERT_TRUE(stub->ListShapes(&context, v1::ListShapesRequest(), &response).ok()) << i;
    }
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(MetricOf(server, kCutForStreams), 0);
  EXPECT_EQ(MetricOf(server, kCutForResets), 0);
}

TEST(Attack, PingsWithoutEndCostTheConnection) {
  const ServerProcess server;
  const RawConnection attacker(server.grpc_port(), kAttacker);
  attacker.Send(Preface());
  // All may have been sent before the server comes to read the fifth.
  if (!IsEnded(attacker, [](int) { return Ping(); })) attacker.AwaitEnd();
  EXPECT_TRUE(Serves(server));
}

// gRPC 1.51 goes on parsing headers beyond their limit (CVE-2023-33953).
TEST(Attack, HeadersWithoutEndCostTheConnection) {
  const ServerProcess server;
  const double before = ResidentBytes(server);
  const RawConnection attacker(server.grpc_port(), kAttacker);
  attacker.Send(Preface() + Frame(FrameType::kHeaders, 0, 1, CallHeaders(kCheck)));
  EXPECT_TRUE(IsEnded(attacker, [](int) { return MoreHeaders(); }));
  EXPECT_TRUE(AwaitMetric(server, kCutForFlood, 1));
  EXPECT_TRUE(Serves(server));
  EXPECT_LT(ResidentBytes(server), before + kMaxGrowthBytes);
}

// Each must be acknowledged.
TEST(Attack, SettingsWithoutEndCostTheConnection) {
  const ServerProcess server;
  const RawConnection attacker(server.grpc_port(), kAttacker);
  ASSERT_TRUE(IsTaken(attacker));
  EXPECT_TRUE(IsEnded(attacker, [](int) { return Repeated(Settings(1), 16'000); }));
  EXPECT_TRUE(AwaitMetric(server, kCutForFlood, 1));
  EXPECT_TRUE(Serves(server));
}

// Frames of an unknown kind, beside a call that does not go on.
TEST(Attack, BytesThatBelongToNoMessageCostTheConnection) {
  const ServerProcess server;
  const RawConnection attacker(server.grpc_port(), kAttacker);
  ASSERT_TRUE(IsTaken(attacker));
  attacker.Send(OpenCall(0, kDistance));
  const std::string unknown = Frame(static_cast<FrameType>(0x20), 0, 0, std::string(16'000, 'x'));
  EXPECT_TRUE(IsEnded(attacker, [&](int) { return unknown; }));
  EXPECT_TRUE(AwaitMetric(server, kCutForFlood, 1));
  EXPECT_TRUE(Serves(server));
}

// As large as they may be, one after the other on one connection: bytes that end a message.
TEST(Attack, LargeMessagesWithoutEndAreNoAttack) {
  const ServerProcess server;
  grpc::ChannelArguments arguments;
  arguments.SetMaxSendMessageSize(-1);
  const auto stub = v1::QueryService::NewStub(grpc::CreateCustomChannel(
      server.grpc_address(), grpc::InsecureChannelCredentials(), arguments));
  v1::DistanceRequest request;
  request.mutable_batch()->mutable_pairs()->mutable_poses_b()->Resize(2'800'000, 0);
  for (int i = 0; i < 10; ++i) {
    grpc::ClientContext context;
    v1::DistanceResponse response;
    EXPECT_NE(stub->Distance(&context, request, &response).error_code(),
              grpc::StatusCode::UNAVAILABLE);
  }
  EXPECT_EQ(MetricOf(server, kCutForFlood), 0);
}

TEST(Attack, OneThatWasCutAgainIsNotLetInAndOthersAre) {
  const ServerProcess server({"--max_streams_per_connection=100", "--ban_after_cut=1h"});
  const RawConnection before(server.grpc_port(), kAttacker);
  ASSERT_TRUE(IsTaken(before));
  // The first time it may have been a server that stood still.
  for (const int times : {1, 2}) {
    EXPECT_EQ(MetricOf(server, kRefusedAfterCut), 0);
    const RawConnection attacker(server.grpc_port(), kAttacker);
    BeginOn(server, attacker);
    EXPECT_TRUE(IsEnded(attacker, [&](int i) { return OpenCall(i, kCheck); }));
    EXPECT_TRUE(AwaitMetric(server, kCutForStreams, times));
  }
  EXPECT_FALSE(IsTaken(RawConnection(server.grpc_port(), kAttacker)));
  EXPECT_EQ(MetricOf(server, kRefusedAfterCut), 1);
  EXPECT_TRUE(Serves(server));
  // The other connection of the address goes on.
  before.Send(Ping());
  EXPECT_TRUE(before.AwaitBytes(kPingBytes));
}

TEST(Attack, OneThatWasCutIsLetInAgainWhereNobodyIsBanned) {
  const ServerProcess server({"--max_streams_per_connection=100", "--ban_after_cut=0"});
  const RawConnection attacker(server.grpc_port(), kAttacker);
  BeginOn(server, attacker);
  EXPECT_TRUE(IsEnded(attacker, [&](int i) { return OpenCall(i, kCheck); }));
  EXPECT_TRUE(AwaitMetric(server, kCutForStreams, 1));
  EXPECT_TRUE(IsTaken(RawConnection(server.grpc_port(), kAttacker)));
}

TEST(Attack, ConnectionsThatSayNothingEnd) {
  const ServerProcess server;
  const RawConnection silent(server.grpc_port());
  const RawConnection half_said(server.grpc_port());
  half_said.Send(Preface().substr(0, 20));
  silent.AwaitEnd();
  half_said.AwaitEnd();
  EXPECT_TRUE(Serves(server));
}

TEST(Attack, ConnectionsWithoutACallEnd) {
  const ServerProcess server({"--max_connection_idle=1s"});
  const RawConnection idle(server.grpc_port());
  idle.Send(Preface());
  idle.AwaitEnd();
  EXPECT_TRUE(Serves(server));
}

TEST(Attack, SessionsThatSayNothingEndAndThoseThatSpokeGoOn) {
  const ServerProcess server({"--first_message_timeout=300ms"});
  const auto stub = v1::QueryService::NewStub(
      grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext of_speaker, of_silent;
  const auto speaker = stub->Session(&of_speaker);
  v1::SessionRequest request;
  request.mutable_close()->set_slot(0);
  v1::SessionResponse response;
  ASSERT_TRUE(speaker->Write(request) && speaker->Read(&response));
  const auto silent = stub->Session(&of_silent);
  EXPECT_FALSE(silent->Read(&response));
  const grpc::Status status = silent->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("said nothing"));
  EXPECT_TRUE(speaker->Write(request) && speaker->Read(&response));
  speaker->WritesDone();
  EXPECT_TRUE(speaker->Finish().ok());
}

TEST(ConnectionAge, SendsClientsElsewhereAndLetsSessionsGoOn) {
  const ServerProcess server({"--max_connection_age=1s"});
  const auto channel =
      grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials());
  const auto stub = v1::QueryService::NewStub(channel);
  grpc::ClientContext context;
  const auto session = stub->Session(&context);
  v1::SessionRequest request;
  request.mutable_close()->set_slot(0);
  v1::SessionResponse response;
  ASSERT_TRUE(session->Write(request) && session->Read(&response));

  const auto hang_guard = std::chrono::system_clock::now() + std::chrono::seconds(300);
  EXPECT_TRUE(channel->WaitForStateChange(GRPC_CHANNEL_READY, hang_guard));
  EXPECT_TRUE(session->Write(request) && session->Read(&response));
  session->WritesDone();
  EXPECT_TRUE(session->Finish().ok());
}

}  // namespace
}  // namespace clearance::test

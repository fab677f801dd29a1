// SPDX-License-Identifier: Apache-2.0
//
// How many connections the real program takes, and that it serves again after it could not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/raw_http.h"
#include "tests/support/raw_http2.h"
#include "tests/support/skip.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;

constexpr char kOpen[] = "clearance_connections";
constexpr char kOutOfDescriptors[] = R"(clearance_connections_refused_total{reason="descriptors"})";
constexpr char kTooManyOfAddress[] = R"(clearance_connections_refused_total{reason="address"})";
constexpr char kTooMany[] = R"(clearance_connections_refused_total{reason="total"})";

std::vector<RawConnection> Connect(const ServerProcess& server, int count) {
  std::vector<RawConnection> connections;
  for (int i = 0; i < count; ++i) connections.emplace_back(server.grpc_port());
  return connections;
}

void LimitFilesOf(ServerProcess& server, rlim_t files) {
  rlimit limit{};
  ASSERT_EQ(prlimit(server.process().pid(), RLIMIT_NOFILE, nullptr, &limit), 0);
  limit.rlim_cur = files;
  ASSERT_EQ(prlimit(server.process().pid(), RLIMIT_NOFILE, &limit, nullptr), 0);
}

// CVE-2023-4785: gRPC's own accept loop would not accept again. Here the limit falls while the
// server runs, for it keeps away from the one that it began with.
TEST(Connections, AreTakenAgainAfterTheServerRanOutOfDescriptors) {
  ServerProcess server;
  ASSERT_TRUE(Serves(server));
  LimitFilesOf(server, 40);
  {
    const std::vector<RawConnection> many = Connect(server, 200);
    // The last ones were refused, not left to wait.
    many.back().AwaitEnd();
  }
  LimitFilesOf(server, 1024);
  EXPECT_TRUE(Serves(server));
  EXPECT_GT(MetricOf(server, kOutOfDescriptors), 0);
  EXPECT_TRUE(AwaitMetric(server, kOpen, 0));
}

TEST(Connections, BeyondTheLimitOfAnAddressAreResetUntilOneEnds) {
  ServerProcess server({"--max_connections_per_address=3"});
  std::vector<RawConnection> three = Connect(server, 3);
  for (const RawConnection& connection : three) EXPECT_TRUE(IsTaken(connection));
  EXPECT_FALSE(IsTaken(RawConnection(server.grpc_port())));
  EXPECT_EQ(MetricOf(server, kTooManyOfAddress), 1);
  EXPECT_EQ(MetricOf(server, kTooMany), 0);
  EXPECT_TRUE(AwaitMetric(server, kOpen, 3));

  three.pop_back();
  EXPECT_TRUE(AwaitMetric(server, kOpen, 2));
  EXPECT_TRUE(IsTaken(RawConnection(server.grpc_port())));
}

// As many as all others leave free, and the first always.
TEST(Connections, OfCrowdedAddressesLeaveOneToWhoeverHasNone) {
  const ServerProcess server({"--max_connections=8", "--max_connections_per_address=4"});
  std::vector<RawConnection> taken;
  const auto take = [&](const char* source, int wanted) {
    int count = 0;
    for (int i = 0; i < wanted; ++i) {
      RawConnection connection(server.grpc_port(), source);
      if (!IsTaken(connection)) continue;
      taken.push_back(std::move(connection));
      ++count;
    }
    return count;
  };
  EXPECT_EQ(take("127.0.0.2", 6), 4);
  EXPECT_EQ(take("127.0.0.3", 6), 2);
  EXPECT_EQ(take("127.0.0.4", 3), 1);
  EXPECT_EQ(take("127.0.0.5", 1), 1);
  EXPECT_EQ(take("127.0.0.6", 1), 0);
  EXPECT_GE(MetricOf(server, kTooManyOfAddress), 2 + 4 + 2);
  EXPECT_EQ(MetricOf(server, kTooMany), 1);
}

TEST(Connections, BeyondTheLimitOfAllAreResetUntilOneEnds) {
  ServerProcess server({"--max_connections=2"});
  std::vector<RawConnection> two = Connect(server, 2);
  for (const RawConnection& connection : two) EXPECT_TRUE(IsTaken(connection));
  EXPECT_FALSE(IsTaken(RawConnection(server.grpc_port())));
  EXPECT_EQ(MetricOf(server, kTooMany), 1);

  two.pop_back();
  EXPECT_TRUE(AwaitMetric(server, kOpen, 1));
  EXPECT_TRUE(Serves(server));
}

TEST(Connections, AreFewerWhereTheLimitOfFilesIsLow) {
  const std::string command = "ulimit -n 300; exec " CLEARANCE_SERVER_PROGRAM
                              " --listen=127.0.0.1:0 --http_listen=127.0.0.1:0";
  ChildProcess server({"sh", "-c", command});
  ASSERT_TRUE(server.WaitForLine("serving"));
  EXPECT_THAT(server.output(), HasSubstr("max_connections=4096 connections=172 open_files=300"));
}

TEST(Listen, ServesAUnixPathAndTakesItFromNobody) {
  const TemporaryDirectory directory;
  const std::string address = "unix:" + directory.File("socket");
  const std::vector<std::string> listen = {"--listen=" + address};
  {
    ServerProcess server(listen);
    EXPECT_EQ(RunServerProgram({"--health_check=" + address}).exit_code, 0);
    const Completed second = RunServerProgram({listen[0], "--http_listen=127.0.0.1:0"});
    EXPECT_EQ(second.exit_code, 1);
    EXPECT_THAT(second.output,
                HasSubstr("Address already in use; stop the process there, or choose "
                          "another address with --listen"));
    EXPECT_EQ(RunServerProgram({"--health_check=" + address}).exit_code, 0);
  }
  // Killed, it left its path behind.
  ServerProcess next(listen);
  EXPECT_EQ(RunServerProgram({"--health_check=" + address}).exit_code, 0);
}

TEST(Listen, TakenPortOfHttp_NamesTheFlag) {
  ServerProcess server;
  const std::string address = "127.0.0.1:" + std::to_string(server.http_port());
  const Completed second = RunServerProgram({"--listen=127.0.0.1:0", "--http_listen=" + address});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr("Address already in use; stop the process there, or choose "
                                       "another address with --http_listen"));
}

TEST(Listen, ServesBothFamiliesUnderAHostsName) {
  if (!IsLocalhostKnown()) GTEST_SKIP() << kNoLocalhost;
  ServerProcess server({"--listen=localhost:0"});
  ASSERT_NE(server.grpc_port(), 0) << server.process().output();
  const std::string port = std::to_string(server.grpc_port());
  EXPECT_EQ(RunServerProgram({"--health_check=127.0.0.1:" + port}).exit_code, 0);
}

TEST(Listen, WarnsOfPlainTextThatOthersReach) {
  ServerProcess open({"--listen=0.0.0.0:0"});
  EXPECT_THAT(open.process().output(), HasSubstr("gRPC is open to other machines in plain text"));
  ServerProcess closed;
  EXPECT_THAT(closed.process().output(), testing::Not(HasSubstr("WARNING")));
}

}  // namespace
}  // namespace clearance::test

// SPDX-License-Identifier: Apache-2.0
//
// Users of two real servers while one of them is drained or killed, and as their connections age:
// no call fails, every message has one answer, and it is that of an undisturbed server.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clearance/session.h"
#include "tests/integration/process/certificates.h"
#include "tests/integration/process/server_view.h"
#include "tests/integration/process/users.h"

namespace clearance::test {
namespace {

using client::Client;

// Waits until the users have come to this server so often, or one of them has failed.
void AwaitUsers(const ServerProcess& server, const char* series, double count) {
  while (MetricOf(server, series) < count && !testing::Test::HasFailure()) {
    std::this_thread::yield();
  }
}

// The two share nothing, so the shapes in question were registered at both.
TEST(TwoServers, FailNoCallWhileOneOfThemIsGone) {
  const std::vector<std::string> expected = ExpectedAnswers();
  std::vector<RestartedServer> servers(2);
  for (const RestartedServer& server : servers) {
    const absl::StatusOr<Client> one = PatientClient(server.address());
    ASSERT_TRUE(one.ok()) << one.status();
    RegisterShapes(*one);
  }
  const absl::StatusOr<Client> client =
      PatientClient(servers[0].address() + "," + servers[1].address());
  ASSERT_TRUE(client.ok()) << client.status();

  Users users{.client = *client, .expected = expected};
  UseWhile(&users, [&] {
    for (const int signal : {SIGKILL, SIGKILL, SIGTERM}) {
      for (RestartedServer& server : servers) {
        AwaitAnswers(users);
        AwaitUsers(server.process(), kCallsSeries, 1);
        EXPECT_EQ(server.End(signal), signal == SIGTERM ? 0 : -SIGKILL);
        AwaitAnswers(users);
        server.StartAgain();
      }
    }
  });
}

// Each session ends on one server and goes on at the other, again and again.
TEST(TwoServers, TakeSessionsFromEachOtherAsConnectionsAge) {
  const std::vector<std::string> expected = ExpectedAnswers();
  const std::vector<std::string> flags = {"--max_connection_age=1s",
                                          "--max_connection_age_grace=1s"};
  const ServerProcess servers[] = {ServerProcess(flags), ServerProcess(flags)};
  for (const ServerProcess& server : servers) {
    const absl::StatusOr<Client> one = PatientClient(server.grpc_address());
    ASSERT_TRUE(one.ok()) << one.status();
    RegisterShapes(*one);
  }
  const absl::StatusOr<Client> client =
      PatientClient(servers[0].grpc_address() + "," + servers[1].grpc_address());
  ASSERT_TRUE(client.ok()) << client.status();

  Users users{.client = *client, .expected = expected};
  UseWhile(&users, [&] {
    for (const ServerProcess& server : servers) {
      AwaitUsers(server, kSessionsSeries, kSessionThreads + 1);
    }
  });
}

// A server that hangs still takes connections, and says nothing. By default that is noticed after
// 50 s, which is too late for this session.
TEST(TwoServers, GiveUpOneThatIsSilent) {
  RestartedServer servers[2];
  for (const RestartedServer& server : servers) {
    const absl::StatusOr<Client> one = PatientClient(server.address());
    ASSERT_TRUE(one.ok()) << one.status();
    RegisterShapes(*one);
  }
  client::ClientOptions options;
  options.keepalive = absl::Seconds(1);
  options.keepalive_timeout = absl::Milliseconds(500);
  const auto client =
      PatientClient(servers[0].address() + "," + servers[1].address(), std::move(options));
  ASSERT_TRUE(client.ok()) << client.status();
  const auto session = client->OpenSession({.timeout = absl::Seconds(15)});
  ASSERT_TRUE(session->Open(0, client::ByName{"prism-5"}).ok());
  ASSERT_TRUE(session->Open(1, client::ByName{"prism-40"}).ok());
  RestartedServer& silent = servers[MetricOf(servers[0].process(), kSessionsSeries) > 0 ? 0 : 1];
  silent.Signal(SIGSTOP);
  client::DistanceBatch batch;
  batch.pairs.count = 1;
  const auto answer = session->Ask(batch);
  silent.Signal(SIGCONT);
  EXPECT_TRUE(answer.ok()) << answer.status();
}

// Returns the code of asking both over TLS; each must prove the one name.
absl::StatusCode AskBoth(const ServerProcess (&servers)[2], const Certificates& files,
                         const std::string& second_host, const std::string& server_name) {
  std::ifstream ca(files.Path("ca.pem"));
  client::ClientOptions options;
  options.tls = client::TlsOptions{.root_certificates = {std::istreambuf_iterator<char>(ca), {}},
                                   .server_name = server_name};
  const std::string second = second_host + ":" + std::to_string(servers[1].grpc_port());
  return Client::Connect(servers[0].grpc_address() + "," + second, options).status().code();
}

TEST(TwoServers, ProveOneNameOverTls) {
  CLEARANCE_REQUIRE_PROGRAMS("openssl");
  const Certificates files;
  std::vector<std::string> flags = files.ServerFlags(/*is_mutual=*/false);
  flags.emplace_back("--listen=0.0.0.0:0");
  const ServerProcess servers[] = {ServerProcess(flags), ServerProcess(flags)};
  EXPECT_EQ(AskBoth(servers, files, "127.0.0.1", ""), absl::StatusCode::kOk);
  EXPECT_EQ(AskBoth(servers, files, "127.0.0.2", "clearance.test"), absl::StatusCode::kOk);
  EXPECT_EQ(AskBoth(servers, files, "127.0.0.2", ""), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AskBoth(servers, files, "127.0.0.2", "nobody.test"), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace clearance::test

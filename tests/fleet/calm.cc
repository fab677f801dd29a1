// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/calm.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "clearance/session.h"
#include "tests/integration/process/server_view.h"

namespace clearance::fleet {
namespace {

constexpr std::uint32_t kRows = 256;
constexpr int kInFlight = 4;

client::DistanceBatch Rows() {
  client::DistanceBatch batch;
  batch.pairs.count = kRows;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    client::AppendPose({.x = 1.1 + 0.001 * row, .y = 0.1, .qz = 0.6, .qw = 0.8},
                       &batch.pairs.poses_b);
  }
  return batch;
}

void AskInSession(const std::string& address, std::size_t messages) {
  const absl::StatusOr<client::Client> client = test::PatientClient(address);
  ASSERT_TRUE(client.ok()) << client.status();
  const std::unique_ptr<client::Session> session = client->OpenSession();
  ASSERT_TRUE(session->Open(0, client::ByName{"prism-5"}).ok());
  ASSERT_TRUE(session->Open(1, client::ByName{"prism-40"}).ok());
  const client::DistanceBatch rows = Rows();
  std::size_t sent = 0;
  for (std::size_t taken = 0; taken < messages; ++taken) {
    for (; sent < messages && sent < taken + kInFlight; ++sent)
      ASSERT_TRUE(session->Send(rows, sent).ok());
    const absl::StatusOr<client::Reply> reply = session->Next();
    ASSERT_TRUE(reply.ok() && reply->status.ok());
    ASSERT_EQ(std::get<client::DistanceResult>(reply->answer).count, kRows);
  }
  EXPECT_TRUE(session->Finish().ok());
}

double SecondsOf(std::size_t servers, Processes* processes) {
  double seconds = 0;
  for (std::size_t i = 0; i < servers; ++i)
    seconds += test::MetricOf((*processes->servers())[i].process(), "process_cpu_seconds_total");
  return seconds;
}

}  // namespace

void RegisterForCalm(Processes* processes) {
  const absl::StatusOr<client::Client> client = test::PatientClient(processes->addresses());
  ASSERT_TRUE(client.ok()) << client.status();
  test::RegisterShapes(*client);
}

std::size_t RestartInTurn(int rounds, Processes* processes) {
  const std::vector<std::string> expected = test::ExpectedAnswers();
  const absl::StatusOr<client::Client> client = test::PatientClient(processes->addresses());
  EXPECT_TRUE(client.ok()) << client.status();
  if (!client.ok()) return 0;
  test::Users users{.client = *client, .expected = expected, .registers = true};
  test::UseWhile(&users, [&] {
    for (int round = 0; round < rounds; ++round) {
      for (test::RestartedServer& server : *processes->servers()) {
        test::AwaitAnswers(users);
        EXPECT_EQ(server.End(SIGTERM), 0);
        test::AwaitAnswers(users);
        server.StartAgain();
      }
    }
  });
  std::size_t answers = 0;
  for (const std::atomic<int>& of_thread : users.answers) answers += of_thread;
  return answers;
}

double CostOfQuery(std::size_t servers, std::size_t messages, Processes* processes) {
  const double before = SecondsOf(servers, processes);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < servers; ++i) {
    const std::string address = (*processes->servers())[i].address();
    threads.emplace_back([address, n = messages / servers] { AskInSession(address, n); });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = SecondsOf(servers, processes) - before;
  return seconds / static_cast<double>(messages / servers * servers * kRows) * 1e9;
}

}  // namespace clearance::fleet

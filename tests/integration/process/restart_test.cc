// SPDX-License-Identifier: Apache-2.0
//
// Users of the client library while the real server is drained and killed under them and starts
// again on the same port: no call fails, and every answer is that of a server which nobody
// disturbed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "clearance/client.h"
#include "clearance/session.h"
#include "tests/integration/process/server_process.h"

namespace clearance::test {
namespace {

using client::ByName;
using client::Client;
using client::DistanceBatch;
using client::DistanceResult;
using client::Session;

constexpr int kQuestions = 16;  // different ones
constexpr int kInFlight = 24;   // messages of a session
constexpr int kSessionThreads = 3;
constexpr int kUnaryThreads = 2;
// Answers that every thread has to see after each restart, so that none of them misses the next.
constexpr int kAnswersBetweenRestarts = 12;

// A prism of so many sides: faces, edges and corners to meet.
client::Shape Prism(int sides) {
  client::Hull hull;
  for (int i = 0; i < sides; ++i) {
    for (const double z : {-0.5, 0.5}) {
      const double t = static_cast<double>(i) / sides;
      hull.vertices.insert(hull.vertices.end(), {4 * t * (1 - t), t - 0.3 * t * t, z + 0.1 * t});
    }
  }
  return {hull, 0.01};
}

void RegisterShapes(const Client& client) {
  for (const int sides : {5, 40}) {
    const auto registered = client.Register("prism-" + std::to_string(sides), Prism(sides));
    ASSERT_TRUE(registered.ok()) << registered.status();
  }
}

// Rows from deep inside one another to far apart.
DistanceBatch Question(int number) {
  DistanceBatch batch;
  batch.pairs.count = 32;
  for (std::uint32_t row = 0; row < batch.pairs.count; ++row) {
    const double x = 0.1 * row + 0.003 * number;
    client::AppendPose({.x = x, .y = 0.1 * x, .qz = 0.6, .qw = 0.8}, &batch.pairs.poses_b);
  }
  batch.detail = {.points = true, .normals = true, .witnesses = true, .contacts = true};
  return batch;
}

template <class Number>
void AppendBytes(const std::vector<Number>& column, std::string* bytes) {
  static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
  bytes->append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(Number));
}

// All columns of an answer, bit for bit.
std::string BytesOf(const DistanceResult& result) {
  std::string bytes = std::to_string(result.count) + ":";
  AppendBytes(result.states, &bytes);
  for (const auto* column :
       {&result.distances, &result.lower_bounds, &result.upper_bounds, &result.points_a,
        &result.points_b, &result.normals, &result.witnesses.weights, &result.contacts.points_a,
        &result.contacts.points_b, &result.contacts.distances}) {
    AppendBytes(*column, &bytes);
  }
  for (const auto* column : {&result.witnesses.offsets, &result.witnesses.vertices_a,
                             &result.witnesses.vertices_b, &result.flags, &result.contacts.offsets,
                             &result.contacts.features_a, &result.contacts.features_b}) {
    AppendBytes(*column, &bytes);
  }
  return bytes;
}

const client::ShapeTable& Prisms() {
  static const auto* const table =
      new client::ShapeTable{{ByName{"prism-5"}, ByName{"prism-40"}}, 0};
  return *table;
}

// The answers of a server that nobody disturbs.
std::vector<std::string> ExpectedAnswers() {
  const ServerProcess server;
  const absl::StatusOr<Client> client = Client::Connect(server.grpc_address());
  EXPECT_TRUE(client.ok()) << client.status();
  RegisterShapes(*client);
  std::vector<std::string> answers;
  for (int i = 0; i < kQuestions; ++i) {
    const auto result = client->Distance(Prisms(), Question(i));
    EXPECT_TRUE(result.ok()) << result.status();
    answers.push_back(BytesOf(*result));
  }
  return answers;
}

// A server on one port and one data directory that comes back after each end.
class RestartedServer {
 public:
  RestartedServer() { Start("127.0.0.1:0"); }

  std::string address() const { return server_->grpc_address(); }

  // Returns the exit code of the server that was ended.
  int Restart(int signal) {
    const std::string before = address();
    server_->process().Signal(signal);
    const int exit_code = server_->process().WaitForExit();
    // Another program may have the port for a moment, as the near end of a connection.
    do {
      Start(before);
    } while (server_->grpc_port() == 0);
    return exit_code;
  }

 private:
  void Start(const std::string& address) {
    server_.reset();
    server_ = std::make_unique<ServerProcess>(std::vector<std::string>{
        "--listen=" + address, "--data_dir=" + directory_.File("data"), "--drain_timeout=60s"});
  }

  TemporaryDirectory directory_;
  std::unique_ptr<ServerProcess> server_;
};

// What the threads of users share.
struct Users {
  const Client& client;
  const std::vector<std::string>& expected;
  std::atomic<bool> is_over = false;
  std::vector<std::atomic<int>> answers =
      std::vector<std::atomic<int>>(kSessionThreads + kUnaryThreads);
};

void CheckAnswer(const Users& users, int question, const DistanceResult& result) {
  // The bytes themselves would drown the message.
  EXPECT_TRUE(BytesOf(result) == users.expected[question]) << "question " << question;
}

void TakeReply(Users* users, Session* session, int number) {
  const absl::StatusOr<client::Reply> reply = session->Next();
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_TRUE(reply->status.ok()) << reply->status;
  ASSERT_EQ(reply->tag, static_cast<std::uint64_t>(number));
  CheckAnswer(*users, number % kQuestions, std::get<DistanceResult>(reply->answer));
}

// Failures count as well, so that nobody waits for a thread that has failed.
void Count(Users* users, int thread) {
  ++users->answers[thread];
  users->answers[thread].notify_all();
}

void UseSession(Users* users, int thread) {
  const std::unique_ptr<Session> session = users->client.OpenSession();
  for (const std::uint32_t slot : {0u, 1u}) {
    EXPECT_TRUE(session->Open(slot, Prisms().shapes[slot]).ok());
  }
  int sent = 0;
  int taken = 0;
  while (!users->is_over || taken < sent) {
    if (!users->is_over && sent - taken < kInFlight) {
      EXPECT_TRUE(session->Send(Question(sent % kQuestions), sent).ok());
      ++sent;
      continue;
    }
    TakeReply(users, session.get(), taken++);
    Count(users, thread);
  }
  const absl::Status end = session->Finish();
  EXPECT_TRUE(end.ok()) << end;
}

void UseUnaryCalls(Users* users, int thread) {
  for (int i = 0; !users->is_over; ++i) {
    const auto result = users->client.Distance(Prisms(), Question(i % kQuestions));
    EXPECT_TRUE(result.ok()) << result.status();
    if (result.ok()) CheckAnswer(*users, i % kQuestions, *result);
    const auto name = "of-" + std::to_string(thread) + "/" + std::to_string(i % 50);
    const auto registered = users->client.Register(name, Prism(5 + i % 50));
    EXPECT_TRUE(registered.ok()) << registered.status();
    const auto found = users->client.Get(ByName{name});
    EXPECT_TRUE(found.ok()) << found.status();
    Count(users, thread);
  }
}

// Waits until every thread has seen so many answers more.
void AwaitAnswers(const Users& users) {
  std::vector<int> wanted;
  for (const auto& answers : users.answers) wanted.push_back(answers + kAnswersBetweenRestarts);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (int seen = users.answers[i]; seen < wanted[i]; seen = users.answers[i]) {
      users.answers[i].wait(seen);
    }
  }
}

TEST(Restart, FailsNoCallAndChangesNoAnswer) {
  const std::vector<std::string> expected = ExpectedAnswers();
  RestartedServer server;
  const absl::StatusOr<Client> client =
      Client::Connect(server.address(), {.timeout = absl::Seconds(60)});
  ASSERT_TRUE(client.ok()) << client.status();
  RegisterShapes(*client);

  Users users{*client, expected};
  std::vector<std::thread> threads;
  for (int i = 0; i < kSessionThreads + kUnaryThreads; ++i) {
    threads.emplace_back(i < kSessionThreads ? UseSession : UseUnaryCalls, &users, i);
  }
  for (const int signal : {SIGTERM, SIGKILL, SIGKILL, SIGTERM}) {
    AwaitAnswers(users);
    EXPECT_EQ(server.Restart(signal), signal == SIGTERM ? 0 : -SIGKILL);
  }
  AwaitAnswers(users);
  users.is_over = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace clearance::test

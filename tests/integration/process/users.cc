// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/process/users.h"

#include <gtest/gtest.h>

#include <thread>
#include <type_traits>
#include <utility>

#include "clearance/session.h"

namespace clearance::test {
namespace {

using client::ByName;
using client::Client;
using client::DistanceBatch;
using client::DistanceResult;
using client::Session;

constexpr int kQuestions = 16;  // different ones
constexpr int kInFlight = 24;   // messages of a session
// Answers that every thread must see after each restart, so that none of them misses the next.
constexpr int kAnswersBetweenRestarts = 12;

// Returns a prism of so many sides: faces, edges and corners to meet.
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

// Returns all columns of an answer, bit for bit.
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

// Failures count as well, so that no thread waits for one that has failed.
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

void RegisterAndGet(const Client& client, int thread, int number) {
  const auto name = "of-" + std::to_string(thread) + "/" + std::to_string(number);
  const auto registered = client.Register(name, Prism(5 + number));
  EXPECT_TRUE(registered.ok()) << registered.status();
  const auto found = client.Get(ByName{name});
  EXPECT_TRUE(found.ok()) << found.status();
}

void UseUnaryCalls(Users* users, int thread) {
  for (int i = 0; !users->is_over; ++i) {
    const auto result = users->client.Distance(Prisms(), Question(i % kQuestions));
    EXPECT_TRUE(result.ok()) << result.status();
    if (result.ok()) CheckAnswer(*users, i % kQuestions, *result);
    if (users->registers) RegisterAndGet(users->client, thread, i % 50);
    Count(users, thread);
  }
}

}  // namespace

void RegisterShapes(const Client& client) {
  for (const int sides : {5, 40}) {
    const auto registered = client.Register("prism-" + std::to_string(sides), Prism(sides));
    ASSERT_TRUE(registered.ok()) << registered.status();
  }
}

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

void AwaitAnswers(const Users& users) {
  std::vector<int> wanted;
  for (const auto& answers : users.answers) wanted.push_back(answers + kAnswersBetweenRestarts);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (int seen = users.answers[i]; seen < wanted[i]; seen = users.answers[i]) {
      users.answers[i].wait(seen);
    }
  }
}

void UseWhile(Users* users, const std::function<void()>& disturb) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kSessionThreads + kUnaryThreads; ++i) {
    threads.emplace_back(i < kSessionThreads ? UseSession : UseUnaryCalls, users, i);
  }
  disturb();
  AwaitAnswers(*users);
  users->is_over = true;
  for (std::thread& thread : threads) thread.join();
}

absl::StatusOr<Client> PatientClient(const std::string& address, client::ClientOptions options) {
  options.timeout = absl::Seconds(60);
  return Client::Connect(address, options);
}

}  // namespace clearance::test

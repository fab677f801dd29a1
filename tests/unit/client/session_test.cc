// SPDX-License-Identifier: Apache-2.0
//
// The session against a server of scripted answers: order, joining, refusals, protocol faults and
// the end.
#include "clearance/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "clearance/client.h"
#include "tests/unit/client/fake_server.h"

namespace clearance::client {
namespace {

Client ConnectTo(const FakeServer& server) {
  const absl::StatusOr<Client> client = Client::Connect(server.address());
  EXPECT_TRUE(client.ok()) << client.status();
  return *client;
}

// Rows whose pose of B has x = first, first + 1, …
DistanceBatch Rows(std::uint32_t count, double first) {
  DistanceBatch batch;
  batch.pairs.count = count;
  for (std::uint32_t row = 0; row < count; ++row) {
    AppendPose({.x = first + row}, &batch.pairs.poses_b);
  }
  return batch;
}

void ExpectRows(const DistanceResult& result, std::uint32_t count, double first) {
  ASSERT_EQ(result.count, count);
  ASSERT_EQ(result.states.size(), count);
  ASSERT_EQ(result.distances.size(), count);
  for (std::uint32_t row = 0; row < count; ++row) ASSERT_EQ(result.distances[row], first + row);
}

TEST(Session, AsksAndIsAnswered) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  const absl::StatusOr<OpenedShape> opened = session->Open(3, ByName{"cup"});
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->slot, 3u);
  const absl::StatusOr<DistanceResult> result = session->Ask(Rows(5, 10));
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectRows(*result, 5, 10);
  EXPECT_TRUE(session->Close(3).ok());
  EXPECT_TRUE(session->Finish().ok());
}

TEST(Session, TakesTenThousandWritesBeforeTheFirstRead) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  for (std::uint64_t tag = 0; tag < 10'000; ++tag) {
    ASSERT_TRUE(session->Send(Rows(20, static_cast<double>(tag)), tag).ok());
  }
  for (std::uint64_t tag = 0; tag < 10'000; ++tag) {
    const absl::StatusOr<Reply> reply = session->Next();
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->tag, tag);
    ExpectRows(std::get<DistanceResult>(reply->answer), 20, static_cast<double>(tag));
  }
  EXPECT_EQ(session->Next().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(session->Finish().ok());
}

TEST(Session, JoinsTheServersParts) {
  const FakeServer server({.rows_a_part = 3});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  const absl::StatusOr<DistanceResult> result = session->Ask(Rows(10, 7));
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectRows(*result, 10, 7);
}

TEST(Session, SplitsWhatIsTooLargeAndJoinsTheAnswers) {
  const FakeServer server({.rows_a_part = 3, .max_batch_rows = 10});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  const absl::StatusOr<DistanceResult> result = session->Ask(Rows(95, 1));
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectRows(*result, 95, 1);
  EXPECT_EQ(server.messages(), 10);
  EXPECT_EQ(server.largest_batch(), 10);
}

TEST(Session, ReportsTheRefusalOfOnePieceAndGoesOn) {
  const FakeServer server({.max_batch_rows = 2});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  DistanceBatch batch = Rows(6, 0);
  batch.pairs.slots_a = {0, 0, 99, 0, 0, 0};
  EXPECT_EQ(session->Ask(batch).status(), absl::NotFoundError("refused"));
  const absl::StatusOr<DistanceResult> next = session->Ask(Rows(6, 0));
  ASSERT_TRUE(next.ok()) << next.status();
  ExpectRows(*next, 6, 0);
}

TEST(Session, GoesOnAfterARefusedMessage) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  ASSERT_TRUE(session->Send(OpenShape{99, ByName{"cup"}}, 1).ok());
  ASSERT_TRUE(session->Send(Rows(1, 5), 2).ok());
  absl::StatusOr<Reply> reply = session->Next();
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->tag, 1u);
  EXPECT_EQ(reply->status, absl::NotFoundError("refused"));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(reply->answer));
  reply = session->Next();
  ASSERT_TRUE(reply.ok());
  EXPECT_TRUE(reply->status.ok());
  ExpectRows(std::get<DistanceResult>(reply->answer), 1, 5);
}

TEST(Session, GivesEachThreadItsOwnAnswers) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&session, thread] {
      for (int i = 0; i < 200; ++i) {
        const double first = 1000.0 * thread + i;
        const absl::StatusOr<DistanceResult> result = session->Ask(Rows(3, first));
        ASSERT_TRUE(result.ok()) << result.status();
        ExpectRows(*result, 3, first);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Session, KeepsTheAnswersOfSendBesideThoseOfAsk) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  ASSERT_TRUE(session->Send(Rows(1, 1), 1).ok());
  ASSERT_TRUE(session->Ask(Rows(1, 2)).ok());
  ASSERT_TRUE(session->Send(Rows(1, 3), 3).ok());
  EXPECT_EQ(session->Next()->tag, 1u);
  EXPECT_EQ(session->Next()->tag, 3u);
}

TEST(Session, GivesItsStatusToEveryCallOnceItHasEnded) {
  const FakeServer server(
      {.end_after = 2, .end_status = {grpc::StatusCode::UNAVAILABLE, "drains"}});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession({.reopen = false});
  ASSERT_TRUE(session->Send(Rows(1, 1), 1).ok());
  ASSERT_TRUE(session->Ask(Rows(1, 2)).ok());
  const absl::Status drains = absl::UnavailableError("drains");
  EXPECT_EQ(session->Ask(Rows(1, 3)).status(), drains);
  EXPECT_EQ(session->Finish(), drains);
  // What was answered before is still there.
  const absl::StatusOr<Reply> reply = session->Next();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->tag, 1u);
  EXPECT_EQ(session->Next().status(), drains);
  EXPECT_EQ(session->Open(0, ByName{"cup"}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Session, WakesEveryWaitingCallWhenItIsCancelled) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  TimeOfCollisionBatch never_answered;
  never_answered.pairs.count = 1;
  ASSERT_TRUE(session->Send(never_answered).ok());
  std::thread asker([&] {
    EXPECT_EQ(session->Ask(never_answered).status().code(), absl::StatusCode::kCancelled);
  });
  std::thread reader([&] {  //
    EXPECT_EQ(session->Next().status().code(), absl::StatusCode::kCancelled);
  });
  session->Cancel();
  asker.join();
  reader.join();
  EXPECT_EQ(session->Finish().code(), absl::StatusCode::kCancelled);
}

TEST(Session, EndsWhereTheServerAnswersOutOfOrder) {
  const FakeServer server({.tag_shift = 1});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  EXPECT_EQ(session->Ask(Rows(1, 0)).status().code(), absl::StatusCode::kInternal);
}

TEST(Session, EndsWhereTheServerAnswersAnotherKind) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  IntersectionBatch batch;  // the fake server answers it with an empty message
  batch.pairs.count = 1;
  EXPECT_EQ(session->Ask(batch).status().code(), absl::StatusCode::kInternal);
}

TEST(Session, RefusesToSendAfterFinish) {
  const FakeServer server({});
  const std::unique_ptr<Session> session = ConnectTo(server).OpenSession();
  ASSERT_TRUE(session->Send(Rows(1, 4), 4).ok());
  EXPECT_TRUE(session->Finish().ok());
  EXPECT_EQ(session->Send(Rows(1, 0)).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(session->Next()->tag, 4u);
  EXPECT_EQ(session->Next().status().code(), absl::StatusCode::kOutOfRange);
}

TEST(Session, KeepsItsDeadline) {
  const FakeServer server({});
  const std::unique_ptr<Session> session =
      ConnectTo(server).OpenSession({.timeout = absl::Milliseconds(10)});
  TimeOfCollisionBatch never_answered;
  never_answered.pairs.count = 1;
  EXPECT_EQ(session->Ask(never_answered).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(Client, SaysAtOnceThatNobodyListens) {
  const absl::StatusOr<Client> client =
      Client::Connect("unix:/nonexistent/clearance.sock", {.timeout = absl::Hours(1)});
  EXPECT_EQ(client.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(client.status().message()),
              testing::HasSubstr("clearance doctor --addr unix:/nonexistent/clearance.sock"));
}

TEST(Client, WaitsForAServerIfToldTo) {
  const std::string address =
      "unix:" + testing::TempDir() + "/clearance_wait_" + std::to_string(getpid());
  auto connecting = std::async(std::launch::async, [&] {
    return Client::Connect(address, {.wait = absl::Hours(1)}).status();
  });
  const FakeServer server({}, address);
  EXPECT_EQ(connecting.get(), absl::OkStatus());
}

TEST(Client, RefusesAMalformedAddress) {
  for (const char* address : {"http://127.0.0.1:50051", "localhost:", "localhost:port", ""}) {
    const absl::Status status = Client::Connect(address, {.timeout = absl::Hours(1)}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("without http://"));
  }
}

TEST(Client, NamesAServerWithoutTheHealthService) {
  const FakeServer server({});
  EXPECT_EQ(ConnectTo(server).CheckHealth().status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace clearance::client

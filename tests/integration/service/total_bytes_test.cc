// SPDX-License-Identifier: Apache-2.0
//
// More bytes than the server holds at once: the test's own connection is one caller, which holds
// half of them at most.

#include <gtest/gtest.h>

#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

#include "server/transport/offload.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

constexpr std::uint32_t kManyRows = 10'000;
// Less than a reply with the points of so many rows.
constexpr std::uint64_t kMostBytes = 1 << 18;

v1::DistanceBatch ManyRows() {
  v1::DistanceBatch batch = DistanceAt(3, 0).distance();
  batch.mutable_pairs()->set_count(kManyRows);
  batch.mutable_detail()->set_points(true);
  return batch;
}

v1::SessionRequest AskManyRows(std::uint64_t tag) {
  v1::SessionRequest request;
  request.set_tag(tag);
  *request.mutable_distance() = ManyRows();
  return request;
}

v1::DistanceRequest CallOfManyRows() {
  v1::DistanceRequest request;
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  *request.mutable_batch() = ManyRows();
  return request;
}

void OpenPair(TestSession& session) {
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
}

TestServer SmallServer() {
  return TestServer({}, {}, nullptr, {.max_total_bytes_in_flight = kMostBytes});
}

// A session whose reply is on its way and is not taken: it is larger than what a client lets in
// unasked.
class TotalBytes : public ::testing::Test {
 protected:
  TotalBytes() {
    OpenPair(first_);
    OpenPair(second_);
    // The client has a reply a moment before the server knows that it is taken.
    AwaitNothingHeld();
  }
  void HoldByTheFirst() {
    ASSERT_TRUE(first_.Send(AskManyRows(1)));
    while (server_.metrics.total_bytes_in_flight().Value() < kMostBytes) std::this_thread::yield();
  }
  void TakeByTheFirst() {
    v1::SessionResponse answer;
    ASSERT_TRUE(first_.Receive(&answer));
    EXPECT_EQ(answer.distance().count(), kManyRows);
  }
  void AwaitNothingHeld() {
    while (server_.metrics.total_bytes_in_flight().Value() > 0) std::this_thread::yield();
  }
  double Refused() { return server_.metrics.shed(server::ShedReason::kBytes).Value(); }

  TestServer server_ = SmallServer();
  TestSession first_{server_};
  TestSession second_{server_};
};

TEST_F(TotalBytes, MessageOverTotal_IsAnsweredIfAlone) {
  EXPECT_EQ(first_.Ask(AskManyRows(1)).distance().count(), kManyRows);
  v1::DistanceResponse response;
  EXPECT_TRUE(
      Call(*server_.queries, &v1::QueryService::Stub::Distance, CallOfManyRows(), &response).ok());
  EXPECT_EQ(Refused(), 0);
}

TEST_F(TotalBytes, BeyondThemACallIsRefusedAndToldWhenToRepeat) {
  HoldByTheFirst();
  v1::DistanceResponse response;
  const grpc::Status status =
      Call(*server_.queries, &v1::QueryService::Stub::Distance, CallOfManyRows(), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(ErrorOf(status).has_retry_after());
  EXPECT_GT(Refused(), 0);
  TakeByTheFirst();
  AwaitNothingHeld();
  EXPECT_TRUE(
      Call(*server_.queries, &v1::QueryService::Stub::Distance, CallOfManyRows(), &response).ok());
}

// A message of this length is handed to a worker. If there is no room for its bytes, it is refused
// before that.
TEST_F(TotalBytes, OverTotal_LongMessage_RefusedWithoutAWorker) {
  HoldByTheFirst();
  const auto waited = [this] {
    return server_.metrics.queue_seconds().Collect().histogram.sample_count;
  };
  const std::uint64_t before = waited();
  v1::DistanceRequest request = CallOfManyRows();
  for (std::uint64_t bytes = 0; bytes <= server::kMostBytesInPlace; bytes += sizeof(double))
    request.mutable_batch()->mutable_pairs()->add_poses_b(0);
  v1::DistanceResponse response;
  EXPECT_EQ(
      Call(*server_.queries, &v1::QueryService::Stub::Distance, request, &response).error_code(),
      grpc::StatusCode::RESOURCE_EXHAUSTED);
  v1::SessionRequest message;
  *message.mutable_distance() = request.batch();
  EXPECT_EQ(second_.Ask(message).status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  TakeByTheFirst();
  // The server counts a message when it drops it, at the latest before it answers the next one.
  first_.Ask(DistanceAt(3, 4));
  second_.Ask(DistanceAt(3, 5));
  EXPECT_EQ(waited(), before + 1) << "that of the first session";
}

// The server began to read the first message while there was room. It refuses that one, and does not
// read the second until there is room again.
TEST_F(TotalBytes, OverTotal_RefusesOnceThenStopsReading) {
  HoldByTheFirst();
  const v1::SessionResponse refused = second_.Ask(AskManyRows(2));
  EXPECT_EQ(refused.tag(), 2u);
  EXPECT_EQ(refused.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(ErrorOf(refused.status()).has_retry_after());
  const double received = server_.metrics.shed(server::ShedReason::kBytes).Value();
  ASSERT_TRUE(second_.Send(AskManyRows(3)));
  TakeByTheFirst();
  v1::SessionResponse answer;
  ASSERT_TRUE(second_.Receive(&answer));
  EXPECT_EQ(answer.tag(), 3u);
  EXPECT_EQ(answer.distance().count(), kManyRows);
  EXPECT_EQ(Refused(), received);
}

TEST_F(TotalBytes, ASessionThatIsNotReadEndsWithItsCallAndWithADrain) {
  TestSession third(server_);
  OpenPair(third);
  AwaitNothingHeld();
  HoldByTheFirst();
  for (TestSession* const session : {&second_, &third}) {
    EXPECT_TRUE(session->Ask(AskManyRows(2)).has_status());
  }
  second_.context().TryCancel();
  EXPECT_EQ(second_.AwaitEnd().error_code(), grpc::StatusCode::CANCELLED);
  server_.grpc->BeginDrain();
  EXPECT_EQ(third.AwaitEnd().error_code(), grpc::StatusCode::UNAVAILABLE);
}

// Many at once, none of which ever needs to wait for one that waits.
TEST_F(TotalBytes, ManySessionsThatAllWantMoreThanHalfAreAllAnswered) {
  constexpr int kSessions = 8;
  std::latch opened(kSessions);
  std::vector<std::thread> threads;
  for (int i = 0; i < kSessions; ++i) {
    threads.emplace_back([this, &opened] {
      TestSession session(server_);
      OpenPair(session);
      // An open that comes while the bytes are held may be refused too.
      opened.arrive_and_wait();
      for (std::uint64_t done = 0; done < 5;) {
        const v1::SessionResponse answer = session.Ask(AskManyRows(done));
        if (answer.has_distance()) ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  AwaitNothingHeld();
}

}  // namespace
}  // namespace clearance::testing

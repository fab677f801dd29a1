// SPDX-License-Identifier: Apache-2.0
//
// More work than the server takes on: a worker is held, by the judge of an answer that is checked,
// until what comes meanwhile was refused.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <thread>

#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

constexpr std::uint32_t kLargeRows = 3'000;

v1::SessionRequest LargeBatch(std::uint64_t tag) {
  v1::SessionRequest request = DistanceAt(3, tag);
  request.mutable_distance()->mutable_pairs()->set_count(kLargeRows);
  return request;
}

v1::DistanceRequest LargeCall() {
  v1::DistanceRequest request;
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  *request.mutable_batch() = LargeBatch(0).distance();
  return request;
}

class Overload : public ::testing::Test {
 protected:
  // The judge of the answer with this number, from 1.
  Checking Hold(std::uint32_t number) {
    server::Judges judges;
    judges.pair = [this, number](const Check& found) {
      if (++judged_ == number) {
        is_held_.count_down();
        release_.wait();
      }
      return found;
    };
    return {.one_in = 1, .judges = judges};
  }

  std::atomic<std::uint32_t> judged_ = 0;
  std::latch is_held_{1}, release_{1};
};

TEST_F(Overload, RefusesAMessageByItselfAndSaysWhenToRepeatIt) {
  TestServer server({}, Hold(1), nullptr, {.max_pending_work = absl::ZeroDuration()});
  TestSession first(server), second(server);
  for (TestSession* const session : {&first, &second}) {
    session->Open(0, Sphere(1));
    session->Open(1, Sphere(1));
  }
  ASSERT_TRUE(first.Send(LargeBatch(1)));
  is_held_.wait();

  const v1::SessionResponse refused = second.Ask(LargeBatch(2));
  EXPECT_EQ(refused.tag(), 2u);
  EXPECT_EQ(refused.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(ErrorOf(refused.status()).has_retry_after());
  v1::DistanceResponse response;
  const grpc::Status status =
      Call(*server.queries, &v1::QueryService::Stub::Distance, LargeCall(), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(ErrorOf(status).has_retry_after());
  EXPECT_EQ(server.metrics.shed(server::ShedReason::kFull).Value(), 2);
  EXPECT_EQ(second.Ask(DistanceAt(3, 3)).distance().count(), 1u);

  // An open that is refused leaves no older shape to be asked about.
  v1::SessionRequest open;
  open.mutable_open()->set_slot(0);
  *open.mutable_open()->mutable_shape()->mutable_inline_shape() = RingHull(200);
  EXPECT_EQ(second.Ask(open).status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const v1::SessionResponse poisoned = second.Ask(DistanceAt(3, 4));
  ASSERT_EQ(poisoned.distance().states_size(), 1);
  EXPECT_EQ(poisoned.distance().states(0), v1::STATE_REFUSED);

  release_.count_down();
  v1::SessionResponse answer;
  ASSERT_TRUE(first.Receive(&answer));
  EXPECT_EQ(answer.distance().count(), kLargeRows);
  EXPECT_EQ(first.Ask(LargeBatch(3)).distance().count(), kLargeRows);
}

TEST_F(Overload, WorkHandedOverToWorkersIsPending) {
  std::atomic<std::thread::id> polling{std::thread::id()};
  server::Judges judges;
  judges.pair = [&](const Check& found) {
    const std::thread::id here = std::this_thread::get_id();
    std::thread::id nobody;
    polling.compare_exchange_strong(nobody, here);
    if (here == polling) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    } else if (judged_.exchange(1) == 0) {
      is_held_.count_down();
      release_.wait();
    }
    return found;
  };
  TestServer server({}, {.one_in = 1, .judges = judges}, nullptr,
                    {.max_pending_work = absl::ZeroDuration()});
  TestSession first(server), second(server);
  for (TestSession* const session : {&first, &second}) {
    session->Open(0, Sphere(1));
    session->Open(1, Sphere(1));
  }
  v1::SessionRequest cheap = DistanceAt(3, 1);
  cheap.mutable_distance()->mutable_pairs()->set_count(1'000);
  ASSERT_TRUE(first.Send(cheap));
  is_held_.wait();
  EXPECT_GT(server.metrics.pending_work().Value(), 0);
  const v1::SessionResponse other = second.Ask(LargeBatch(2));
  EXPECT_EQ(other.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  release_.count_down();
  v1::SessionResponse answer;
  ASSERT_TRUE(first.Receive(&answer));
  EXPECT_EQ(answer.distance().count(), 1'000u);
  EXPECT_NEAR(server.metrics.pending_work().Value(), 0, 1e-9);
}

TEST_F(Overload, AnswersInPartsArePendingUntilTheLast) {
  TestServer server({}, Hold(kLargeRows), nullptr, {.max_pending_work = absl::ZeroDuration()});
  TestSession first(server), second(server);
  for (TestSession* const session : {&first, &second}) {
    session->Open(0, Sphere(1));
    session->Open(1, Sphere(1));
  }
  v1::SessionRequest in_parts = LargeBatch(1);
  in_parts.mutable_distance()->mutable_options()->set_max_reply_bytes(20'000);
  ASSERT_TRUE(first.Send(in_parts));
  std::uint32_t rows = 0;
  const auto take = [&] {
    v1::SessionResponse part;
    if (!first.Receive(&part)) return false;
    rows += part.distance().count();
    return part.distance().count() > 0;
  };
  ASSERT_TRUE(take());
  ASSERT_LT(rows, kLargeRows);
  std::thread others([&] {
    while (rows < kLargeRows && take()) {
    }
    // Without this a stream that ended early would be waited for.
    if (!is_held_.try_wait()) is_held_.count_down();
  });
  is_held_.wait();
  EXPECT_EQ(second.Ask(LargeBatch(2)).status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  release_.count_down();
  others.join();
  EXPECT_EQ(rows, kLargeRows);
  EXPECT_EQ(second.Ask(DistanceAt(3, 3)).distance().count(), 1u);
}

}  // namespace
}  // namespace clearance::testing

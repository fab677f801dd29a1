// SPDX-License-Identifier: Apache-2.0
//
// The client's session against the real server.
#include "clearance/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Session> OpenBoxes(const Client& client, const SessionOptions& options = {}) {
  std::unique_ptr<Session> session = client.OpenSession(options);
  for (const std::uint32_t slot : {0u, 1u}) {
    const absl::StatusOr<OpenedShape> opened = session->Open(slot, kUnitBox);
    EXPECT_TRUE(opened.ok()) << opened.status();
  }
  return session;
}

TEST(SessionWithServer, TakesTenThousandWritesBeforeTheFirstRead) {
  const RealServer server;
  const std::unique_ptr<Session> session = OpenBoxes(server.Connect());
  for (std::uint64_t tag = 0; tag < 10'000; ++tag) {
    ASSERT_TRUE(session->Send(BoxesApart(8, static_cast<double>(tag)), tag).ok());
  }
  for (std::uint64_t tag = 0; tag < 10'000; ++tag) {
    const absl::StatusOr<Reply> reply = session->Next();
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->tag, tag);
    const auto& result = std::get<DistanceResult>(reply->answer);
    ASSERT_EQ(result.count, 8u);
    ASSERT_EQ(result.distances[7], static_cast<double>(tag) + 7);
  }
  EXPECT_TRUE(session->Finish().ok());
}

// It is not opened again behind its user's back, as it would hold the same again.
TEST(SessionWithServer, EndsIfItHeldMostDeletedBytesAndOthersContinue) {
  const RealServer server({.max_registry_bytes = 1 << 16});
  const Client client = server.Connect();
  const std::unique_ptr<Session> session = client.OpenSession();
  absl::Status end;
  for (std::uint32_t slot = 0; end.ok(); ++slot) {
    // Refused for as long as too much of what it replaced is held.
    static_cast<void>(client.Register("ball", {Sphere{1.0 + slot}}, {.replace = true}));
    end = session->Open(slot, ByName{"ball"}).status();
  }
  EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted) << end;
  EXPECT_THAT(end.message(), HasSubstr("open it again with shapes that are registered"));
  EXPECT_EQ(session->Finish().code(), absl::StatusCode::kResourceExhausted);

  const std::unique_ptr<Session> another = client.OpenSession();
  EXPECT_TRUE(another->Open(0, ByName{"ball"}).ok());
  EXPECT_TRUE(another->Finish().ok());
  EXPECT_THAT(server.ShutdownAndScrape(),
              HasSubstr("\nclearance_sessions_ended_for_deleted_shapes_total 1\n"));
}

TEST(SessionWithServer, MixesKindsInOrder) {
  const RealServer server;
  const std::unique_ptr<Session> session = OpenBoxes(server.Connect());
  IntersectionBatch touches;
  touches.pairs = BoxesApart(1, -0.5).pairs;
  TimeOfCollisionBatch motion;
  motion.pairs = BoxesApart(1, 1).pairs;
  ASSERT_TRUE(session->Send(touches, 1).ok());
  ASSERT_TRUE(session->Send(BoxesApart(1, 1), 2).ok());
  ASSERT_TRUE(session->Send(motion, 3).ok());
  ASSERT_TRUE(session->Send(CloseShape{1}, 4).ok());
  ASSERT_TRUE(session->Send(BoxesApart(1, 1), 5).ok());
  EXPECT_THAT(std::get<IntersectionResult>(session->Next()->answer).states,
              ElementsAre(State::kPenetrating));
  EXPECT_THAT(std::get<DistanceResult>(session->Next()->answer).states,
              ElementsAre(State::kSeparated));
  EXPECT_THAT(std::get<TimeOfCollisionResult>(session->Next()->answer).states,
              ElementsAre(MotionState::kFree));
  EXPECT_EQ(std::get<ClosedShape>(session->Next()->answer).slot, 1u);
  const auto refused = std::get<DistanceResult>(session->Next()->answer);
  EXPECT_THAT(refused.states, ElementsAre(State::kRefused));
  ASSERT_EQ(refused.errors.size(), 1u);
}

TEST(SessionWithServer, GoesOnAfterAMalformedBatch) {
  const RealServer server;
  const std::unique_ptr<Session> session = OpenBoxes(server.Connect());
  DistanceBatch malformed = BoxesApart(3, 1);
  malformed.pairs.poses_b.pop_back();
  const absl::Status status = session->Ask(malformed).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(ErrorDetail(status).has_value());
  EXPECT_EQ(session->Open(0, ByName{"nobody"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(session->Open(0, kUnitBox).ok());
  EXPECT_TRUE(session->Ask(BoxesApart(3, 1)).ok());
}

TEST(SessionWithServer, SplitsByRowsAndByBytes) {
  for (const server::Limits& limits :
       {server::Limits{.max_batch_rows = 100}, server::Limits{.max_request_bytes = 4096}}) {
    const RealServer server(limits);
    const std::unique_ptr<Session> session = OpenBoxes(server.Connect());
    DistanceBatch batch = BoxesApart(1050, 1);
    batch.detail.witnesses = true;
    batch.pairs.poses_b[7 * 777] = std::numeric_limits<double>::infinity();
    const absl::StatusOr<DistanceResult> result = session->Ask(batch);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->count, 1050u);
    ASSERT_EQ(result->states.size(), 1050u);
    ASSERT_EQ(result->witnesses.offsets.size(), 1051u);
    ASSERT_EQ(result->witnesses.offsets.back(), result->witnesses.weights.size());
    for (std::uint32_t row = 0; row < 1050; ++row) {
      if (row == 777) {
        ASSERT_TRUE(std::isnan(result->distances[row]));
      } else {
        ASSERT_EQ(result->distances[row], row + 1.0);
      }
    }
    ASSERT_EQ(result->errors.size(), 1u);
    EXPECT_EQ(result->errors[0].index, 777u);
  }
}

TEST(SessionWithServer, JoinsAnswersInPartsForASmallReceiveLimit) {
  const RealServer server;
  const std::unique_ptr<Session> session = OpenBoxes(server.Connect());
  DistanceBatch batch = BoxesApart(5000, 1);
  batch.options.max_reply_bytes = 20'000;
  const absl::StatusOr<DistanceResult> result = session->Ask(batch);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->distances.size(), 5000u);
  EXPECT_EQ(result->distances.back(), 5000);
}

TEST(SessionWithServer, EndsWithUnavailableWhenTheServerDrains) {
  RealServer server;
  const std::unique_ptr<Session> session = OpenBoxes(server.Connect(), {.reopen = false});
  ASSERT_TRUE(session->Ask(BoxesApart(1, 1)).ok());
  server.server().BeginDrain();
  EXPECT_EQ(session->Finish().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(session->Next().status().code(), absl::StatusCode::kUnavailable);
}

TEST(SessionWithServer, EndsWithResourceExhaustedBeyondTheServersSessions) {
  const RealServer server({.max_sessions = 1});
  const Client client = server.Connect();
  const std::unique_ptr<Session> first = OpenBoxes(client);
  const std::unique_ptr<Session> second = client.OpenSession();
  EXPECT_EQ(second->Ask(BoxesApart(1, 1)).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(first->Ask(BoxesApart(1, 1)).ok());
}

}  // namespace
}  // namespace clearance::client

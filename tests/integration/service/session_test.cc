// SPDX-License-Identifier: Apache-2.0
//
// A session answers each well-formed message, in order, whatever the mixture.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "server/session/batch_job.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

// Unit spheres whose centres are x apart: the distance is x - 2 (closed form).
void OpenUnitSpheres(TestSession& session) {
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
}

TEST(Session, AnswersADistanceWithABracketAroundTheClosedForm) {
  TestServer server;
  TestSession session(server);
  OpenUnitSpheres(session);

  const v1::SessionResponse response = session.Ask(DistanceAt(5, 17));

  ASSERT_TRUE(response.has_distance()) << response.ShortDebugString();
  EXPECT_EQ(response.tag(), 17u);
  EXPECT_THAT(response.distance().states(), ::testing::ElementsAre(v1::STATE_SEPARATED));
  EXPECT_LE(response.distance().lower_bounds(0), 3.0);
  EXPECT_GE(response.distance().upper_bounds(0), 3.0);
  EXPECT_NEAR(response.distance().distances(0), 3.0, 1e-8);
  EXPECT_TRUE(session.Finish().ok());
}

TEST(Session, HalfClosedAtOnceEndsWell) {
  TestServer server;
  TestSession session(server);
  EXPECT_TRUE(session.Finish().ok());
}

TEST(Session, ThatSendsNothingEndsWithTheClientsDeadline) {
  TestServer server;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
  const auto stream = server.queries->Session(&context);
  v1::SessionResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(TestSession(server).Finish().ok());
}

// Message i: what it asks for turns with i, so that its answer tells which message it belongs to.
v1::SessionRequest MixedMessage(std::uint64_t i) {
  v1::SessionRequest request = DistanceAt(3.0 + static_cast<double>(i), 1000 + i);
  const v1::PairColumns pairs = request.distance().pairs();
  switch (i % 4) {
    case 0:
      break;
    case 1:
      *request.mutable_intersection()->mutable_pairs() = pairs;
      break;
    case 2:
      *request.mutable_time_of_collision()->mutable_pairs() = pairs;
      break;
    case 3:
      request.mutable_open()->set_slot(static_cast<std::uint32_t>(2 + i));
      *request.mutable_open()->mutable_shape()->mutable_inline_shape() =
          Sphere(static_cast<double>(i));
      break;
  }
  return request;
}

void ExpectAnswerOf(std::uint64_t i, const v1::SessionResponse& response) {
  ASSERT_EQ(response.tag(), 1000 + i);
  switch (i % 4) {
    case 0:
      ASSERT_TRUE(response.has_distance());
      EXPECT_NEAR(response.distance().distances(0), 1.0 + static_cast<double>(i), 1e-5);
      break;
    case 1:
      ASSERT_TRUE(response.has_intersection());
      EXPECT_EQ(response.intersection().states(0), v1::STATE_SEPARATED);
      break;
    case 2:
      ASSERT_TRUE(response.has_time_of_collision());
      EXPECT_EQ(response.time_of_collision().states(0), v1::MOTION_STATE_FREE);
      break;
    case 3:
      ASSERT_TRUE(response.has_open()) << response.ShortDebugString();
      EXPECT_EQ(response.open().slot(), 2 + i);
      EXPECT_EQ(response.open().info().swept_sphere_radius(), static_cast<double>(i));
      break;
  }
}

TEST(Session, KeepsOrderAndTagsOfTwoThousandMixedMessages) {
  constexpr std::uint64_t kMessages = 2000;
  TestServer server;
  TestSession session(server);
  OpenUnitSpheres(session);
  std::thread writer([&session] {
    for (std::uint64_t i = 0; i < kMessages; ++i) session.Send(MixedMessage(i));
    session.HalfClose();
  });
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    v1::SessionResponse response;
    const bool is_read = session.Receive(&response);
    EXPECT_TRUE(is_read);
    if (is_read) ExpectAnswerOf(i, response);
  }
  writer.join();
  EXPECT_TRUE(session.AwaitEnd().ok());
}

TEST(Session, AnswersTenThousandMessagesWhileClientReads) {
  constexpr std::uint64_t kMessages = 10000;
  TestServer server;
  TestSession session(server);
  OpenUnitSpheres(session);
  std::thread writer([&session] {
    for (std::uint64_t i = 0; i < kMessages; ++i) session.Send(DistanceAt(4, i));
    session.HalfClose();
  });
  std::uint64_t answered = 0;
  v1::SessionResponse response;
  while (session.Receive(&response)) answered += response.tag() == answered ? 1 : 0;
  writer.join();
  EXPECT_EQ(answered, kMessages);
  EXPECT_TRUE(session.AwaitEnd().ok());
}

TEST(Session, KeepsAShapeThatTheRegistryDeletes) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  TestSession session(server);
  session.Open(0, "ball");
  session.Open(1, "ball");
  v1::DeleteShapeRequest request;
  v1::DeleteShapeResponse response;
  request.set_name("ball");
  ASSERT_TRUE(Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, request, &response).ok());

  EXPECT_EQ(session.Ask(DistanceAt(5, 1)).distance().states(0), v1::STATE_SEPARATED);
}

TEST(Session, OpensByDigestAndTellsWhatItOpened) {
  TestServer server;
  const std::string digest = Register(server, "box", Box(1));
  TestSession session(server);
  v1::SessionRequest request;
  request.mutable_open()->set_slot(3);
  request.mutable_open()->mutable_shape()->set_digest(digest);
  const v1::SessionResponse response = session.Ask(request);
  EXPECT_EQ(response.open().slot(), 3u);
  EXPECT_EQ(response.open().info().name(), "box");
  EXPECT_EQ(response.open().info().digest(), digest);
  EXPECT_EQ(response.open().info().point_count(), 8u);
  EXPECT_EQ(response.open().revision(), 1u);
}

TEST(Session, LargeAnswer_ComesInPartsThatCoverEachRowOnce) {
  constexpr std::uint32_t kRows = 500;
  TestServer server;
  TestSession session(server);
  OpenUnitSpheres(session);
  v1::SessionRequest request;
  request.set_tag(9);
  auto* const batch = request.mutable_distance();
  batch->mutable_pairs()->set_count(kRows);
  batch->mutable_options()->set_max_reply_bytes(4096);
  batch->mutable_detail()->set_distances(true);
  // Columns whose size is known, so that a part is nearly as large as it may be.
  batch->mutable_detail()->set_points(true);
  batch->mutable_detail()->set_relative_points(true);
  batch->mutable_detail()->set_normals(true);
  for (std::uint32_t i = 0; i < kRows; ++i) {
    const double x = i % 7 == 3 ? NAN : 3.0 + i;
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0})
      batch->mutable_pairs()->add_poses_b(number);
  }
  ASSERT_TRUE(session.Send(request));

  std::uint32_t rows = 0;
  int parts = 0;
  std::size_t largest = 0;
  std::vector<std::uint32_t> refused;
  while (rows < kRows) {
    v1::SessionResponse response;
    ASSERT_TRUE(session.Receive(&response));
    ASSERT_TRUE(response.has_distance()) << response.ShortDebugString();
    EXPECT_LE(response.ByteSizeLong(), 4096u);
    EXPECT_EQ(response.tag(), 9u);
    const v1::DistanceBatchResult& part = response.distance();
    ASSERT_EQ(part.first_row(), rows);
    ASSERT_EQ(part.total_count(), kRows);
    ASSERT_EQ(part.states_size(), static_cast<int>(part.count()));
    ASSERT_EQ(part.normals_size(), 3 * static_cast<int>(part.count()));
    largest = std::max(largest, response.ByteSizeLong());
    for (std::uint32_t i = 0; i < part.count(); ++i) {
      const bool is_refused = (rows + i) % 7 == 3;
      EXPECT_THAT(part.distances(i),
                  ::testing::NanSensitiveDoubleNear(is_refused ? NAN : 1.0 + rows + i, 1e-6));
    }
    for (const v1::Error& error : part.errors()) refused.push_back(error.index());
    rows += part.count();
    ++parts;
  }
  EXPECT_GT(parts, 10);
  EXPECT_GT(largest, 2000u);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 3; i < kRows; i += 7) expected.push_back(i);
  EXPECT_EQ(refused, expected);
  EXPECT_TRUE(session.Finish().ok());
}

// Each takes far more bytes than a row that is answered; none were reserved for so many of them.
TEST(Session, ManyRefusedRows_PartsStayWithinReservation) {
  constexpr std::uint32_t kRows = 5'000;
  TestServer server;
  TestSession session(server);
  v1::SessionRequest request;
  request.mutable_intersection()->mutable_pairs()->set_count(kRows);
  const std::uint64_t most = server::MostReplyBytes(request.intersection(), server.limits);
  ASSERT_TRUE(session.Send(request));
  std::uint32_t rows = 0;
  int parts = 0;
  for (; rows < kRows; ++parts) {
    v1::SessionResponse response;
    ASSERT_TRUE(session.Receive(&response));
    const v1::IntersectionBatchResult& part = response.intersection();
    EXPECT_LE(response.ByteSizeLong(), most);
    ASSERT_EQ(part.first_row(), rows);
    ASSERT_GT(part.count(), 0u);
    ASSERT_EQ(part.errors_size(), static_cast<int>(part.count()));
    EXPECT_EQ(part.errors(0).index(), rows);
    rows += part.count();
  }
  EXPECT_GT(parts, 1);
  EXPECT_TRUE(session.Finish().ok());
}

}  // namespace
}  // namespace clearance::testing

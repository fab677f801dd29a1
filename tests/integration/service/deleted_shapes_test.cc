// SPDX-License-Identifier: Apache-2.0
//
// Sessions that hold shapes which were replaced or deleted since, more than the server keeps of
// such. The sessions that hold most end, with a reason. Registrations and other sessions are not
// stopped by them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "tests/integration/service/scene_messages.h"

namespace clearance::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// In contents, all of the same size.
constexpr std::uint64_t kRoom = 3;

grpc::Status RegisterBall(TestServer& server, double radius) {
  v1::RegisterShapeRequest request;
  request.set_name("ball");
  request.set_replace(true);
  *request.mutable_shape() = Sphere(radius);
  v1::RegisterShapeResponse response;
  return Call(*server.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
}

// Returns the bytes of one content.
std::uint64_t ContentBytes() {
  TestServer server;
  EXPECT_TRUE(RegisterBall(server, 1).ok());
  return server.registry.FindByName("ball")->shape.content->byte_size();
}

// One way for a session to hold what "ball" is now.
struct Way {
  const char* name;
  std::function<void(TestServer&, TestSession&, std::uint32_t)> hold;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

void HoldInSlot(TestServer& /*server*/, TestSession& session, std::uint32_t i) {
  session.Open(i, "ball");
}

void HoldAsQueryBody(TestServer& /*server*/, TestSession& session, std::uint32_t i) {
  session.Open(0, "ball");
  v1::SessionRequest request;
  v1::BodyColumns& bodies = *request.mutable_change_bodies()->mutable_change()->mutable_bodies();
  bodies.set_count(1);
  bodies.add_ids(i);
  bodies.add_shape_slots(0);
  AddPoseAt(i, bodies.mutable_poses());
  EXPECT_EQ(session.Ask(request).status().code(), 0);
  v1::SessionRequest close;
  close.mutable_close()->set_slot(0);
  EXPECT_EQ(session.Ask(close).status().code(), 0);
}

void HoldInScene(TestServer& server, TestSession& session, std::uint32_t i) {
  CreateRow(server, "row", 1, Forever());
  v1::SessionRequest request;
  request.mutable_open_scene()->set_scene_slot(i);
  request.mutable_open_scene()->set_name("row");
  EXPECT_EQ(session.Ask(request).status().code(), 0);
  v1::DeleteSceneRequest gone;
  gone.set_name("row");
  v1::DeleteSceneResponse response;
  EXPECT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::DeleteScene, gone, &response).ok());
}

class DeletedShapes : public ::testing::TestWithParam<Way> {};

TEST_P(DeletedShapes, EndTheSessionThatHoldsMostAndStopNobodyElse) {
  const std::uint64_t most = kRoom * ContentBytes();
  TestServer server({.max_registry_bytes = most});
  ASSERT_TRUE(RegisterBall(server, 1).ok());
  TestSession modest(server);
  modest.Open(0, "ball");
  TestSession greedy(server);
  double radius = 2;
  for (std::uint32_t i = 0; i <= kRoom; ++i) {
    GetParam().hold(server, greedy, i);
    ASSERT_TRUE(RegisterBall(server, ++radius).ok());
  }
  // One too many. The session that holds most ends without a message from its client.
  const grpc::Status refused = RegisterBall(server, ++radius);
  ASSERT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ErrorOf(refused).value(),
            std::to_string(most / kRoom * (kRoom + 1)) + " bytes of deleted shapes");
  EXPECT_GT(ErrorOf(refused).retry_after().nanos(), 0);
  const grpc::Status end = greedy.AwaitEnd();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(ErrorOf(end).limit(), HasSubstr("max_registry_bytes <= " + std::to_string(most)));
  while (!RegisterBall(server, radius).ok()) std::this_thread::yield();

  modest.Open(1, "ball");
  const v1::SessionResponse answer = modest.Ask(DistanceAt(500, 7));
  ASSERT_EQ(answer.distance().states_size(), 1);
  EXPECT_EQ(answer.distance().states(0), v1::STATE_SEPARATED);
  EXPECT_TRUE(modest.Finish().ok());
  EXPECT_EQ(server.metrics.sessions_ended_for_shapes().Value(), 1);
  server.grpc->Shutdown(absl::InfiniteDuration());
  EXPECT_THAT(
      server.log_lines,
      Contains(HasSubstr("WARNING ended a session that held deleted shapes principal=anyone "
                         "peer=ipv4:127.0.0.1:")));
}

INSTANTIATE_TEST_SUITE_P(Ways, DeletedShapes,
                         ::testing::Values(Way{"Slots", HoldInSlot},
                                           Way{"QueryBodies", HoldAsQueryBody},
                                           Way{"Scenes", HoldInScene}),
                         [](const auto& instance) { return std::string(instance.param.name); });

// The client cannot be told why.
TEST(DeletedShapesUnread, EndTheSessionThatDoesNotTakeItsReplies) {
  TestServer server({.max_registry_bytes = kRoom * ContentBytes()});
  double radius = 1;
  TestSession greedy(server);
  for (std::uint32_t i = 0; i <= kRoom; ++i) {
    ASSERT_TRUE(RegisterBall(server, ++radius).ok());
    greedy.Open(i, "ball");
  }
  // More than gRPC takes of a reply that is not read.
  v1::SessionRequest request = DistanceAt(500, 7);
  request.mutable_distance()->mutable_pairs()->set_count(100'000);
  ASSERT_TRUE(greedy.Send(request));
  ASSERT_TRUE(RegisterBall(server, ++radius).ok());
  ASSERT_FALSE(RegisterBall(server, ++radius).ok());
  while (!RegisterBall(server, radius).ok()) std::this_thread::yield();
  EXPECT_FALSE(greedy.AwaitEnd().ok());
}

}  // namespace
}  // namespace clearance::testing

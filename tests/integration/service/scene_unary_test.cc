// SPDX-License-Identifier: Apache-2.0
//
// Questions about scenes by unary calls. The oracle is a session that is asked the same: its
// answers are held against the core elsewhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/service/scene_world.h"

namespace clearance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Stub = v1::SceneQueryService::Stub;

// The setting of a WorldSession: shapes in slots 0 and 1, the scene in slot 2, the query bodies.
template <class Request>
Request InWorld() {
  Request request;
  if constexpr (requires { request.add_shapes(); }) {
    request.add_shapes()->set_name("ball");
    request.add_shapes()->set_name("box");
  }
  *request.mutable_open_scene() = World::OpenIn(2).open_scene();
  if constexpr (requires { request.mutable_change_bodies(); })
    *request.mutable_change_bodies() = World::Attach().change_bodies();
  return request;
}

template <class Request>
Request InWorld(const decltype(Request().batch())& batch) {
  Request request = InWorld<Request>();
  *request.mutable_batch() = batch;
  return request;
}

// The same batch by a call and by a session: the same bytes.
template <class Request, class Response, class Result>
void ExpectSame(World& world,
                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                const Request& request, const Result& of_session) {
  Response response;
  const grpc::Status status = Call(*world.server.scene_queries, method, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.result().scene_revision(), 1u);
  EXPECT_EQ(response.result().SerializeAsString(), of_session.SerializeAsString());
  EXPECT_GT(of_session.ByteSizeLong(), kWorldRows);
}

TEST(UnarySceneQuestions, OfConfigurationsAreThoseOfASession) {
  World world;
  WorldSession session(world);
  const v1::ConfigurationColumns columns = ConfigurationsAt(world.AnyPoses());
  v1::SessionRequest asked;
  v1::CheckBatch& check = *asked.mutable_check();
  *check.mutable_configurations() = columns;
  check.set_max_pairs(4);
  check.mutable_detail()->set_free_radii(true);
  ExpectSame(world, &Stub::Check, InWorld<v1::CheckRequest>(check), session.Ask(asked).check());

  v1::MinimumDistanceBatch& minimum = *asked.mutable_minimum_distance();
  *minimum.mutable_configurations() = columns;
  minimum.mutable_detail()->set_bounds(true);
  minimum.mutable_detail()->set_free_radii(true);
  ExpectSame(world, &Stub::MinimumDistance, InWorld<v1::MinimumDistanceRequest>(minimum),
             session.Ask(asked).minimum_distance());

  v1::NearestBatch& nearest = *asked.mutable_nearest();
  *nearest.mutable_configurations() = columns;
  nearest.set_max_pairs(5);
  ExpectSame(world, &Stub::Nearest, InWorld<v1::NearestRequest>(nearest),
             session.Ask(asked).nearest());

  v1::SweepBatch& motion = *asked.mutable_sweep();
  *motion.mutable_configurations() = columns;
  for (std::uint32_t k = 0; k < kOwnCount; ++k) {
    AddNumbers({1, 0, 0}, motion.mutable_displacements());
    AddNumbers({0, 0, 1}, motion.mutable_rotations());
  }
  motion.set_max_pairs(4);
  *motion.mutable_detail() = EveryColumn();
  ExpectSame(world, &Stub::Sweep, InWorld<v1::SweepRequest>(motion), session.Ask(asked).sweep());
}

TEST(UnarySceneQuestions, OfShapesAndRaysAreThoseOfASession) {
  World world;
  WorldSession session(world);
  v1::SessionRequest asked;
  v1::OverlapBatch& overlap = *asked.mutable_overlap();
  overlap.set_count(kWorldRows);
  overlap.set_scene_slot(2);
  overlap.set_max_pairs(4);
  overlap.add_shape_slots(1);
  for (std::uint32_t row = 0; row < kWorldRows; ++row)
    AddPose(world.AnyPose(), overlap.mutable_poses());
  ExpectSame(world, &Stub::Overlap, InWorld<v1::OverlapRequest>(overlap),
             session.Ask(asked).overlap());

  v1::RayBatch& ray = *asked.mutable_ray();
  ray.set_count(kWorldRows);
  ray.set_scene_slot(2);
  ray.set_max_pairs(4);
  *ray.mutable_detail() = EveryColumn();
  for (std::uint32_t row = 0; row < kWorldRows; ++row)
    AddNumbers(2.0 * world.AnyPose().p_WS, ray.mutable_displacements());
  ExpectSame(world, &Stub::Ray, InWorld<v1::RayRequest>(ray), session.Ask(asked).ray());
}

// More than a polling thread takes on: the rows are answered by workers, in chunks.
TEST(UnarySceneQuestions, OfManyRowsAreThoseOfASession) {
  World world;
  WorldSession session(world);
  std::vector<Pose> poses;
  for (int i = 0; i < 20; ++i) {
    const std::vector<Pose> more = world.AnyPoses();
    poses.insert(poses.end(), more.begin(), more.end());
  }
  v1::SessionRequest asked;
  *asked.mutable_minimum_distance()->mutable_configurations() = ConfigurationsAt(poses);
  ExpectSame(world, &Stub::MinimumDistance,
             InWorld<v1::MinimumDistanceRequest>(asked.minimum_distance()),
             session.Ask(asked).minimum_distance());
}

v1::CheckRequest CheckOfOneRow() {
  v1::CheckRequest request = InWorld<v1::CheckRequest>();
  *request.mutable_batch()->mutable_configurations() = OneRow();
  return request;
}

v1::CheckResponse Answered(World& world, const v1::CheckRequest& request) {
  v1::CheckResponse response;
  const grpc::Status status = Call(*world.server.scene_queries, &Stub::Check, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

TEST(UnarySceneQuestions, AskARevisionOrAtLeastOne) {
  World world;
  v1::UpdateSceneRequest update;
  update.set_name("world");
  update.mutable_change()->mutable_bodies()->set_count(1);
  update.mutable_change()->mutable_bodies()->add_ids(500);
  update.mutable_change()->mutable_bodies()->add_shapes()->set_name("ball");
  AddPoseAt(100, update.mutable_change()->mutable_bodies()->mutable_poses());
  Update(world.server, update);
  v1::CheckRequest request = CheckOfOneRow();
  const auto expect = [&](std::uint64_t revision, v1::Verdict verdict) {
    const v1::CheckResponse response = Answered(world, request);
    EXPECT_EQ(response.result().scene_revision(), revision);
    EXPECT_THAT(response.result().verdicts(), ElementsAre(verdict));
    EXPECT_EQ(response.revision(), 2u);  // of the registry: two shapes
  };
  expect(2, v1::VERDICT_TOUCHING);
  request.mutable_open_scene()->set_revision(1);
  expect(1, v1::VERDICT_FREE);
  request.mutable_open_scene()->set_revision(0);
  request.mutable_open_scene()->set_min_revision(2);
  expect(2, v1::VERDICT_TOUCHING);
}

TEST(UnarySceneQuestions, NeedNoSceneForQueryBodiesAlone) {
  World world;
  v1::CheckRequest request = CheckOfOneRow();
  request.clear_open_scene();
  request.mutable_batch()->mutable_configurations()->clear_scene_slot();
  const v1::CheckResponse response = Answered(world, request);
  EXPECT_THAT(response.result().verdicts(), ElementsAre(v1::VERDICT_FREE));
  EXPECT_EQ(response.result().scene_revision(), 0u);
}

TEST(UnarySceneQuestions, TakeInlineShapes) {
  World world;
  v1::OverlapRequest request;
  *request.add_shapes()->mutable_inline_shape() = Sphere(50);
  *request.mutable_open_scene() = World::OpenIn(0).open_scene();
  request.mutable_batch()->set_count(1);
  request.mutable_batch()->set_max_pairs(100);
  v1::OverlapResponse response;
  ASSERT_TRUE(Call(*world.server.scene_queries, &Stub::Overlap, request, &response).ok());
  EXPECT_EQ(response.result().pairs().bodies_b_size(), static_cast<int>(kWorldCount));
  EXPECT_EQ(response.result().pairs().bodies_b(0), 10u);
}

TEST(UnarySceneQuestions, AreCountedAsQuestionsAndCalls) {
  World world;
  Answered(world, CheckOfOneRow());
  const std::string text = world.server.metrics.Scrape();
  EXPECT_THAT(text, HasSubstr("clearance_queries_total{kind=\"scene_check\",state=\"free\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("grpc_server_started_total{grpc_method=\"Check\",grpc_service="
                              "\"clearance.v1.SceneQueryService\",grpc_type=\"unary\"} 1\n"));
}

struct BadCall {
  const char* name;
  std::function<void(v1::CheckRequest&)> spoil;
  grpc::StatusCode code;
  const char* field;
  const char* value;
  const char* limit;
};
std::ostream& operator<<(std::ostream& out, const BadCall& bad) { return out << bad.name; }

class BadSceneCall : public ::testing::TestWithParam<BadCall> {};

TEST_P(BadSceneCall, IsRefused) {
  World world;
  v1::CheckRequest request = CheckOfOneRow();
  GetParam().spoil(request);
  v1::CheckResponse response;
  const grpc::Status status = Call(*world.server.scene_queries, &Stub::Check, request, &response);
  EXPECT_EQ(status.error_code(), GetParam().code) << status.error_message();
  const v1::Error error = ErrorOf(status);
  EXPECT_EQ(error.field(), GetParam().field);
  EXPECT_EQ(error.value(), GetParam().value);
  EXPECT_THAT(error.limit(), HasSubstr(GetParam().limit));
}

v1::SceneChange& ChangeIn(v1::CheckRequest& request) {
  return *request.mutable_change_bodies()->mutable_change();
}

using grpc::StatusCode;

INSTANTIATE_TEST_SUITE_P(
    Table, BadSceneCall,
    ::testing::Values(
        BadCall{"UnknownScene", [](auto& r) { r.mutable_open_scene()->set_name("nowhere"); },
                StatusCode::NOT_FOUND, "open_scene.name", "nowhere", ""},
        BadCall{"NoName", [](auto& r) { r.mutable_open_scene()->set_name("No Name"); },
                StatusCode::INVALID_ARGUMENT, "open_scene.name", "No Name", "a-z0-9"},
        BadCall{"RevisionNotReached", [](auto& r) { r.mutable_open_scene()->set_min_revision(7); },
                StatusCode::FAILED_PRECONDITION, "open_scene.min_revision", "7", ""},
        BadCall{"RevisionNotHeld", [](auto& r) { r.mutable_open_scene()->set_revision(7); },
                StatusCode::FAILED_PRECONDITION, "open_scene.revision", "7", ""},
        BadCall{"SlotTooHigh", [](auto& r) { r.mutable_open_scene()->set_scene_slot(64); },
                StatusCode::RESOURCE_EXHAUSTED, "open_scene.scene_slot", "64",
                "max_session_scenes: < 64"},
        BadCall{"AnotherSlot",
                [](auto& r) { r.mutable_batch()->mutable_configurations()->set_scene_slot(3); },
                StatusCode::NOT_FOUND, "batch.configurations.scene_slot", "3", "an open slot"},
        BadCall{"NoScene", [](auto& r) { r.clear_open_scene(); }, StatusCode::NOT_FOUND,
                "batch.configurations.scene_slot", "2", "an open slot"},
        BadCall{"RegistryNotReached", [](auto& r) { r.set_min_revision(99); },
                StatusCode::FAILED_PRECONDITION, "min_revision", "99", ""},
        BadCall{"UnknownShape", [](auto& r) { r.add_shapes()->set_name("nothing"); },
                StatusCode::NOT_FOUND, "shapes[2].name", "nothing", ""},
        BadCall{"NoBodies", [](auto& r) { r.clear_change_bodies(); },
                StatusCode::FAILED_PRECONDITION, "batch.configurations", "0 bodies", ">= 1"},
        BadCall{"ShapeOfNoSlot",
                [](auto& r) { ChangeIn(r).mutable_bodies()->set_shape_slots(0, 5); },
                StatusCode::NOT_FOUND, "change_bodies.change.bodies.shape_slots[0]", "5",
                "an open slot"},
        BadCall{"DetachedBeforeAttached", [](auto& r) { ChangeIn(r).add_removed_bodies(77); },
                StatusCode::INVALID_ARGUMENT, "change_bodies.change.removed_bodies[0]", "77", ""},
        BadCall{"PosesDoNotFit",
                [](auto& r) { r.mutable_batch()->mutable_configurations()->add_poses(1); },
                StatusCode::INVALID_ARGUMENT, "batch.configurations.poses", "1 numbers", "21"},
        BadCall{"TooManyPairs", [](auto& r) { r.mutable_batch()->set_max_pairs(4097); },
                StatusCode::RESOURCE_EXHAUSTED, "batch.max_pairs", "4097", "max_row_pairs <= 4096"},
        BadCall{"ReplyTooLarge",
                [](auto& r) {
                  r.mutable_batch()->mutable_configurations()->set_count(1000);
                  r.mutable_batch()->mutable_options()->set_max_reply_bytes(2000);
                },
                StatusCode::RESOURCE_EXHAUSTED, "batch.options.max_reply_bytes", "2000", ">= "},
        BadCall{"NoBatch", [](auto& r) { r.clear_batch(); }, StatusCode::INVALID_ARGUMENT,
                "batch.configurations.count", "0", ">= 1"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Questions about scenes through a session. The oracle is the core, asked directly about the same
// bodies: every number must be the same to the last bit.

#include "core/scene/scene_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/service/scene_world.h"

namespace clearance::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

v1::SessionRequest CheckOf(const v1::ConfigurationColumns& columns, std::uint64_t tag = 0) {
  v1::SessionRequest request;
  request.set_tag(tag);
  *request.mutable_check()->mutable_configurations() = columns;
  return request;
}

TEST(SceneQuestions, ChecksAreThoseOfTheCore) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  v1::SessionRequest request = CheckOf(ConfigurationsAt(poses));
  v1::CheckDetail& detail = *request.mutable_check()->mutable_detail();
  detail.set_pairs(true);
  detail.set_bounds(true);
  detail.set_free_radii(true);
  const v1::SessionResponse response = session.Ask(request);
  ASSERT_EQ(response.status().code(), 0) << response.status().message();
  const v1::CheckBatchResult& result = response.check();
  ASSERT_EQ(result.verdicts_size(), static_cast<int>(kWorldRows));
  EXPECT_EQ(result.scene_revision(), 1u);
  int touching = 0;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    const int i = static_cast<int>(row);
    const CheckAnswer answer =
        CheckScene(world.QueryAt(poses, row), {.wants_free_radius = true}, &world.scratch);
    ASSERT_EQ(result.verdicts(i), static_cast<int>(answer.verdict));
    EXPECT_EQ(result.free_radii(i), answer.free_radius);
    if (answer.verdict == Verdict::kFree) continue;
    ++touching;
    ExpectPair(result, i, answer.first.pair);
    EXPECT_EQ(result.lower_bounds(i), answer.first.bracket.lower);
    EXPECT_EQ(result.upper_bounds(i), answer.first.bracket.upper);
  }
  EXPECT_GT(touching, static_cast<int>(kWorldRows) / 10);
  EXPECT_LT(touching, static_cast<int>(kWorldRows) * 9 / 10);
}

TEST(SceneQuestions, MinimumDistancesAreThoseOfTheCore) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  v1::SessionRequest request;
  v1::MinimumDistanceBatch& batch = *request.mutable_minimum_distance();
  *batch.mutable_configurations() = ConfigurationsAt(poses);
  batch.add_max_distances(0.3);
  v1::MinimumDistanceDetail& detail = *batch.mutable_detail();
  detail.set_distances(true);
  detail.set_bounds(true);
  detail.set_pairs(true);
  detail.set_points(true);
  detail.set_normals(true);
  detail.set_free_radii(true);
  const v1::SessionResponse response = session.Ask(request);
  ASSERT_EQ(response.status().code(), 0) << response.status().message();
  const v1::MinimumDistanceBatchResult& result = response.minimum_distance();
  ASSERT_EQ(result.states_size(), static_cast<int>(kWorldRows));
  int beyond = 0;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    const int i = static_cast<int>(row);
    const MinimumDistanceAnswer answer =
        MinimumDistance(world.QueryAt(poses, row), {.max_distance = 0.3}, &world.scratch);
    ASSERT_EQ(result.states(i), static_cast<int>(answer.distance.state));
    EXPECT_EQ(result.lower_bounds(i), answer.distance.bracket.lower);
    EXPECT_EQ(result.upper_bounds(i), answer.distance.bracket.upper);
    EXPECT_EQ(result.free_radii(i), answer.free_radius);
    beyond += answer.distance.state == State::kBeyond ? 1 : 0;
    if (answer.distance.state == State::kBeyond) continue;
    ExpectPair(result, i, answer.pair);
    EXPECT_EQ(result.distances(i), answer.distance.distance);
    ExpectVector(result.points_a(), i, answer.distance.p_WA);
    ExpectVector(result.points_b(), i, answer.distance.p_WB);
    ExpectVector(result.normals(), i, answer.distance.n_AB);
  }
  EXPECT_GT(beyond, 0);
  EXPECT_LT(beyond, static_cast<int>(kWorldRows) / 2);
}

// Returns 1 for a hit.
int ExpectSweep(const v1::SweepBatchResult& result, int i, const SweepAnswer& answer) {
  const TimeOfCollisionAnswer& contact = answer.earliest.contact;
  EXPECT_EQ(result.states(i), static_cast<int>(contact.state));
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  EXPECT_EQ(result.t_free(i), is_initial ? 0 : contact.t_free);
  if (contact.state != MotionState::kFree) ExpectPair(result, i, answer.earliest.pair);
  if (contact.state != MotionState::kHit) return 0;
  EXPECT_EQ(result.t_hit(i), contact.t_hit);
  EXPECT_EQ(result.distances(i), contact.distance);
  ExpectVector(result.points_a(), i, contact.p_WA);
  ExpectVector(result.points_b(), i, contact.p_WB);
  ExpectVector(result.normals(), i, contact.n_AB);
  return 1;
}

TEST(SceneQuestions, MotionsAreThoseOfTheCore) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  const std::vector<Pose> ends = world.AnyPoses();
  for (const bool has_ends : {false, true}) {
    SCOPED_TRACE(has_ends ? "end poses" : "displacements");
    v1::SessionRequest request;
    v1::SweepBatch& batch = *request.mutable_sweep();
    *batch.mutable_configurations() = ConfigurationsAt(poses);
    *batch.mutable_detail() = EveryColumn();
    for (const Pose& end : ends) {
      if (has_ends) {
        AddPose(end, batch.mutable_end_poses());
      } else {
        AddNumbers(end.p_WS, batch.mutable_displacements());
        AddNumbers({end.q_WS.x, end.q_WS.y, end.q_WS.z}, batch.mutable_rotations());
      }
    }
    const v1::SessionResponse response = session.Ask(request);
    ASSERT_EQ(response.status().code(), 0) << response.status().message();
    ASSERT_EQ(response.sweep().states_size(), static_cast<int>(kWorldRows));
    int hits = 0;
    for (std::uint32_t row = 0; row < kWorldRows; ++row) {
      SCOPED_TRACE(row);
      std::vector<Motion> motions(kOwnCount);
      for (std::uint32_t k = 0; k < kOwnCount; ++k) {
        const Pose& start = poses[row * kOwnCount + k];
        const Pose& end = ends[row * kOwnCount + k];
        motions[k] = {end.p_WS, {end.q_WS.x, end.q_WS.y, end.q_WS.z}, start.p_WS};
        if (has_ends) MotionToEndPose(start, end, &motions[k]);
      }
      hits += ExpectSweep(response.sweep(), static_cast<int>(row),
                          Sweep({world.QueryAt(poses, row), motions}, {}, &world.scratch));
    }
    EXPECT_GT(hits, static_cast<int>(kWorldRows) / 10);
  }
}

TEST(SceneQuestions, RaysAreThoseOfTheCore) {
  World world;
  WorldSession session(world);
  for (const bool any : {false, true}) {
    SCOPED_TRACE(any ? "any" : "closest");
    v1::SessionRequest request;
    v1::RayBatch& batch = *request.mutable_ray();
    batch.set_count(kWorldRows);
    batch.set_scene_slot(2);
    batch.set_any(any);
    *batch.mutable_detail() = EveryColumn();
    std::vector<Ray> rays;
    for (std::uint32_t row = 0; row < kWorldRows; ++row) {
      Ray& ray = rays.emplace_back();
      ray.origin = world.AnyPose().p_WS;
      ray.displacement = 2.0 * world.AnyPose().p_WS;
      ray.radius = row % 2 == 0 ? 0 : 0.1;
      AddNumbers(ray.origin, batch.mutable_origins());
      AddNumbers(ray.displacement, batch.mutable_displacements());
      batch.add_radii(ray.radius);
    }
    const v1::SessionResponse response = session.Ask(request);
    ASSERT_EQ(response.status().code(), 0) << response.status().message();
    EXPECT_EQ(response.ray().scene_revision(), 1u);
    const RayKind kind = any ? RayKind::kAny : RayKind::kClosest;
    int hits = 0;
    for (std::uint32_t row = 0; row < kWorldRows; ++row) {
      SCOPED_TRACE(row);
      hits += ExpectSweep(response.ray(), static_cast<int>(row),
                          CastRay(*world.scene, rays[row], kind, &world.scratch));
    }
    EXPECT_GT(hits, static_cast<int>(kWorldRows) / 10);
    EXPECT_LT(hits, static_cast<int>(kWorldRows) * 9 / 10);
  }
}

TEST(SceneQuestions, AnswersComeInOrderWithTheirTags) {
  World world;
  WorldSession session(world);
  constexpr std::uint64_t kMessages = 40;
  for (std::uint64_t tag = 1; tag <= kMessages; ++tag) {
    v1::SessionRequest request = CheckOf(OneRow(), tag);
    if (tag % 4 == 0) request.mutable_check()->mutable_configurations()->set_count(0);  // refused
    if (tag % 4 == 1) {
      request.mutable_ray()->set_count(1);
      request.mutable_ray()->set_scene_slot(2);
    }
    ASSERT_TRUE(session.Send(request));
  }
  for (std::uint64_t tag = 1; tag <= kMessages; ++tag) {
    v1::SessionResponse response;
    ASSERT_TRUE(session.Receive(&response));
    EXPECT_EQ(response.tag(), tag);
    EXPECT_EQ(response.status().code(), tag % 4 == 0 ? 3 : 0);
    EXPECT_EQ(response.has_ray(), tag % 4 == 1);
  }
}

TEST(SceneQuestions, ASlotHoldsItsRevisionUntilItIsOpenedAgain) {
  World world;
  WorldSession session(world);
  v1::UpdateSceneRequest update;
  update.set_name("world");
  update.mutable_change()->mutable_bodies()->set_count(1);
  update.mutable_change()->mutable_bodies()->add_ids(500);
  update.mutable_change()->mutable_bodies()->add_shapes()->set_name("ball");
  AddPoseAt(100, update.mutable_change()->mutable_bodies()->mutable_poses());
  Update(world.server, update);
  v1::SessionResponse response = session.Ask(CheckOf(OneRow()));
  EXPECT_EQ(response.check().scene_revision(), 1u);
  EXPECT_THAT(response.check().verdicts(), ElementsAre(v1::VERDICT_FREE));
  response = session.Ask(World::OpenIn(2));
  EXPECT_EQ(response.open_scene().scene().revision(), 2u);
  EXPECT_EQ(response.open_scene().scene().body_count(), kWorldCount + 1);
  response = session.Ask(CheckOf(OneRow()));
  EXPECT_EQ(response.check().scene_revision(), 2u);
  EXPECT_THAT(response.check().verdicts(), ElementsAre(v1::VERDICT_TOUCHING));

  v1::SessionRequest old = World::OpenIn(2);
  old.mutable_open_scene()->set_revision(1);
  EXPECT_EQ(session.Ask(old).open_scene().scene().revision(), 1u);
  EXPECT_THAT(session.Ask(CheckOf(OneRow())).check().verdicts(), ElementsAre(v1::VERDICT_FREE));
}

TEST(SceneQuestions, AnOpenThatFailsPoisonsItsSlot) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request = World::OpenIn(2);
  request.mutable_open_scene()->set_min_revision(7);
  v1::Error error = ErrorOf(session.Ask(request).status());
  EXPECT_EQ(error.field(), "open_scene.min_revision");
  const v1::SessionResponse refused = session.Ask(CheckOf(OneRow()));
  EXPECT_EQ(refused.status().code(), 9);
  error = ErrorOf(refused.status());
  EXPECT_EQ(error.field(), "check.configurations.scene_slot");
  EXPECT_THAT(error.message(), HasSubstr("has not reached this revision"));
  EXPECT_EQ(session.Ask(World::OpenIn(2)).status().code(), 0);
  EXPECT_EQ(session.Ask(CheckOf(OneRow())).status().code(), 0);

  v1::SessionRequest close;
  close.mutable_close_scene()->set_scene_slot(2);
  EXPECT_EQ(session.Ask(close).close_scene().scene_slot(), 2u);
  EXPECT_EQ(session.Ask(close).status().code(), 5);
  EXPECT_EQ(session.Ask(CheckOf(OneRow())).status().code(), 5);
}

// Returns poses at which the query bodies 1 and 2 overlap.
v1::ConfigurationColumns Together() {
  v1::ConfigurationColumns columns = OneRow();
  columns.clear_scene_slot();
  for (const double x : {100., 100.1, 200.}) AddPoseAt(x, columns.mutable_poses());
  return columns;
}

TEST(SceneQuestions, WhatMayTouchChangesMidway) {
  World world;
  WorldSession session(world);
  EXPECT_THAT(session.Ask(CheckOf(Together())).check().verdicts(), ElementsAre(v1::VERDICT_FREE));
  v1::SessionRequest letting_go;
  v1::PairRuleColumns& gone =
      *letting_go.mutable_change_bodies()->mutable_change()->mutable_removed_rules();
  gone.set_count(1);
  gone.add_bodies_a(2);
  gone.add_bodies_b(1);
  // The values of these do not matter.
  gone.add_kinds(v1::PAIR_RULE_KIND_UNSPECIFIED);
  gone.add_margins(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(session.Ask(letting_go).change_bodies().rule_count(), 0u);
  EXPECT_THAT(session.Ask(CheckOf(Together())).check().verdicts(),
              ElementsAre(v1::VERDICT_TOUCHING));
  // Attached again with a mask that leaves out body 1.
  v1::SessionRequest regroup;
  v1::BodyColumns& bodies = *regroup.mutable_change_bodies()->mutable_change()->mutable_bodies();
  bodies.set_count(1);
  bodies.add_ids(2);
  bodies.add_masks(2);
  EXPECT_EQ(session.Ask(regroup).change_bodies().body_count(), kOwnCount);
  EXPECT_THAT(session.Ask(CheckOf(Together())).check().verdicts(), ElementsAre(v1::VERDICT_FREE));
  v1::SessionRequest detach;
  detach.mutable_change_bodies()->mutable_change()->add_removed_bodies(3);
  EXPECT_EQ(session.Ask(detach).change_bodies().body_count(), kOwnCount - 1);
  const v1::Error error = ErrorOf(session.Ask(CheckOf(Together())).status());
  EXPECT_EQ(error.field(), "check.configurations.poses");
}

TEST(SceneQuestions, OneBodyWithoutASceneIsNoQuestion) {
  World world;
  WorldSession session(world);
  v1::SessionRequest take;
  take.mutable_change_bodies()->set_reset(true);
  v1::BodyColumns& bodies = *take.mutable_change_bodies()->mutable_change()->mutable_bodies();
  bodies.set_count(1);
  bodies.add_ids(1);
  ASSERT_EQ(session.Ask(take).status().code(), 0);
  v1::SessionRequest request = CheckOf(OneRow());
  EXPECT_EQ(session.Ask(request).check().verdicts_size(), 1);
  request.mutable_check()->mutable_configurations()->clear_scene_slot();
  const v1::Error refused = ErrorOf(session.Ask(request).status());
  EXPECT_EQ(refused.field(), "check.configurations.scene_slot");
  EXPECT_EQ(refused.limit(), "a scene, or >= 2 query bodies");
  v1::SessionRequest self_only = request;
  self_only.mutable_check()->mutable_configurations()->set_pair_scope(v1::PAIR_SCOPE_SELF);
  EXPECT_EQ(session.Ask(self_only).check().verdicts_size(), 1);
  // Two bodies have each other.
  bodies.set_count(2);
  bodies.add_ids(2);
  ASSERT_EQ(session.Ask(take).status().code(), 0);
  EXPECT_EQ(session.Ask(request).check().verdicts_size(), 1);
}

TEST(SceneQuestions, ABodyHeldIsNotTheObstacleItWas) {
  World world;
  WorldSession session(world);
  v1::SessionRequest take = World::Attach();
  take.mutable_change_bodies()->set_reset(true);
  v1::SceneChange& change = *take.mutable_change_bodies()->mutable_change();
  change.mutable_bodies()->set_count(1);
  change.mutable_bodies()->mutable_ids()->Resize(1, 0);
  change.mutable_bodies()->mutable_shape_slots()->Resize(1, 0);
  change.mutable_bodies()->mutable_poses()->Resize(7, 0);
  change.mutable_bodies()->mutable_margins()->Resize(1, 0);
  const auto ask = [&](std::uint32_t id) {
    change.mutable_bodies()->set_ids(0, id);
    const Pose at = world.scene->Find(10)->X_WB;
    change.mutable_bodies()->clear_poses();
    AddPose({at.p_WS, {}}, change.mutable_bodies()->mutable_poses());
    EXPECT_EQ(session.Ask(take).status().code(), 0);
    v1::SessionRequest request = CheckOf(OneRow());
    request.mutable_check()->mutable_detail()->set_pairs(true);
    return session.Ask(request);
  };
  const auto touches = [](const v1::CheckBatchResult& result) {
    return result.verdicts(0) == v1::VERDICT_TOUCHING && result.bodies_b(0) == 10;
  };
  EXPECT_TRUE(touches(ask(9).check()));
  // The obstacle itself makes no pair with it, and the query must say so.
  const v1::Error refused = ErrorOf(ask(10).status());
  EXPECT_EQ(refused.field(), "check.bodies.ids");
  EXPECT_EQ(refused.value(), "10");
  EXPECT_EQ(refused.reason(), "BODY_ID_IN_SCENE");
  change.clear_rules();
  change.mutable_rules()->set_count(1);
  change.mutable_rules()->mutable_bodies_a()->Add(10);
  change.mutable_rules()->mutable_bodies_b()->Add(10);
  EXPECT_FALSE(touches(ask(10).check()));
}

// The four kinds of questions about query bodies.
std::vector<v1::SessionRequest> EveryQuestionOf(const v1::ConfigurationColumns& columns) {
  std::vector<v1::SessionRequest> requests(4);
  *requests[0].mutable_check()->mutable_configurations() = columns;
  *requests[1].mutable_minimum_distance()->mutable_configurations() = columns;
  *requests[2].mutable_nearest()->mutable_configurations() = columns;
  *requests[3].mutable_sweep()->mutable_configurations() = columns;
  return requests;
}

TEST(SceneQuestions, SameAsSceneSaysThatTwoAreOneBody) {
  World world;
  WorldSession session(world);
  v1::SessionRequest take = World::Attach();
  take.mutable_change_bodies()->mutable_change()->mutable_bodies()->set_ids(0, 10);
  EXPECT_EQ(session.Ask(take).status().code(), 0);
  for (const v1::SessionRequest& request : EveryQuestionOf(OneRow())) {
    EXPECT_EQ(ErrorOf(session.Ask(request).status()).reason(), "BODY_ID_IN_SCENE")
        << request.ShortDebugString();
  }
  v1::SessionRequest same;
  same.mutable_change_bodies()->add_same_as_scene(10);
  EXPECT_EQ(session.Ask(same).change_bodies().rule_count(), 2u);
  for (const v1::SessionRequest& request : EveryQuestionOf(OneRow())) {
    EXPECT_EQ(session.Ask(request).status().code(), 0) << request.ShortDebugString();
  }
}

TEST(SceneQuestions, SameAsSceneTakesAsManyIdsAsRules) {
  World world;
  WorldSession session(world);
  EXPECT_EQ(session.Ask(World::Attach()).status().code(), 0);
  v1::SessionRequest same;
  for (std::uint64_t id = 0; id <= server::Limits().max_session_rules; ++id)
    same.mutable_change_bodies()->add_same_as_scene(static_cast<std::uint32_t>(id));
  const v1::Error error = ErrorOf(session.Ask(same).status());
  EXPECT_EQ(error.reason(), "TOO_MANY_RULES");
  EXPECT_EQ(error.field(), "change_bodies.same_as_scene");
}

TEST(SceneQuestions, BodiesOfOneIdMayBeAskedAmongTheAskersOwn) {
  World world;
  WorldSession session(world);
  v1::SessionRequest take = World::Attach();
  take.mutable_change_bodies()->mutable_change()->mutable_bodies()->set_ids(0, 10);
  EXPECT_EQ(session.Ask(take).status().code(), 0);
  v1::SessionRequest request = CheckOf(OneRow());
  EXPECT_NE(session.Ask(request).status().code(), 0);
  request.mutable_check()->mutable_configurations()->set_pair_scope(v1::PAIR_SCOPE_SELF);
  EXPECT_EQ(session.Ask(request).status().code(), 0);
}

TEST(SceneQuestions, AChangeThatFailsLeavesBodiesInDoubt) {
  World world;
  WorldSession session(world);
  v1::SessionRequest bad;
  bad.mutable_change_bodies()->mutable_change()->add_removed_bodies(77);
  EXPECT_EQ(ErrorOf(session.Ask(bad).status()).field(), "change_bodies.change.removed_bodies[0]");
  const v1::SessionResponse refused = session.Ask(CheckOf(OneRow()));
  EXPECT_EQ(refused.status().code(), 9);
  EXPECT_THAT(ErrorOf(refused.status()).message(), HasSubstr("removed_bodies[0] = 77"));
  EXPECT_EQ(ErrorOf(session.Ask(World::Attach()).status()).field(), "change_bodies.reset");
  v1::SessionRequest again = World::Attach();
  again.mutable_change_bodies()->set_reset(true);
  EXPECT_EQ(session.Ask(again).change_bodies().body_count(), kOwnCount);
  EXPECT_EQ(session.Ask(CheckOf(OneRow())).status().code(), 0);
}

TEST(SceneQuestions, AChangeThatIsRefusedUnreadLeavesBodiesInDoubt) {
  World world;
  WorldSession session(world);
  v1::SessionRequest large;
  large.mutable_change_bodies()->mutable_change()->mutable_removed_bodies()->Resize(4'500'000, 1);
  EXPECT_EQ(session.Ask(large).status().code(), 8);
  EXPECT_EQ(session.Ask(CheckOf(OneRow())).status().code(), 9);
  v1::SessionRequest again = World::Attach();
  again.mutable_change_bodies()->set_reset(true);
  EXPECT_EQ(session.Ask(again).status().code(), 0);
  EXPECT_EQ(session.Ask(World::OpenIn(2)).status().code(), 0);
  EXPECT_EQ(session.Ask(CheckOf(OneRow())).status().code(), 0);
}

// A slot that is closed does not give back the inline shape that a body has from it.
TEST(SceneQuestions, InlineShapesOfBodiesCountWhereTheirSlotsAreClosed) {
  TestServer server({.max_session_shape_bytes = 100'000});
  TestSession session(server);
  v1::SessionRequest close;
  close.mutable_close()->set_slot(0);
  v1::SessionRequest put;
  put.mutable_change_bodies()->mutable_change()->mutable_bodies()->set_count(1);
  v1::Error error;
  std::uint32_t held = 0;
  for (std::uint32_t id = 1; id <= 100 && error.limit().empty(); ++id) {
    v1::SessionRequest open;
    open.mutable_open()->set_slot(0);
    *open.mutable_open()->mutable_shape()->mutable_inline_shape() = RingHull(64);
    const v1::SessionResponse opened = session.Ask(open);
    if (opened.has_status()) error = ErrorOf(opened.status());
    put.mutable_change_bodies()->mutable_change()->mutable_bodies()->clear_ids();
    put.mutable_change_bodies()->mutable_change()->mutable_bodies()->add_ids(id);
    const v1::SessionResponse changed = session.Ask(put);
    if (changed.has_change_bodies()) ++held;
    if (changed.has_status() && !opened.has_status()) error = ErrorOf(changed.status());
    session.Ask(close);
  }
  EXPECT_THAT(error.limit(), HasSubstr("max_session_shape_bytes"));
  EXPECT_GE(held, 2U);
  EXPECT_LT(held, 50U);
}

TEST(SceneQuestions, ABadRowIsRefusedByItself) {
  World world;
  WorldSession session(world);
  v1::ConfigurationColumns columns = OneRow();
  columns.set_count(3);
  for (int i = 0; i < 9; ++i) AddPoseAt(100 + 10 * i, columns.mutable_poses());
  columns.set_poses(7 * 4 + 2, std::numeric_limits<double>::quiet_NaN());  // row 1, body 1
  columns.set_poses(7 * 6 + 6, 2);                                         // row 2, body 0
  const v1::CheckBatchResult result = session.Ask(CheckOf(columns)).check();
  EXPECT_THAT(result.verdicts(),
              ElementsAre(v1::VERDICT_FREE, v1::VERDICT_REFUSED, v1::VERDICT_REFUSED));
  ASSERT_EQ(result.errors_size(), 2);
  EXPECT_EQ(result.errors(0).index(), 1u);
  EXPECT_EQ(result.errors(0).field(), "configurations.poses[4]");
  EXPECT_EQ(result.errors(0).value(), "nan");
  EXPECT_EQ(result.errors(1).index(), 2u);
  EXPECT_EQ(result.errors(1).field(), "configurations.poses[6]");
  EXPECT_EQ(result.errors(1).value(), "2");

  v1::SessionRequest motion;
  *motion.mutable_sweep()->mutable_configurations() = OneRow();
  for (int i = 0; i < 9; ++i) motion.mutable_sweep()->add_displacements(i == 4 ? HUGE_VAL : 0);
  const v1::SweepBatchResult moved = session.Ask(motion).sweep();
  EXPECT_THAT(moved.states(), ElementsAre(v1::MOTION_STATE_REFUSED));
  ASSERT_EQ(moved.errors_size(), 1);
  EXPECT_EQ(moved.errors(0).field(), "displacements[1]");
  EXPECT_EQ(moved.errors(0).reason(), "NUMBER_NOT_FINITE");

  v1::SessionRequest ray;
  ray.mutable_ray()->set_count(2);
  ray.mutable_ray()->set_scene_slot(2);
  ray.mutable_ray()->add_radii(0);
  ray.mutable_ray()->add_radii(-1);
  const v1::SweepBatchResult cast = session.Ask(ray).ray();
  ASSERT_EQ(cast.errors_size(), 1);
  EXPECT_EQ(cast.states(1), v1::MOTION_STATE_REFUSED);
  EXPECT_EQ(cast.errors(0).field(), "radii[1]");
}

struct BadQuestion {
  const char* name;
  std::function<void(v1::SessionRequest&)> spoil;  // of a check of one row
  int code;
  const char* field;
  const char* value;
};
std::ostream& operator<<(std::ostream& out, const BadQuestion& bad) { return out << bad.name; }

class BadSceneQuestion : public ::testing::TestWithParam<BadQuestion> {};

TEST_P(BadSceneQuestion, IsRefusedWhole) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request = CheckOf(OneRow(), 5);
  GetParam().spoil(request);
  const v1::SessionResponse response = session.Ask(request);
  EXPECT_EQ(response.tag(), 5u);
  EXPECT_EQ(response.status().code(), GetParam().code) << response.status().message();
  const v1::Error error = ErrorOf(response.status());
  EXPECT_EQ(error.field(), GetParam().field);
  EXPECT_EQ(error.value(), GetParam().value);
}

v1::ConfigurationColumns& ColumnsOf(v1::SessionRequest& request) {
  return *request.mutable_check()->mutable_configurations();
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadSceneQuestion,
    ::testing::Values(
        BadQuestion{"NoRow", [](auto& r) { ColumnsOf(r).set_count(0); }, 3,
                    "check.configurations.count", "0"},
        BadQuestion{"TooManyRows", [](auto& r) { ColumnsOf(r).set_count(100'001); }, 8,
                    "check.configurations.count", "100001"},
        BadQuestion{"NeverOpened", [](auto& r) { ColumnsOf(r).set_scene_slot(3); }, 5,
                    "check.configurations.scene_slot", "3"},
        BadQuestion{"FarSlot", [](auto& r) { ColumnsOf(r).set_scene_slot(4294967295u); }, 5,
                    "check.configurations.scene_slot", "4294967295"},
        BadQuestion{"PosesDoNotFit", [](auto& r) { AddPoseAt(0, ColumnsOf(r).mutable_poses()); }, 3,
                    "check.configurations.poses", "7 numbers"},
        BadQuestion{"SceneWithoutOne",
                    [](auto& r) {
                      ColumnsOf(r).clear_scene_slot();
                      ColumnsOf(r).set_pair_scope(v1::PAIR_SCOPE_SCENE);
                    },
                    3, "check.configurations.scene_slot", "unset"},
        BadQuestion{"UnknownPairScope",
                    [](auto& r) { ColumnsOf(r).set_pair_scope(static_cast<v1::PairScope>(9)); }, 3,
                    "check.configurations.pair_scope", "9"},
        BadQuestion{"NegativeBudget",
                    [](auto& r) {
                      r.mutable_check()->mutable_options()->mutable_time_budget()->set_seconds(-1);
                    },
                    3, "check.options.time_budget", "-1 s 0 ns"},
        BadQuestion{"NoTolerance",
                    [](auto& r) {
                      const v1::ConfigurationColumns columns = ColumnsOf(r);
                      *r.mutable_minimum_distance()->mutable_configurations() = columns;
                      r.mutable_minimum_distance()->set_tolerance(-1);
                    },
                    3, "minimum_distance.tolerance", "-1"},
        BadQuestion{"TwoWays",
                    [](auto& r) {
                      const v1::ConfigurationColumns columns = ColumnsOf(r);
                      *r.mutable_sweep()->mutable_configurations() = columns;
                      for (int i = 0; i < 9; ++i) r.mutable_sweep()->add_rotations(0);
                      for (int i = 0; i < 3; ++i)
                        AddPoseAt(0, r.mutable_sweep()->mutable_end_poses());
                    },
                    3, "sweep.end_poses", "21 numbers"},
        BadQuestion{"RayWithoutScene", [](auto& r) { r.mutable_ray()->set_count(1); }, 5,
                    "ray.scene_slot", "0"},
        BadQuestion{"SlotTooHigh",
                    [](auto& r) {
                      r.mutable_open_scene()->set_name("world");
                      r.mutable_open_scene()->set_scene_slot(64);
                    },
                    8, "open_scene.scene_slot", "64"},
        BadQuestion{"UnknownScene", [](auto& r) { r.mutable_open_scene()->set_name("nowhere"); }, 5,
                    "open_scene.name", "nowhere"},
        BadQuestion{"OwnTableOfShapes",
                    [](auto& r) {
                      v1::BodyColumns& bodies =
                          *r.mutable_change_bodies()->mutable_change()->mutable_bodies();
                      bodies.set_count(1);
                      bodies.add_ids(8);
                      bodies.add_shapes()->set_name("ball");
                    },
                    3, "change_bodies.change.bodies.shapes", "1"},
        BadQuestion{"ShapeOfNoSlot",
                    [](auto& r) {
                      v1::BodyColumns& bodies =
                          *r.mutable_change_bodies()->mutable_change()->mutable_bodies();
                      bodies.set_count(1);
                      bodies.add_ids(8);
                      bodies.add_shape_slots(50);
                    },
                    5, "change_bodies.change.bodies.shape_slots[0]", "50"},
        BadQuestion{"TooManyBodies",
                    [](auto& r) {
                      v1::BodyColumns& bodies =
                          *r.mutable_change_bodies()->mutable_change()->mutable_bodies();
                      bodies.set_count(1022);
                      for (std::uint32_t i = 0; i < 1022; ++i) bodies.add_ids(100 + i);
                    },
                    8, "change_bodies.change.bodies.count", "1025"}),
    [](const auto& row) { return row.param.name; });

TEST(SceneQuestions, WhatIsNotReachedInTimeIsUndecided) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request = CheckOf(OneRow());
  request.mutable_check()->mutable_configurations()->set_count(3);
  request.mutable_check()->mutable_options()->mutable_time_budget();
  const v1::CheckBatchResult result = session.Ask(request).check();
  EXPECT_THAT(result.verdicts(), Each(v1::VERDICT_UNDECIDED));
  ASSERT_EQ(result.undecided_size(), 3);
  EXPECT_EQ(result.undecided(2).index(), 2u);
  EXPECT_EQ(result.undecided(2).reason(), v1::UNDECIDED_REASON_BUDGET);
}

TEST(SceneQuestions, PartsAreTheWhole) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request;
  *request.mutable_minimum_distance()->mutable_configurations() =
      ConfigurationsAt(world.AnyPoses());
  const v1::MinimumDistanceBatchResult whole = session.Ask(request).minimum_distance();
  request.mutable_minimum_distance()->mutable_options()->set_max_reply_bytes(2000);
  ASSERT_TRUE(session.Send(request));
  v1::MinimumDistanceBatchResult joined;
  int parts = 0;
  for (; joined.states_size() < static_cast<int>(kWorldRows); ++parts) {
    v1::SessionResponse response;
    ASSERT_TRUE(session.Receive(&response));
    ASSERT_EQ(response.status().code(), 0) << response.status().message();
    EXPECT_LE(response.ByteSizeLong(), 2000u);
    EXPECT_EQ(response.minimum_distance().first_row(),
              static_cast<std::uint32_t>(joined.states_size()));
    EXPECT_EQ(response.minimum_distance().scene_revision(), 1u);
    joined.MergeFrom(response.minimum_distance());
  }
  EXPECT_GT(parts, 2);
  EXPECT_THAT(joined.states(), ::testing::ElementsAreArray(whole.states()));
  EXPECT_THAT(joined.distances(), ::testing::ElementsAreArray(whole.distances()));
}

TEST(SceneQuestions, AreCounted) {
  World world;
  WorldSession session(world);
  session.Ask(CheckOf(ConfigurationsAt(world.AnyPoses())));
  const std::string text = world.server.metrics.Scrape();
  EXPECT_THAT(text, HasSubstr("clearance_queries_total{kind=\"scene_check\",state=\"free\"}"));
  EXPECT_THAT(text, Not(HasSubstr("clearance_scene_nodes_total{kind=\"scene_check\"} 0\n")));
  EXPECT_THAT(text,
              Not(HasSubstr("clearance_scene_candidate_pairs_total{kind=\"scene_check\"} 0\n")));
  EXPECT_THAT(text, Not(HasSubstr("clearance_scene_exact_pairs_total{kind=\"scene_check\"} 0\n")));
  EXPECT_THAT(text, HasSubstr("clearance_scene_exact_pairs_total{kind=\"scene_ray\"} 0\n"));
}

}  // namespace
}  // namespace clearance::testing

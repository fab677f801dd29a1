// SPDX-License-Identifier: Apache-2.0
//
// One scene and its askers, on a server and in the core, so that answers of the one can be held
// against those of the other.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/scene/scene_query.h"
#include "tests/integration/service/scene_messages.h"

namespace clearance::testing {

inline constexpr std::uint32_t kOwnCount = 3;
inline constexpr std::uint32_t kWorldRows = 120;
inline constexpr std::uint32_t kWorldCount = 60;

inline void AddNumbers(const Vec3d& v, google::protobuf::RepeatedField<double>* column) {
  for (const double number : {v.x, v.y, v.z}) column->Add(number);
}

inline void AddPose(const Pose& pose, google::protobuf::RepeatedField<double>* column) {
  AddNumbers(pose.p_WS, column);
  const Quaternion& q = pose.q_WS;
  for (const double number : {q.x, q.y, q.z, q.w}) column->Add(number);
}

// Bodies 10, 11, … of balls and boxes, and query bodies 1, 2, 3, here and on a server.
class World {
 public:
  explicit World(const Checking& checking = {}) : server({}, checking) {
    Register(server, "ball", Sphere(0.4));
    Register(server, "box", Box(0.3));
    v1::CreateSceneRequest request;
    request.set_name("world");
    v1::BodyColumns& bodies = *request.mutable_content()->mutable_bodies();
    bodies.add_shapes()->set_name("ball");
    bodies.add_shapes()->set_name("box");
    bodies.set_count(kWorldCount);
    std::vector<SceneBody> put;
    for (std::uint32_t i = 0; i < kWorldCount; ++i) {
      put.push_back({10 + i, BodyOf(i % 2 == 0 ? "ball" : "box"), AnyPose(), {}, 0.01 * (i % 3)});
      bodies.add_ids(put.back().id);
      bodies.add_shape_slots(i % 2);
      AddPose(put.back().X_WB, bodies.mutable_poses());
      bodies.add_margins(put.back().margin);
    }
    scene = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = put}));
    v1::CreateSceneResponse response;
    EXPECT_TRUE(
        Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &response).ok());
    for (std::uint32_t k = 0; k < kOwnCount; ++k)
      own.push_back({1 + k, BodyOf(k == 0 ? "box" : "ball"), At(100. + k), {}, 0.02 * k});
  }

  static Pose At(double x) { return {{x, 0, 0}, {}}; }

  Pose AnyPose() {
    Quaternion q = {Any(1), Any(1), Any(1), Any(1)};
    const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return {{Any(4), Any(4), Any(4)}, {q.x / length, q.y / length, q.z / length, q.w / length}};
  }
  double Any(double most) { return std::uniform_real_distribution<double>(-most, most)(random_); }

  std::vector<Pose> AnyPoses() {
    std::vector<Pose> poses;
    for (std::uint32_t i = 0; i < kWorldRows * kOwnCount; ++i) poses.push_back(AnyPose());
    return poses;
  }

  RigidBodyPtr BodyOf(const std::string& name) const {
    return server.registry.FindByName(name)->shape.content->body;
  }

  // The query bodies with one rule: 1 and 2 may touch.
  static v1::SessionRequest Attach() {
    v1::SessionRequest request;
    v1::SceneChange& change = *request.mutable_change_bodies()->mutable_change();
    v1::BodyColumns& bodies = *change.mutable_bodies();
    bodies.set_count(kOwnCount);
    // Not in the order of the ids, which is that of the poses.
    for (std::uint32_t k = kOwnCount; k-- > 0;) {
      bodies.add_ids(1 + k);
      bodies.add_shape_slots(k == 0 ? 1 : 0);
      AddPose(At(100. + k), bodies.mutable_poses());
      bodies.add_margins(0.02 * k);
    }
    v1::PairRuleColumns& rules = *change.mutable_rules();
    rules.set_count(1);
    rules.add_bodies_a(1);
    rules.add_bodies_b(2);
    return request;
  }

  static v1::SessionRequest OpenIn(std::uint32_t slot, const std::string& name = "world") {
    v1::SessionRequest request;
    request.mutable_open_scene()->set_scene_slot(slot);
    request.mutable_open_scene()->set_name(name);
    return request;
  }

  SceneQuery QueryAt(const std::vector<Pose>& poses, std::uint32_t row) const {
    return {.scene = *scene,
            .bodies = own,
            .poses = absl::MakeConstSpan(poses).subspan(std::size_t{row} * kOwnCount, kOwnCount),
            .rules = &rules};
  }

  TestServer server;
  ScenePtr scene;
  std::vector<SceneBody> own;
  PairRules rules{std::vector<PairRule>{{.a = 1, .b = 2}}};
  SceneScratch scratch;

 private:
  std::mt19937_64 random_{20261122};
};

// With shapes, the scene in slot 2 and the bodies.
class WorldSession : public TestSession {
 public:
  explicit WorldSession(World& world) : TestSession(world.server) {
    Open(0, "ball");
    Open(1, "box");
    EXPECT_EQ(Ask(World::OpenIn(2)).status().code(), 0);
    const v1::SessionResponse attached = Ask(World::Attach());
    EXPECT_EQ(attached.change_bodies().body_count(), kOwnCount);
    EXPECT_EQ(attached.change_bodies().rule_count(), 1u);
  }
};

inline v1::ConfigurationColumns ConfigurationsAt(const std::vector<Pose>& poses) {
  v1::ConfigurationColumns columns;
  columns.set_count(static_cast<std::uint32_t>(poses.size() / kOwnCount));
  columns.set_scene_slot(2);
  for (const Pose& pose : poses) AddPose(pose, columns.mutable_poses());
  return columns;
}

// One row, with the bodies where they were attached.
inline v1::ConfigurationColumns OneRow() {
  v1::ConfigurationColumns columns;
  columns.set_count(1);
  columns.set_scene_slot(2);
  return columns;
}

template <class Result>
void ExpectPair(const Result& result, int row, const IdPair& pair) {
  EXPECT_EQ(result.bodies_a(row), pair.a);
  EXPECT_EQ(result.bodies_b(row), pair.b);
  EXPECT_EQ(result.is_self(row), pair.is_self);
}

inline void ExpectVector(const google::protobuf::RepeatedField<double>& column, int row,
                         const Vec3d& v) {
  EXPECT_EQ(column[3 * row], v.x);
  EXPECT_EQ(column[3 * row + 1], v.y);
  EXPECT_EQ(column[3 * row + 2], v.z);
}

inline v1::SweepDetail EveryColumn() {
  v1::SweepDetail detail;
  detail.set_times(true);
  detail.set_pairs(true);
  detail.set_points(true);
  detail.set_normals(true);
  detail.set_distances(true);
  return detail;
}

}  // namespace clearance::testing

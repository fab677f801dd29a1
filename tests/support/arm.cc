// SPDX-License-Identifier: Apache-2.0

#include "tests/support/arm.h"

#include <cstddef>
#include <cstdlib>
#include <variant>

#include "core/shape/make_shape.h"

namespace clearance::testing {
namespace {

Pose ToCore(const plan::Pose& pose) {
  return {{pose.x, pose.y, pose.z}, {pose.qx, pose.qy, pose.qz, pose.qw}};
}

// Ends the process where the kind is none that robots and problems have.
RigidBodyPtr BodyOf(const plan::Shape& shape) {
  const auto body = [](const auto& made) { return MakeBody(std::get<ConvexShapePtr>(made)); };
  if (const auto* const hull = std::get_if<client::Hull>(&shape.kind))
    return body(MakeHull(hull->vertices, 0));
  if (const auto* const box = std::get_if<client::Box>(&shape.kind)) {
    const plan::Vec3& half = box->half_extents;
    return body(MakeBox({half.x, half.y, half.z}, 0));
  }
  if (const auto* const cylinder = std::get_if<client::Cylinder>(&shape.kind))
    return body(MakeCylinder(cylinder->radius, cylinder->half_length, 0));
  std::abort();
}

}  // namespace

std::vector<SceneBody> BodiesOf(const plan::Robot& robot) {
  std::vector<SceneBody> bodies;
  for (const plan::RobotBody& body : robot.bodies()) {
    const auto id = static_cast<BodyId>(kFirstArmBody + bodies.size());
    bodies.push_back({id, BodyOf(body.shape), {}, {}, 0});
  }
  return bodies;
}

PairRules RulesOf(const plan::Robot& robot) {
  std::vector<PairRule> rules;
  for (BodyId a = 0; a < robot.bodies().size(); ++a) {
    for (BodyId b = 0; b < a; ++b) {
      if (robot.MayTouch(a, b)) rules.push_back({kFirstArmBody + a, kFirstArmBody + b, true, 0});
    }
  }
  return PairRules(rules);
}

std::vector<Pose> ToCore(const std::vector<plan::Pose>& poses) {
  std::vector<Pose> core;
  for (const plan::Pose& pose : poses) core.push_back(ToCore(pose));
  return core;
}

ScenePtr MakeScene(const std::vector<plan::Obstacle>& obstacles) {
  std::vector<SceneBody> bodies;
  for (const plan::Obstacle& obstacle : obstacles) {
    bodies.push_back(
        {static_cast<BodyId>(bodies.size()), BodyOf(obstacle.shape), ToCore(obstacle.X_WO), {}, 0});
  }
  return std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bodies}));
}

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0

#include "tests/support/arm.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "core/math/rotation.h"
#include "core/shape/make_shape.h"

namespace clearance::testing {
namespace {

using ArmJson = nlohmann::json;

ArmJson ReadJson(const std::filesystem::path& path) {
  std::ifstream file(path);
  ArmJson json = ArmJson::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_discarded()) return json;
  std::cerr << "cannot read " << path << "\n";
  std::abort();
}

template <class Take>
void ForEachRow(const std::filesystem::path& path, Take&& take) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) take(ArmJson::parse(line));
  }
}

Vec3d Vec3Of(const ArmJson& json) { return {json.at(0), json.at(1), json.at(2)}; }

Quaternion Normalized(const Quaternion& q) {
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

// x y z qw qx qy qz, as the files have it.
Pose PoseOf(const ArmJson& json) {
  return {Vec3Of(json), Normalized({json.at(4), json.at(5), json.at(6), json.at(3)})};
}

Quaternion Product(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

Pose Compose(const Pose& X_WA, const Pose& X_AB) {
  return {X_WA.p_WS + RotationMatrix<double>(X_WA.q_WS) * X_AB.p_WS,
          Normalized(Product(X_WA.q_WS, X_AB.q_WS))};
}

Pose TurnAbout(const Vec3d& axis, double angle_rad) {
  const double sine = std::sin(angle_rad / 2);
  return {{}, {axis.x * sine, axis.y * sine, axis.z * sine, std::cos(angle_rad / 2)}};
}

std::map<std::string, RigidBodyPtr> ReadHulls(const std::filesystem::path& path) {
  std::map<std::string, RigidBodyPtr> hulls;
  ForEachRow(path, [&](const ArmJson& row) {
    std::vector<double> xyz;
    for (const ArmJson& vertex : row.at("vertices")) {
      for (const ArmJson& number : vertex) xyz.push_back(number.get<double>());
    }
    hulls[row.at("name")] = MakeBody(std::get<ConvexShapePtr>(MakeHull(xyz, 0)));
  });
  return hulls;
}

JointValues JointsOf(const ArmJson& json) { return json.get<JointValues>(); }

Obstacle ObstacleOf(const ArmJson& row) {
  const Pose pose = PoseOf(row.at("pose"));
  if (row.at("kind") == "box") return {Obstacle::Kind::kBox, 0.5 * Vec3Of(row.at("size")), pose};
  const double radius = row.at("radius");
  const double height = row.at("length");
  return {Obstacle::Kind::kCylinder, {radius, radius, height / 2}, pose};
}

RigidBodyPtr BodyOf(const Obstacle& obstacle) {
  const bool is_box = obstacle.kind == Obstacle::Kind::kBox;
  return MakeBody(std::get<ConvexShapePtr>(
      is_box ? MakeBox(obstacle.half, 0) : MakeCylinder(obstacle.half.x, obstacle.half.z, 0)));
}

}  // namespace

Arm::Arm(const std::filesystem::path& folder) {
  const std::map<std::string, RigidBodyPtr> hulls = ReadHulls(folder / "shapes.jsonl");
  const ArmJson robot = ReadJson(folder / "robot.json");
  roots_ = robot.at("root").get<std::vector<std::string>>();
  for (const ArmJson& link : robot.at("links")) {
    for (const ArmJson& collision : link.at("collisions")) {
      const auto id = static_cast<BodyId>(kFirstId + bodies_.size());
      bodies_.push_back({id, hulls.at(collision.at("shape")), {}, {}, 0});
      links_.push_back(link.at("name"));
      X_LB_.push_back(PoseOf(collision.at("pose")));
    }
  }
  for (const ArmJson& joint : robot.at("joints")) {
    const bool turns = joint.at("type") == "revolute";
    joints_.push_back({joint.at("name"), joint.at("parent"), joint.at("child"),
                       PoseOf(joint.at("pose")), turns ? Vec3Of(joint.at("axis")) : Vec3d{},
                       turns});
  }
}

std::map<std::string, Pose> Arm::LinkPosesAt(const JointValues& joints) const {
  std::map<std::string, Pose> poses;
  for (const std::string& root : roots_) poses[root] = {};
  for (const Joint& joint : joints_) {
    Pose pose = Compose(poses.at(joint.parent), joint.X_PJ);
    if (joint.turns) pose = Compose(pose, TurnAbout(joint.axis, joints.at(joint.name)));
    poses[joint.child] = pose;
  }
  return poses;
}

std::vector<Pose> Arm::PosesAt(const JointValues& joints) const {
  const std::map<std::string, Pose> links = LinkPosesAt(joints);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    poses.push_back(Compose(links.at(links_[i]), X_LB_[i]));
  return poses;
}

PairRules Arm::RulesOf(const std::filesystem::path& allowed_pairs) const {
  std::vector<PairRule> rules;
  const ArmJson file = ReadJson(allowed_pairs);
  for (const ArmJson& pair : file.at(0).at("allowed_pairs")) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (std::size_t j = 0; j < bodies_.size(); ++j) {
        if (links_[i] == pair.at(0) && links_[j] == pair.at(1))
          rules.push_back({bodies_[i].id, bodies_[j].id, true, 0});
      }
    }
  }
  return PairRules(rules);
}

JointValues PlanningProblem::JointsAt(double t) const {
  JointValues joints = start;
  for (const auto& [name, value] : goal) joints[name] += t * (value - joints[name]);
  return joints;
}

ScenePtr PlanningProblem::MakeScene() const {
  std::vector<SceneBody> bodies;
  for (const Obstacle& obstacle : obstacles) {
    bodies.push_back({static_cast<BodyId>(bodies.size()), BodyOf(obstacle), obstacle.X_WO, {}, 0});
  }
  return std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bodies}));
}

std::vector<PlanningProblem> ReadProblems(const std::filesystem::path& folder) {
  std::vector<PlanningProblem> problems;
  ForEachRow(folder / "scenes.jsonl", [&](const ArmJson& row) {
    PlanningProblem problem;
    for (const ArmJson& obstacle : row.at("obstacles"))
      problem.obstacles.push_back(ObstacleOf(obstacle));
    problem.start = JointsOf(row.at("start"));
    problem.goal = JointsOf(row.at("goals").at(0));
    problems.push_back(std::move(problem));
  });
  return problems;
}

double WorstLinkError(const Arm& arm, const std::filesystem::path& folder) {
  std::map<int, JointValues> configurations;
  ForEachRow(folder / "configs.jsonl",
             [&](const ArmJson& row) { configurations[row.at("id")] = JointsOf(row.at("q")); });
  double worst = 0;
  ForEachRow(folder / "fk_check.jsonl", [&](const ArmJson& row) {
    const std::map<std::string, Pose> found = arm.LinkPosesAt(configurations.at(row.at("id")));
    for (const auto& [name, json] : row.at("links").items()) {
      const Pose expected = PoseOf(json);
      const Pose& pose = found.at(name);
      const Quaternion& p = pose.q_WS;
      const Quaternion& q = expected.q_WS;
      const double cosine = std::fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
      worst = std::max({worst, Norm(pose.p_WS - expected.p_WS), 1 - cosine});
    }
  });
  return worst;
}

}  // namespace clearance::testing

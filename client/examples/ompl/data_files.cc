// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/data_files.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "absl/status/status.h"

namespace clearance::plan {
namespace {

using RobotJson = nlohmann::json;
namespace fs = std::filesystem;

// Read's result; an error where the file is not there or not as expected.
template <class Read>
auto Guarded(const fs::path& path, const Read& read) -> absl::StatusOr<decltype(read(path))> {
  try {
    return read(path);
  } catch (const std::exception& wrong) {
    return absl::InvalidArgumentError(path.string() + ": " + wrong.what());
  }
}

RobotJson ReadJson(const fs::path& path) {
  std::ifstream file(path);
  return RobotJson::parse(file);
}

template <class Take>
void ForEachRow(const fs::path& path, Take&& take) {
  std::ifstream file;
  file.exceptions(std::ios::badbit);
  file.open(path);
  if (!file.is_open()) throw std::runtime_error("cannot be read");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) take(RobotJson::parse(line));
  }
}

Vec3 Vec3Of(const RobotJson& json) { return {json.at(0), json.at(1), json.at(2)}; }

Pose PoseOf(const RobotJson& json) {
  const Pose read = {json.at(0), json.at(1), json.at(2), json.at(4),
                     json.at(5), json.at(6), json.at(3)};
  return Compose(read, {});  // of unit length
}

std::map<std::string, Shape> ReadHulls(const fs::path& path) {
  std::map<std::string, Shape> hulls;
  ForEachRow(path, [&](const RobotJson& row) {
    client::Hull hull;
    for (const RobotJson& vertex : row.at("vertices")) {
      for (const RobotJson& number : vertex) hull.vertices.push_back(number.get<double>());
    }
    hulls[row.at("name")] = {.kind = std::move(hull)};
  });
  return hulls;
}

RobotJoint JointOf(const RobotJson& json) {
  RobotJoint joint = {json.at("name"), json.at("parent"), json.at("child"),
                      PoseOf(json.at("pose"))};
  if (json.at("type") == "fixed") return joint;
  if (json.at("type") != "revolute") throw std::runtime_error("a joint of another type");
  joint.turns = true;
  joint.axis = Vec3Of(json.at("axis"));
  joint.lower = json.at("lower");
  joint.upper = json.at("upper");
  return joint;
}

Obstacle ObstacleOf(const RobotJson& row) {
  const Pose pose = PoseOf(row.at("pose"));
  if (row.at("kind") == "box") {
    const Vec3 size = Vec3Of(row.at("size"));
    return {{.kind = client::Box{{size.x / 2, size.y / 2, size.z / 2}}}, pose};
  }
  if (row.at("kind") != "cylinder") throw std::runtime_error("an obstacle of another kind");
  const double length = row.at("length");
  return {{.kind = client::Cylinder{row.at("radius"), length / 2}}, pose};
}

Problem ProblemOf(const RobotJson& row) {
  Problem problem;
  problem.name = row.at("id");
  for (const RobotJson& obstacle : row.at("obstacles"))
    problem.obstacles.push_back(ObstacleOf(obstacle));
  problem.start = row.at("start").get<JointValues>();
  problem.goal = problem.start;
  for (const auto& [joint, value] : row.at("goals").at(0).get<JointValues>())
    problem.goal[joint] = value;
  return problem;
}

double ErrorOf(const Pose& found, const Pose& expected) {
  const double cosine = found.qx * expected.qx + found.qy * expected.qy + found.qz * expected.qz +
                        found.qw * expected.qw;
  return std::max({std::fabs(found.x - expected.x), std::fabs(found.y - expected.y),
                   std::fabs(found.z - expected.z), 1 - std::fabs(cosine)});
}

}  // namespace

JointValues Problem::JointsAt(double t) const {
  JointValues joints = start;
  for (const auto& [joint, value] : goal) joints[joint] += t * (value - joints[joint]);
  return joints;
}

absl::StatusOr<Robot> ReadRobot(const fs::path& folder, const fs::path& problems) {
  return Guarded(folder, [&](const fs::path& from) {
    const std::map<std::string, Shape> hulls = ReadHulls(from / "shapes.jsonl");
    const RobotJson json = ReadJson(from / "robot.json");
    RobotParts parts;
    parts.roots = json.at("root").get<std::vector<std::string>>();
    for (const RobotJson& link : json.at("links")) {
      for (const RobotJson& collision : link.at("collisions"))
        parts.bodies.push_back(
            {link.at("name"), hulls.at(collision.at("shape")), PoseOf(collision.at("pose"))});
    }
    for (const RobotJson& joint : json.at("joints")) parts.joints.push_back(JointOf(joint));
    const RobotJson allowed = ReadJson(problems / "allowed_collision_pairs.json");
    parts.may_touch = allowed.at(0).at("allowed_pairs").get<LinkPairs>();
    return Robot(std::move(parts));
  });
}

absl::StatusOr<std::vector<Problem>> ReadProblems(const fs::path& folder) {
  return Guarded(folder, [](const fs::path& from) {
    std::vector<Problem> problems;
    ForEachRow(from / "scenes.jsonl",
               [&](const RobotJson& row) { problems.push_back(ProblemOf(row)); });
    return problems;
  });
}

absl::StatusOr<double> WorstLinkError(const Robot& robot, const fs::path& folder) {
  return Guarded(folder, [&](const fs::path& from) {
    std::map<int, JointValues> configurations;
    ForEachRow(from / "configs.jsonl",
               [&](const RobotJson& row) { configurations[row.at("id")] = row.at("q"); });
    double worst = 0;
    ForEachRow(from / "fk_check.jsonl", [&](const RobotJson& row) {
      const JointVector joints = robot.JointsOf(configurations.at(row.at("id")));
      const std::map<std::string, Pose> found = robot.LinkPosesAt(joints);
      for (const auto& [link, pose] : row.at("links").items())
        worst = std::max(worst, ErrorOf(found.at(link), PoseOf(pose)));
    });
    return worst;
  });
}

}  // namespace clearance::plan

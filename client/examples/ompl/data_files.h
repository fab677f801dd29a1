// SPDX-License-Identifier: Apache-2.0
//
// Robots and planning problems from folders of files: robot.json with shapes.jsonl, scenes.jsonl
// with allowed_collision_pairs.json. Poses are x y z qw qx qy qz there.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

struct Obstacle {
  Shape shape;  // a box or a cylinder
  Pose X_WO;
};

struct Problem {
  std::string name;
  std::vector<Obstacle> obstacles;
  JointValues start, goal;  // of the same joints

  // At t in [0, 1] on the straight way between them.
  JointValues JointsAt(double t) const;
};

// Joints are revolute or fixed. Which links may touch each other is the problems' to say.
absl::StatusOr<Robot> ReadRobot(const std::filesystem::path& folder,
                                const std::filesystem::path& problems);
absl::StatusOr<std::vector<Problem>> ReadProblems(const std::filesystem::path& folder);
// Reads configs.jsonl and fk_check.jsonl beside robot.json: how far any link is from where it is
// said to be, metres or as a part of a turn.
absl::StatusOr<double> WorstLinkError(const Robot& robot, const std::filesystem::path& folder);

}  // namespace clearance::plan

// SPDX-License-Identifier: Apache-2.0
//
// A robot's arm as bodies with allowed pairs, and planning problems for it, from folders of the
// data sets (robot.json with shapes.jsonl, scenes.jsonl with allowed_collision_pairs.json).

#ifndef CLEARANCE_TESTS_SUPPORT_ARM_H_
#define CLEARANCE_TESTS_SUPPORT_ARM_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace clearance::testing {

using JointValues = std::map<std::string, double>;  // radians

class Arm {
 public:
  // Ends the process where a file cannot be read. Joints are revolute or fixed, and come after
  // those that they hang on.
  explicit Arm(const std::filesystem::path& folder);

  // One a collision shape, ids from kFirstId on, at the origin.
  static constexpr BodyId kFirstId = 1'000'000;
  const std::vector<SceneBody>& bodies() const { return bodies_; }
  const std::vector<std::string>& links() const { return links_; }  // of the bodies

  // Where the bodies are, in the frame of the root.
  std::vector<Pose> PosesAt(const JointValues& joints) const;
  // The same of all links by name, their own frames.
  std::map<std::string, Pose> LinkPosesAt(const JointValues& joints) const;

  // The pairs of links that may touch, as rules of the bodies.
  PairRules RulesOf(const std::filesystem::path& allowed_pairs) const;

 private:
  struct Joint {
    std::string name, parent, child;
    Pose X_PJ;
    Vec3d axis;
    bool turns = false;
  };

  std::vector<SceneBody> bodies_;
  std::vector<std::string> links_;
  std::vector<Pose> X_LB_;  // of the bodies, in the frames of their links
  std::vector<std::string> roots_;
  std::vector<Joint> joints_;
};

struct Obstacle {
  enum class Kind { kBox, kCylinder } kind = Kind::kBox;
  Vec3d half;  // of a box half the edges; of a cylinder radius, radius, half the height, along z
  Pose X_WO;
};

struct PlanningProblem {
  std::vector<Obstacle> obstacles;
  JointValues start, goal;  // the goal alone names joints that move

  // At t in [0, 1] between start and goal.
  JointValues JointsAt(double t) const;
  // A body an obstacle, ids from 0 on.
  ScenePtr MakeScene() const;
};
std::vector<PlanningProblem> ReadProblems(const std::filesystem::path& folder);

// Reads robot.json's neighbour fk_check.jsonl: how far any link is from where it is said to be.
double WorstLinkError(const Arm& arm, const std::filesystem::path& folder);

}  // namespace clearance::testing

#endif  // CLEARANCE_TESTS_SUPPORT_ARM_H_

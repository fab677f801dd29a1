// SPDX-License-Identifier: Apache-2.0
//
// An arm among obstacles in this process, by FCL.

#pragma once

#include <memory>
#include <vector>

#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

// FCL's DynamicAABBTreeCollisionManager for the obstacles, as its own boxes and cylinders, and
// another for the arm's bodies, as boxes and convex hulls (whose faces are Qhull's).
// Thread-compatible.
class FclCell {
 public:
  // The solver of the narrow phase: libccd's, or FCL's own.
  enum class Solver { kLibccd, kIndependent };

  // Keeps a reference to the robot.
  FclCell(const Robot& robot, Solver solver);
  ~FclCell();
  FclCell(const FclCell&) = delete;
  FclCell& operator=(const FclCell&) = delete;

  // Places obstacles in place of those before.
  void Load(const std::vector<Obstacle>& obstacles);

  // Returns whether a pair touches, as soon as one does. Poses as in Robot::BodyPosesAt.
  bool Touches(const std::vector<Pose>& poses);
  bool Touches(const JointVector& joints);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace clearance::plan

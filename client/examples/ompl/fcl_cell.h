// SPDX-License-Identifier: Apache-2.0
//
// An arm among obstacles in this process, by FCL.

#ifndef CLEARANCE_EXAMPLES_OMPL_FCL_CELL_H_
#define CLEARANCE_EXAMPLES_OMPL_FCL_CELL_H_

#include <memory>
#include <vector>

#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

// FCL's DynamicAABBTreeCollisionManager of the obstacles, as its own boxes and cylinders, and
// another of the arm's bodies, as boxes and convex hulls (whose faces are Qhull's).
// Thread-compatible.
class FclCell {
 public:
  // Of the narrow phase: libccd's, or FCL's own.
  enum class Solver { kLibccd, kIndependent };

  // Keeps a reference to the robot.
  FclCell(const Robot& robot, Solver solver);
  ~FclCell();
  FclCell(const FclCell&) = delete;
  FclCell& operator=(const FclCell&) = delete;

  // Places obstacles in place of those before.
  void Load(const std::vector<Obstacle>& obstacles);

  // Whether a pair touches; as soon as one does. Poses as Robot::BodyPosesAt has them.
  bool Touches(const std::vector<Pose>& poses);
  bool Touches(const JointVector& joints);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace clearance::plan

#endif  // CLEARANCE_EXAMPLES_OMPL_FCL_CELL_H_

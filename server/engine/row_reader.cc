// SPDX-License-Identifier: Apache-2.0

#include "server/engine/row_reader.h"

namespace clearance::server {

EndPoseFault MotionAt(const MotionRows& rows, const Pose& start, std::size_t row, Motion* motion) {
  if (rows.end_poses.data != nullptr)
    return MotionToEndPose(start, PoseAt(rows.end_poses, row), motion);
  motion->displacement = VectorAt(rows.displacements, row);
  motion->rotation = VectorAt(rows.rotations, row);
  motion->pivot = rows.pivots.data == nullptr ? start.p_WS : VectorAt(rows.pivots, row);
  return EndPoseFault::kNone;
}

bool IsTurning(const MotionRows& rows, const Pose& start, std::size_t row) {
  if (rows.end_poses.data == nullptr) return !(VectorAt(rows.rotations, row) == Vec3d{});
  const Quaternion& from = start.q_WS;
  const Quaternion to = PoseAt(rows.end_poses, row).q_WS;
  return from.x != to.x || from.y != to.y || from.z != to.z || from.w != to.w;
}

}  // namespace clearance::server

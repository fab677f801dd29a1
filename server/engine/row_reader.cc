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

}  // namespace clearance::server

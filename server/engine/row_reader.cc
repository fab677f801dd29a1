// SPDX-License-Identifier: Apache-2.0

#include "server/engine/row_reader.h"

namespace clearance::server {

Vec3d VectorAt(const Rows<double>& rows, std::size_t row) {
  const double* const v = rows.at(row);
  return {v[0], v[1], v[2]};
}

Pose PoseAt(const Rows<double>& rows, std::size_t row) {
  const double* const v = rows.at(row);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
}

EndPoseFault MotionAt(const MotionRows& rows, const Pose& start, std::size_t row, Motion* motion) {
  if (rows.end_poses.data != nullptr)
    return MotionToEndPose(start, PoseAt(rows.end_poses, row), motion);
  motion->displacement = VectorAt(rows.displacements, row);
  motion->rotation = VectorAt(rows.rotations, row);
  motion->pivot = rows.pivots.data == nullptr ? start.p_WS : VectorAt(rows.pivots, row);
  return EndPoseFault::kNone;
}

}  // namespace clearance::server

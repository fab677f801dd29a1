// SPDX-License-Identifier: Apache-2.0

#include "server/engine/scene_batch.h"

#include <array>
#include <cstring>

#include "server/engine/row_reader.h"

namespace clearance::server {

Pose PoseOfBody(const ConfigurationRows& rows, std::size_t body, std::size_t row) {
  if (rows.poses.data == nullptr) return rows.asked.bodies[body].X_WB;
  return PoseAt(ColumnOfBody(rows.poses, body, kPoseNumbers), row);
}

// They lie one after another, as ColumnOfBody has them.
void CopyPoses(const ConfigurationRows& rows, std::size_t row, Pose* pose) {
  static_assert(sizeof(Pose) == kPoseNumbers * sizeof(double));
  std::memcpy(static_cast<void*>(pose), rows.poses.at(row),
              rows.asked.bodies.size() * sizeof(Pose));
}

MotionRows MotionsOfBody(const MotionQuestions& questions, std::size_t body) {
  static constexpr std::array<double, kVectorNumbers> kNone = {0, 0, 0};
  MotionRows rows = {
      .displacements = ColumnOfBody(questions.displacements, body, kVectorNumbers),
      .rotations = ColumnOfBody(questions.rotations, body, kVectorNumbers),
      .pivots = {},
      .end_poses = ColumnOfBody(questions.end_poses, body, kPoseNumbers),
  };
  if (rows.displacements.data == nullptr) rows.displacements = {kNone.data(), 0};
  if (rows.rotations.data == nullptr) rows.rotations = {kNone.data(), 0};
  return rows;
}

}  // namespace clearance::server

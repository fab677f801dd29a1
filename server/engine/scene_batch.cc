// SPDX-License-Identifier: Apache-2.0

#include "server/engine/scene_batch.h"

#include <array>

#include "server/engine/row_reader.h"

namespace clearance::server {

Pose PoseOfBody(const ConfigurationRows& rows, std::size_t body, std::size_t row) {
  if (rows.poses.data == nullptr) return rows.asked.bodies[body].X_WB;
  return PoseAt(ColumnOfBody(rows.poses, body, kPoseNumbers), row);
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

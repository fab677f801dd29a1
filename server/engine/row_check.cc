// SPDX-License-Identifier: Apache-2.0

#include "server/engine/row_check.h"

#include <cmath>
#include <cstddef>

#include "core/math/tolerance.h"

namespace clearance::server {
namespace {

// The first number that is not finite, or null.
const double* FindNotFinite(const double* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(numbers[i])) return numbers + i;
  }
  return nullptr;
}

double LengthOf(const Quaternion& q) {
  return std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

}  // namespace

MaybeFault CheckPose(const RowCheck& check, const Rows<double>& poses, RowColumn column) {
  const Pose pose = PoseAt(poses, check.row);
  switch (FindPoseFault(pose)) {
    case PoseFault::kNone:
      return std::nullopt;
    case PoseFault::kNotFinite: {
      const double* const bad = FindNotFinite(poses.at(check.row), kPoseNumbers);
      return check.Because(Fault::kNotFinite, column, poses, bad == nullptr ? NAN : *bad);
    }
    case PoseFault::kNotUnitLength:
      return check.Because(Fault::kNotUnitLength, column, poses, LengthOf(pose.q_WS));
  }
  return std::nullopt;
}

MaybeFault FindPlaceFault(const RowCheck& check, const Rows<double>& poses, RowColumn column,
                          double radius) {
  if (MaybeFault fault = CheckPose(check, poses, column)) return fault;
  const Pose pose = PoseAt(poses, check.row);
  if (IsRepresentable(radius, pose)) return std::nullopt;
  const double farthest =
      std::fmax(std::fabs(pose.p_WS.x), std::fmax(std::fabs(pose.p_WS.y), std::fabs(pose.p_WS.z)));
  return check.Because(Fault::kNotRepresentable, column, poses, farthest);
}

MaybeFault CheckFiniteLength(const RowCheck& check, const Rows<double>& lengths, RowColumn column) {
  const double length = *lengths.at(check.row);
  if (std::isinf(length)) return check.Because(Fault::kNotFinite, column, lengths, length);
  return CheckLength(check, lengths, column);
}

MaybeFault CheckFinite(const RowCheck& check, const Rows<double>& vectors, RowColumn column) {
  const double* const bad = FindNotFinite(vectors.at(check.row), kVectorNumbers);
  if (bad == nullptr) return std::nullopt;
  return check.Because(Fault::kNotFinite, column, vectors, *bad);
}

namespace {

MaybeFault CheckRotation(const RowCheck& check, const Rows<double>& rotations, RowColumn column) {
  if (MaybeFault fault = CheckFinite(check, rotations, column)) return fault;
  const double length = std::sqrt(NormSquared(VectorAt(rotations, check.row)));
  if (length <= kMaxRotation) return std::nullopt;
  return check.Because(Fault::kRotationTooLong, column, rotations, length);
}

}  // namespace

MaybeFault CheckMotionNumbers(const RowCheck& check, const MotionRows& motions,
                              const MotionColumns& columns) {
  if (motions.end_poses.data != nullptr)
    return CheckPose(check, motions.end_poses, columns.end_poses);
  if (MaybeFault fault = CheckFinite(check, motions.displacements, columns.displacements))
    return fault;
  if (MaybeFault fault = CheckRotation(check, motions.rotations, columns.rotations)) return fault;
  if (motions.pivots.data == nullptr) return std::nullopt;
  return CheckFinite(check, motions.pivots, columns.pivots);
}

MaybeFault CheckWay(const RowCheck& check, const Start& start, const MotionRows& motions,
                    const MotionColumns& columns) {
  Motion motion;
  if (MotionAt(motions, start.pose, check.row, &motion) == EndPoseFault::kAmbiguous) {
    return check.Because(Fault::kEndPoseAmbiguous, columns.end_poses, motions.end_poses,
                         motions.end_poses.at(check.row)[6]);
  }
  if (IsMotionRepresentable(start.radius, start.pose, motion)) return std::nullopt;
  const bool has_end = motions.end_poses.data != nullptr;
  const Rows<double>& rows = has_end ? motions.end_poses : motions.displacements;
  return check.Because(Fault::kMotionNotRepresentable,
                       has_end ? columns.end_poses : columns.displacements, rows,
                       *rows.at(check.row));
}

}  // namespace clearance::server

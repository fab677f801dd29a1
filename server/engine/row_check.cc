// SPDX-License-Identifier: Apache-2.0

#include "server/engine/row_check.h"

namespace clearance::server {
namespace {

// Finds the first number of the row that is not finite.
MaybeFault FindNotFinite(const RowCheck& check, const Rows<double>& rows, std::size_t count) {
  const double* const numbers = rows.at(check.row);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(numbers[i])) continue;
    RowFault fault = check.Because(Fault::kNotFinite, rows, numbers[i]);
    fault.component = i;
    return fault;
  }
  return std::nullopt;
}

MaybeFault CheckPose(const RowCheck& check, const Rows<double>& poses) {
  const Pose pose = PoseAt(poses, check.row);
  const PoseFault fault = FindPoseFault(pose);
  if (fault == PoseFault::kNone) return std::nullopt;
  if (fault == PoseFault::kNotFinite) return FindNotFinite(check, poses, kPoseNumbers);
  const Quaternion& q = pose.q_WS;
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return check.Because(Fault::kNotUnitLength, poses, length);
}

MaybeFault CheckMotionNumbers(const RowCheck& check, const MotionRows& motions) {
  if (motions.end_poses.data != nullptr) return CheckPose(check, motions.end_poses);
  if (MaybeFault fault = CheckFinite(check, motions.displacements)) return fault;
  if (MaybeFault fault = CheckFinite(check, motions.rotations)) return fault;
  const double angle = std::sqrt(NormSquared(VectorAt(motions.rotations, check.row)));
  if (angle > kMaxRotation) return check.Because(Fault::kRotationTooLong, motions.rotations, angle);
  if (motions.pivots.data == nullptr) return std::nullopt;
  return CheckFinite(check, motions.pivots);
}

}  // namespace

MaybeFault FindPlaceFault(const RowCheck& check, const Rows<double>& poses, double radius) {
  if (MaybeFault fault = CheckPose(check, poses)) return fault;
  const Pose pose = PoseAt(poses, check.row);
  if (IsRepresentable(radius, pose)) return std::nullopt;
  const double farthest =
      std::fmax(std::fabs(pose.p_WS.x), std::fmax(std::fabs(pose.p_WS.y), std::fabs(pose.p_WS.z)));
  return check.Because(Fault::kNotRepresentable, poses, farthest);
}

MaybeFault CheckFiniteLength(const RowCheck& check, const Rows<double>& lengths) {
  const double length = *lengths.at(check.row);
  if (std::isinf(length)) return check.Because(Fault::kNotFinite, lengths, length);
  return CheckLength(check, lengths);
}

MaybeFault CheckFinite(const RowCheck& check, const Rows<double>& vectors) {
  return FindNotFinite(check, vectors, kVectorNumbers);
}

MaybeFault CheckMotion(const RowCheck& check, const Start& start, const MotionRows& motions) {
  if (MaybeFault fault = CheckMotionNumbers(check, motions)) return fault;
  Motion motion;
  if (MotionAt(motions, start.pose, check.row, &motion) == EndPoseFault::kAmbiguous) {
    return check.Because(Fault::kEndPoseAmbiguous, motions.end_poses,
                         motions.end_poses.at(check.row)[6]);
  }
  if (IsMotionRepresentable(start.radius, start.pose, motion)) return std::nullopt;
  const bool has_end = motions.end_poses.data != nullptr;
  const Rows<double>& rows = has_end ? motions.end_poses : motions.displacements;
  return check.Because(Fault::kMotionNotRepresentable, rows, *rows.at(check.row));
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// A batch of questions as plain numbers, borrowed from wherever the message lies, and its rows as
// the core's types. Every column is resolved to a pointer and a stride, so a column that stands for
// all rows costs nothing and a default needs no special case.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/math/pose.h"
#include "core/math/vec3.h"
#include "core/query/time_of_collision.h"

namespace clearance::server {

inline constexpr std::size_t kPoseNumbers = 7;
inline constexpr std::size_t kVectorNumbers = 3;

// One column: row i begins at data + i * stride; stride is 0 where one row stands for all. `data`
// is null only where a comment below allows it.
template <class T>
struct Rows {
  const T* data = nullptr;
  std::size_t stride = 0;
  const char* name = "";  // of the column, in the Error of a row

  const T* at(std::size_t row) const { return data + row * stride; }
};

struct PairRows {
  std::uint32_t count = 0;
  Rows<std::uint32_t> slots_a, slots_b;
  Rows<double> poses_a, poses_b;  // x y z qx qy qz qw
};

// The motion of one body of each pair. Either end_poses.data is null or the three others are what
// motions without them are (0, 0 and null).
struct MotionRows {
  Rows<double> displacements, rotations;
  Rows<double> pivots;     // null data: the origin of the shape's frame at t = 0
  Rows<double> end_poses;  // null data: none
};

inline Vec3d VectorAt(const Rows<double>& rows, std::size_t row) {
  const double* const v = rows.at(row);
  return {v[0], v[1], v[2]};
}

// Copied as one: numbers that are written one by one and then read in pairs wait for the memory.
inline Pose PoseAt(const Rows<double>& rows, std::size_t row) {
  static_assert(sizeof(Pose) == 7 * sizeof(double));
  Pose pose;
  std::memcpy(static_cast<void*>(&pose), rows.at(row), sizeof(pose));
  return pose;
}

// Returns the motion of a body that starts at `start`. kAmbiguous only where there are end poses.
// Requires: start and the end pose, if there is one, are valid poses.
inline EndPoseFault MotionAt(const MotionRows& rows, const Pose& start, std::size_t row,
                             Motion* motion) {
  if (rows.end_poses.data != nullptr)
    return MotionToEndPose(start, PoseAt(rows.end_poses, row), motion);
  motion->displacement = VectorAt(rows.displacements, row);
  motion->rotation = VectorAt(rows.rotations, row);
  motion->pivot = rows.pivots.data == nullptr ? start.p_WS : VectorAt(rows.pivots, row);
  return EndPoseFault::kNone;
}

// Returns false only for a motion that MotionAt gives no rotation.
inline bool IsTurning(const MotionRows& rows, const Pose& start, std::size_t row) {
  if (rows.end_poses.data == nullptr) return !(VectorAt(rows.rotations, row) == Vec3d{});
  const Quaternion& from = start.q_WS;
  const Quaternion to = PoseAt(rows.end_poses, row).q_WS;
  return from.x != to.x || from.y != to.y || from.z != to.z || from.w != to.w;
}

}  // namespace clearance::server

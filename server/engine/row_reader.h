// SPDX-License-Identifier: Apache-2.0
//
// Rows of numbers as the core's types.

#pragma once

#include <cstddef>
#include <cstring>

#include "core/math/pose.h"
#include "core/math/vec3.h"
#include "core/query/time_of_collision.h"
#include "server/engine/batch.h"

namespace clearance::server {

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

// The motion of a body that starts at `start`. kAmbiguous only where there are end poses. Requires:
// start and the end pose, if there is one, are valid poses.
EndPoseFault MotionAt(const MotionRows& rows, const Pose& start, std::size_t row, Motion* motion);

// False only of a motion that MotionAt gives no rotation.
bool IsTurning(const MotionRows& rows, const Pose& start, std::size_t row);

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// Rows of numbers as the core's types.

#ifndef CLEARANCE_SERVER_ENGINE_ROW_READER_H_
#define CLEARANCE_SERVER_ENGINE_ROW_READER_H_

#include <cstddef>

#include "core/math/pose.h"
#include "core/math/vec3.h"
#include "core/query/time_of_collision.h"
#include "server/engine/batch.h"

namespace clearance::server {

inline Vec3d VectorAt(const Rows<double>& rows, std::size_t row) {
  const double* const v = rows.at(row);
  return {v[0], v[1], v[2]};
}

inline Pose PoseAt(const Rows<double>& rows, std::size_t row) {
  const double* const v = rows.at(row);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
}

// The motion of a body that starts at `start`. kAmbiguous only where there are end poses. Requires:
// start and the end pose, if there is one, are valid poses.
EndPoseFault MotionAt(const MotionRows& rows, const Pose& start, std::size_t row, Motion* motion);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_ROW_READER_H_

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

Vec3d VectorAt(const Rows<double>& rows, std::size_t row);
Pose PoseAt(const Rows<double>& rows, std::size_t row);

// The motion of a body that starts at `start`. kAmbiguous only where there are end poses. Requires:
// start and the end pose, if there is one, are valid poses.
EndPoseFault MotionAt(const MotionRows& rows, const Pose& start, std::size_t row, Motion* motion);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_ROW_READER_H_

// SPDX-License-Identifier: Apache-2.0
//
// A shape and where it stands in the world.

#ifndef CLEARANCE_CORE_SHAPE_POSED_SHAPE_H_
#define CLEARANCE_CORE_SHAPE_POSED_SHAPE_H_

#include "core/math/pose.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// Keeps references. Requires of every query: FindPoseFault(pose) is kNone and
// IsRepresentable(shape, pose).
struct PosedShape {
  const ConvexShape& shape;
  const Pose& pose;
};

}  // namespace clearance

#endif  // CLEARANCE_CORE_SHAPE_POSED_SHAPE_H_

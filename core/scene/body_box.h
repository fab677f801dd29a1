// SPDX-License-Identifier: Apache-2.0
//
// Boxes of the world that hold a body where it stands, or all along its way; rounded outwards.

#pragma once

#include "core/broad/float_box.h"
#include "core/math/pose.h"
#include "core/query/time_of_collision.h"
#include "core/shape/rigid_body.h"

namespace clearance {

// Metres, world axes.
struct WorldBox {
  Vec3d low;
  Vec3d high;
};

// Holds the body and everything within the margin of it. The body's own box is turned, so that it
// costs the same whatever the body is: as tight as can be for boxes and without a turn, otherwise
// up to 1.7 times as wide. Requires: as SceneBody.
WorldBox BoxAt(const RigidBody& body, const Pose& X_WB, double margin);

// Holds the same at all times of [0, 1] but for the displacement of the motion.
WorldBox BoxOfTurning(const RigidBody& body, const Pose& X_WB, const Motion& motion, double margin);

inline FloatBox Rounded(const WorldBox& box) { return MakeFloatBox(box.low, box.high); }

// On its way, and everything that it ever holds.
MovingFloatBox MovingBoxOf(const WorldBox& box, const Vec3d& displacement);
FloatBox SweptBoxOf(const WorldBox& box, const Vec3d& displacement);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// A shape and where it stands in the world: by the pose of the body that it is or belongs to, and
// by its own pose inside that body.

#pragma once

#include "core/math/pose.h"
#include "core/math/rotation.h"
#include "core/shape/convex_shape.h"

namespace clearance {

inline constexpr Pose kIdentityPose;

// A point p_S of the shape is at R(q_WB) (R(q_BS) p_S + p_BS) + p_WB in the world. Keeps
// references. Requires of every query: FindPoseFault is kNone of both poses and IsRepresentable.
struct PosedShape {
  const ConvexShape& shape;
  const Pose& pose;                   // of the body B in the world
  const Pose& local = kIdentityPose;  // of the shape S in the body
};

// True if a shape posed so in its body has the body's frame.
inline bool IsInPlace(const Pose& local) { return IsIdentity(local.q_WS) && local.p_WS == Vec3d{}; }

}  // namespace clearance

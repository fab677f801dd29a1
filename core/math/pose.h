// SPDX-License-Identifier: Apache-2.0
//
// The position and orientation of a shape: the translation and quaternion exactly as a caller gave
// them. The rotation that they denote is the rational matrix of q over |q|^2, so q need not be of
// unit length to the last bit. The allowed deviation is checked once, at the entry of poses
// (FindPoseFault).

#pragma once

#include "core/math/vec3.h"

namespace clearance {

// x y z are the vector part, w the scalar part.
struct Quaternion {
  double x = 0;
  double y = 0;
  double z = 0;
  double w = 1;
};

// X_WS: the point p_S of the shape's frame S is at R(q/|q|) p_S + p_WS in the world W. Metres.
struct Pose {
  Vec3d p_WS;
  Quaternion q_WS;
};

enum class PoseFault {
  kNone,
  kNotFinite,      // a number is NaN or infinite
  kNotUnitLength,  // |q| is not within kQuaternionSlack of 1
};

// Returns kNone for a pose that is valid for every query.
PoseFault FindPoseFault(const Pose& pose);

}  // namespace clearance

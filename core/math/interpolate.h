// SPDX-License-Identifier: Apache-2.0
//
// Poses between two known ones, with only additions, products and one square root: the same bits on
// every machine.

#pragma once

#include "core/math/pose.h"

namespace clearance {

// Returns the pose of a body at `fraction` of its path from X_W0 to X_W1, in [0, 1]; at the ends
// these very poses. The origin moves along a straight line:
//     p = p_0 + fraction (p_1 - p_0).
// The orientation takes the shorter path, by the normalised linear blend ("nlerp") of the
// quaternions; q_1 is negated if q_0 . q_1 < 0:
//     q = b / |b|,  b = (1 - fraction) q_0 + fraction q_1.
// It turns about the same axis as the turn of even speed (slerp). For a turn by a in [0, pi]
// radians it is never farther from slerp than a^3 / 200 radians. |b| is never near 0, not even for
// half a turn. Parts that rest stay the same to the last bit: a coordinate of p that is the same at
// both ends, and an orientation with q_1 = +-q_0, which is q_0.
//
// Requires: FindPoseFault is kNone for both, and p_1 - p_0 does not overflow (it does not if
// IsRepresentable is true).
Pose InterpolatePose(const Pose& X_W0, const Pose& X_W1, double fraction);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Poses between two that are known, with additions, products and one square root alone: the same
// bits on every machine.

#ifndef CLEARANCE_CORE_MATH_INTERPOLATE_H_
#define CLEARANCE_CORE_MATH_INTERPOLATE_H_

#include "core/math/pose.h"

namespace clearance {

// Where a body stands at `fraction` of its way from X_W0 to X_W1, in [0, 1]; at the ends these very
// poses. The origin goes straight:
//     p = p_0 + fraction (p_1 - p_0).
// The orientation goes the shorter way, by the normalised linear blend ("nlerp") of the
// quaternions, of which q_1 is negated where q_0 . q_1 < 0:
//     q = b / |b|,  b = (1 - fraction) q_0 + fraction q_1.
// It turns about the same axis as the turn of even speed (slerp) and is, of a turn by a in [0, pi]
// radians, never farther from that than a^3 / 200 radians. |b| is never near 0: half a turn is no
// exception. What rests stays where it is to the last bit: a coordinate of p that is the same at
// both ends, and an orientation with q_1 = +-q_0, which is q_0.
//
// Requires: FindPoseFault is kNone of both, and p_1 - p_0 does not overflow (so of bodies of which
// IsRepresentable is true).
Pose InterpolatePose(const Pose& X_W0, const Pose& X_W1, double fraction);

}  // namespace clearance

#endif  // CLEARANCE_CORE_MATH_INTERPOLATE_H_

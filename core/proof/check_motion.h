// SPDX-License-Identifier: Apache-2.0
//
// Proves times of collision again, or finds them wrong; check_distance.h defines this.
//
// That a motion is free before t_free is proved by intervals, each with its own direction n. Along
// n the gap is a minimum of functions f(t) = n.(p_b(t) - p_a(t)), one for each pair of points. Each
// has |f''| <= M = sum over both bodies of |w|^2 |n across w| |r across w| for the rotation vector
// w and lever arms r from the pivot. A function lies no farther below its chord than M s^2 / 8 over
// an interval of length s, so the gap is nowhere less than
//     min(gap(t), gap(t + s)) - M s^2 / 8,
// and intervals are cut until this proves them. (Any textbook on interpolation has this; it does
// not depend on how the solver takes its steps.)

#pragma once

#include "core/proof/check_distance.h"
#include "core/query/time_of_collision.h"

namespace clearance {

// Checks a time of collision. In the result, is_lower_proved means never late, by the intervals of
// options.proof (without them, or if they are truncated, only a few times before t_free are looked
// at); is_upper_proved means within the target and the tolerance at t_hit. Requires and promises
// the same as CheckDistance; options.proof is a claim like any other.
Check CheckTimeOfCollision(const MovingShape& a, const MovingShape& b, const MotionOptions& options,
                           const TimeOfCollisionAnswer& answer);

}  // namespace clearance

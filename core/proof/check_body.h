// SPDX-License-Identifier: Apache-2.0
//
// Proves answers about bodies anew, or finds them wrong; see check_distance.h for what that means.
// Of two compounds every pair of pieces is looked at, whatever bounds let the queries leave out:
// the whole's lower bound (and that nothing meets before t_free) is claimed of each pair, its upper
// bound (and the contact) of one.

#ifndef CLEARANCE_CORE_PROOF_CHECK_BODY_H_
#define CLEARANCE_CORE_PROOF_CHECK_BODY_H_

#include "core/proof/check_distance.h"
#include "core/query/body_query.h"

namespace clearance {

// Require, and promise, what the checks of single pairs do; the work is that of pieces_a * pieces_b
// searches. Where a body is one convex piece of its own this is the check of the pair.

// Of compounds the pieces that the answer names are held to everything that a pair is; the
// tolerance is that of the largest pair.
Check CheckDistance(const PosedBody& a, const PosedBody& b, const DistanceOptions& options,
                    const DistanceAnswer& answer);

// Of compounds that touch, how near their bracket is to 0 is left open.
Check CheckIntersection(const PosedBody& a, const PosedBody& b, const IntersectionAnswer& answer);

// Of compounds options.proof is not looked at, and where the points of a hit lie is left open: they
// are told of a time between the whole's t_free and t_hit.
Check CheckTimeOfCollision(const MovingBody& a, const MovingBody& b, const MotionOptions& options,
                           const TimeOfCollisionAnswer& answer);

}  // namespace clearance

#endif  // CLEARANCE_CORE_PROOF_CHECK_BODY_H_

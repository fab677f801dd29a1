// SPDX-License-Identifier: Apache-2.0
//
// Proves answers about bodies again, or finds them wrong; check_distance.h defines this. For two
// compounds every pair of pieces is looked at, whatever bounds let the queries leave out. The
// whole's lower bound (and that nothing meets before t_free) is claimed for each pair, its upper
// bound (and the contact) for one.

#pragma once

#include "core/proof/check_distance.h"
#include "core/query/body_query.h"

namespace clearance {

// These checks require and promise the same as the checks of single pairs; the work is that of
// pieces_a * pieces_b searches. If both bodies are single convex pieces, this is the check of the
// pair.

// Checks a distance. The pieces of compounds that the answer names are held to everything that a
// pair is held to; the tolerance is that of the largest pair.
Check CheckDistance(const PosedBody& a, const PosedBody& b, const DistanceOptions& options,
                    const DistanceAnswer& answer);

// Checks an intersection. For compounds that touch, the distance of their bracket from 0 is left
// open.
Check CheckIntersection(const PosedBody& a, const PosedBody& b, const IntersectionAnswer& answer);

// Checks a time of collision. For compounds options.proof is not looked at, and the positions of
// the points of a hit are left open: they belong to a time between the whole's t_free and t_hit.
Check CheckTimeOfCollision(const MovingBody& a, const MovingBody& b, const MotionOptions& options,
                           const TimeOfCollisionAnswer& answer);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Whether the answers that a benchmark is about to time are right: all of them against how their
// pairs were placed, a sample of them against the exact oracle. "" is right; anything else says
// what is wrong.

#pragma once

#include <string>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "tests/bench/workload.h"

namespace clearance::bench {

// State and bracket are what the pair was placed for.
std::string FindFault(const Pair& pair, Regime regime, const DistanceAnswer& answer);
std::string FindFault(const Pair& pair, Regime regime, const IntersectionAnswer& answer);

// Held against the exact distance.
std::string FindInexactness(const Pool& pool, const Pair& pair, const DistanceAnswer& answer);
std::string FindInexactness(const Pool& pool, const Pair& pair, const IntersectionAnswer& answer);

// A question of when A, moving by `motion`, comes to B.
struct Approach {
  const Pair& pair;
  const Motion& motion;
};

// Apart at the start, so FREE or HIT; times in order.
std::string FindFault(const TimeOfCollisionAnswer& answer);

// Apart at a few times before t_free and within the tolerance at t_hit, by the exact distance.
std::string FindInexactness(const Pool& pool, const Approach& approach,
                            const TimeOfCollisionAnswer& answer);

}  // namespace clearance::bench

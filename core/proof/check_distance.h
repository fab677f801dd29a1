// SPDX-License-Identifier: Apache-2.0
//
// Proves answers again, or finds them wrong. The checker takes an answer's normal, witness and
// points as claims and computes in quad precision what they prove (bounds.h). If an answer comes
// without a proof, the checker searches for one itself. It shares no code with the solvers, so that
// one mistake cannot hide another.

#pragma once

#include <cstdint>
#include <optional>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/shape/posed_shape.h"

namespace clearance {

// The claims of an answer.
enum class Claim : std::uint8_t {
  kNumber,     // every number is one, and in order
  kState,      // the state follows from the bracket, tau and the reason
  kTolerance,  // tau is no larger than promised
  kLower,      // the lower bound
  kUpper,      // the upper bound
  kDistance,   // the distance lies in its bracket
  kNormal,     // a unit vector
  kWitness,    // vertices that exist, weights >= 0 of sum 1
  kPoint,      // points of the bodies' surfaces, `distance` apart along the normal
  kTime,       // times in order, in [0, 1], as the state wants them
  kCover,      // the intervals of a motion's proof follow on each other up to t_free
  kInterval,   // a gap all through an interval
  kContact,    // within the target at t_hit
};
const char* Name(Claim claim);

// The first claim that is false, or that the answer's own proof does not support.
struct Contradiction {
  Claim claim = Claim::kNumber;
  double claimed = 0;
  double proved = 0;
};

struct Check {
  std::optional<Contradiction> contradiction;
  // Which ends of the bracket a proof was found for. In an answer the depth of an overlap has no
  // proof except its own (a lower bound); the upper bound then only proves the sign.
  bool is_lower_proved = false;
  bool is_upper_proved = false;
};

// All checks require the same of their arguments as the query. They never fail, never allocate and
// may be called from any thread. They take a few microseconds for small polytopes, a few hundred if
// they must search.
Check CheckDistance(const PosedShape& a, const PosedShape& b, const DistanceOptions& options,
                    const DistanceAnswer& answer);
Check CheckIntersection(const PosedShape& a, const PosedShape& b, const IntersectionAnswer& answer);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Whether two posed shapes touch: like Distance, but it stops at the first proof either way.

#ifndef CLEARANCE_CORE_QUERY_INTERSECTION_H_
#define CLEARANCE_CORE_QUERY_INTERSECTION_H_

#include <cstdint>

#include "core/query/distance.h"

namespace clearance {

// bracket.lower <= signed distance <= bracket.upper as far as the early exit had proved it, metres.
struct IntersectionAnswer {
  State state = State::kUndecided;  // never kBeyond
  UndecidedReason reason = UndecidedReason::kNone;
  Bracket bracket;
  std::uint32_t iterations = 0;
};

struct IntersectionOptions {
  bool exact = false;  // as DistanceOptions has it
};

// Never fails, never allocates (but see `exact`), any thread.
IntersectionAnswer Intersection(const PosedShape& a, const PosedShape& b,
                                const IntersectionOptions& options = {});

}  // namespace clearance

#endif  // CLEARANCE_CORE_QUERY_INTERSECTION_H_

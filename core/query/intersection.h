// SPDX-License-Identifier: Apache-2.0
//
// Whether two posed shapes touch: like Distance, but it stops at the first proof either way.

#ifndef CLEARANCE_CORE_QUERY_INTERSECTION_H_
#define CLEARANCE_CORE_QUERY_INTERSECTION_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
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

struct IntersectionQuestion {
  PosedShape a;
  PosedShape b;
  IntersectionOptions options;
};

// Many at once, side by side in vector instructions where that pays: each answer is that of
// Intersection, bit for bit. Best by multiples of kIntersectionsAtOnce. Requires: equal lengths.
inline constexpr std::size_t kIntersectionsAtOnce = 64;
void Intersections(absl::Span<const IntersectionQuestion> questions,
                   absl::Span<IntersectionAnswer> answers);

}  // namespace clearance

#endif  // CLEARANCE_CORE_QUERY_INTERSECTION_H_

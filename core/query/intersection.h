// SPDX-License-Identifier: Apache-2.0
//
// Whether two posed shapes touch: like Distance, but it stops at the first proof either way.

#pragma once

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
  // A hint, if there is one: a direction along which B may be beyond A, axes of A, any length; 0
  // where none is known. It is tried before a search begins, which leaves there where it parted the
  // two; 0 if nowhere. The state is the same whatever it is, and so is all of an answer that is not
  // kSeparated: what is parted with its help is parted by far more than the tolerance, where a
  // search ends early. Compounds have no use for it.
  Vec3d* separating_axis = nullptr;
  WorkBudget* budget = nullptr;  // as DistanceOptions has it
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
// Intersection, bit for bit, but for the brackets of separated pairs with hints. Best by multiples
// of kIntersectionsAtOnce. Requires: equal lengths.
inline constexpr std::size_t kIntersectionsAtOnce = 64;
void Intersections(absl::Span<const IntersectionQuestion> questions,
                   absl::Span<IntersectionAnswer> answers);

}  // namespace clearance

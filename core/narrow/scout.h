// SPDX-License-Identifier: Apache-2.0
//
// A guess where two polytopes are nearest to each other, to go on from: the Gilbert-Johnson-Keerthi
// iteration with supports from a scan in single precision and a sub-distance that takes a simplex
// for well shaped. It proves nothing and may be wrong. What comes of a good guess is an answer that
// the features give by themselves (feature_pair.h) or a search that ends after a step or two
// (gjk.h), so that the guess decides how soon there is an answer, not which.
//
// The scan runs on the widest vectors that the processor has, chosen when the program runs; the
// guess is the same with all of them.

#ifndef CLEARANCE_CORE_NARROW_SCOUT_H_
#define CLEARANCE_CORE_NARROW_SCOUT_H_

#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "core/narrow/difference.h"
#include "core/narrow/feature_pair.h"

namespace clearance {

struct Scouted {
  enum class End : std::uint8_t {
    kNearest,   // the nearest point is in the pairs' simplex
    kEncloses,  // which holds the origin
    kBeyond,    // the cores are farther apart than asked for
    kLost,      // too near to the origin, or too many steps
  };
  End end = End::kLost;
  VertexPairs pairs;
  std::uint32_t iterations = 0;
};

// One pair to look at. Borrows the difference. Requires: polytopes; no sweep.
struct ScoutTask {
  const Difference<double>* difference = nullptr;
  // Units: no farther than to know that the cores are farther apart than this.
  double stop_above = std::numeric_limits<double>::infinity();
};

// found[i] is the guess for tasks[i], whatever the other tasks are. Requires: equal lengths.
void Scout(absl::Span<const ScoutTask> tasks, absl::Span<Scouted> found);

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_SCOUT_H_

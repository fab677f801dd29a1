// SPDX-License-Identifier: Apache-2.0
//
// Proofs in plain double precision, for many pairs side by side, of whether bodies are apart or
// overlap. They include a bound on all rounding; the few pairs for which they prove nothing are
// left to careful searches (core/query/pair_solver.h).

#pragma once

#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "core/shape/posed_shape.h"

namespace clearance {

// Borrows all. Requires: polytopes along the axes of their bodies (IsInPlace).
struct SeparationPair {
  const PosedShape* a = nullptr;
  const PosedShape* b = nullptr;
  Vec3d* separating_axis = nullptr;  // as IntersectionOptions has it; only hulls have a use for it
};

// lower <= signed distance of the bodies <= upper, metres.
struct SeparationBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::uint32_t iterations = 0;

  // True if the bodies are proved apart, or proved to overlap.
  bool IsSettled() const { return lower > 0 || upper < 0; }
};

// bounds[i] is of pairs[i], the same bits whatever the other pairs are (hints apart, which some may
// share) and whichever vectors the processor has. Requires: equal lengths.

// By the fifteen axes that can part two boxes (S. Gottschalk, M. C. Lin and D. Manocha, "OBBTree",
// 1996). Requires also: boxes (core/shape/box_corners.h).
void BoundBoxes(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds);

// By the plane or the tetrahedron that a search ends with (gjk_batch.h).
void BoundHulls(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Batched GJK for polytopes, with supports accurate to single precision (rough_support.h) and a
// sub-distance that takes a simplex for well shaped. The result is a guess: the caller proves it by
// the features alone (closest_features.h), or goes on from it with gjk.h. So it affects speed and
// never the answer.
//
// The scan runs on the widest vectors that the processor has, chosen when the program runs; the
// guess is the same with all of them.

#pragma once

#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "core/math/rotation.h"
#include "core/math/vec3.h"
#include "core/narrow/closest_features.h"
#include "core/narrow/minkowski_difference.h"
#include "core/shape/convex_shape.h"

namespace clearance {

struct FeatureGuess {
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
struct GuessTask {
  const MinkowskiDifference<double>* difference = nullptr;
  // Units: the search ends once the cores are known to be farther apart than this.
  double stop_above = std::numeric_limits<double>::infinity();
};

// found[i] is the guess for tasks[i], whatever the other tasks are. Requires: equal lengths.
void GjkBatch(absl::Span<const GuessTask> tasks, absl::Span<FeatureGuess> found);

// One pair to be found apart or overlapping. Borrows the shapes. Requires: polytopes.
struct SignTask {
  const ConvexShape* a = nullptr;
  const ConvexShape* b = nullptr;
  double scale_a = 1;  // as ShapePair and Placement have these
  double scale_b = 1;
  Mat3<double> R_AB;
  Vec3d p_AB;
  double extent = 0;      // no less than any length of the pair
  double stop_above = 0;  // a plane farther from the origin than this ends the search
};

// The result of the last vertices, as they are computed: of shapes with scan blocks the vertices
// are found, and their points taken, in single precision.
struct SignGuess {
  FeatureGuess::End end = FeatureGuess::End::kLost;
  // No vertex of A - B was found below this height over the origin, along some direction.
  double plane = 0;
  // For kEncloses: their tetrahedron holds the ball of this radius about the origin, if it is
  // positive.
  double ball = 0;
  // The distance of the nearest of them.
  double nearest = 0;
  // For kBeyond: the direction of `plane`, any length, axes of A, from B to A.
  Vec3d direction;
  std::uint32_t iterations = 0;
};

// found[i] is of tasks[i], the same bits whatever the other tasks are. Requires: equal lengths.
void GjkSignBatch(absl::Span<const SignTask> tasks, absl::Span<SignGuess> found);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The points of a shape in the world, without rounding. The rotation of a pose is the rational
// matrix of q over |q|^2, held as an integer matrix and one denominator. Numbers that it does not
// make fractions are integers times a power of two.

#pragma once

#include <initializer_list>

#include "core/exact/integers.h"
#include "core/math/pose.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// The point p of the inner frame is at (matrix p + 2^exponent offset) / denominator in the outer
// one. Metres.
struct ExactPlacement {
  IntegerMatrix matrix;
  Integer denominator;  // > 0
  IntegerVector offset;
  int exponent = kNoBit;  // kNoBit if the offset is 0
};

ExactPlacement Place(const Pose& pose);

// Returns the placement that applies first `inner`, then `outer`.
ExactPlacement Compose(const ExactPlacement& outer, const ExactPlacement& inner);

// Vertex v (normalised, as the shape holds it) is at
//     (matrix 2^shape.exponent v + 2^exponent offset) / denominator,
// all of X_W, in the world; the shape's centre is part of the offset.
struct ExactBody {
  const ConvexShape& shape;
  ExactPlacement X_W;
  int lowest_bit = kNoBit;  // of all normalised coordinates
};

// Returns the shape placed by `poses`, which lead from the world to the shape: the first is in the
// world, each further one in the frame of the one before it, the last is the shape's. Keeps a
// reference to the shape. Requires: at least one pose, all valid.
ExactBody MakeExactBody(const ConvexShape& shape, std::initializer_list<const Pose*> poses);

}  // namespace clearance

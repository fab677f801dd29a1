// SPDX-License-Identifier: Apache-2.0
//
// Decides whether two bodies are apart, touch or penetrate, with no tolerance and no rounding: even
// if that depends on the last bit of one coordinate, for any poses and radii. The decision is on
// the exact reals that the doubles denote; a rotation is the rational matrix of q over |q|^2.
//
// All is computed in integers: the squared distance of the cores is rational, so it is compared
// with the square of the sum of the radii without a root.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "core/shape/posed_shape.h"

namespace clearance {

enum class ExactContact : std::uint8_t {
  kSeparated,    // no common point
  kTouching,     // common points, but none that is inside of both
  kPenetrating,  // their interiors meet; never if A - B, radii included, has no interior
};

// lower <= signed distance <= upper, metres, and of the sign that `contact` says. If the distance
// is nearer to 0 than the least double, the bound next to 0 is that least double.
//
//   kSeparated    within a few units in the last place
//   kTouching     both are 0
//   kPenetrating  as narrow if only the radii overlap. If the cores (the bodies without their
//                 radii) meet, the depth is at least the sum of the radii and otherwise unknown:
//                 lower is -infinity, and upper is no more than a sign if there are no radii.
struct ExactVerdict {
  ExactContact contact = ExactContact::kTouching;
  double lower = 0;
  double upper = 0;
};

// Returns the exact verdict. nullopt: kMaxExactWork was reached, or a shape is curved, or its
// coordinates are not held exactly (ConvexShape::is_exact). Allocates, in contrast to the other
// queries: call it if a bracket around 0 is not enough. Never throws; may be called from any
// thread; a pure function of its arguments. Takes about 0.2 ms for bodies of a hundred vertices,
// 1.5 ms for 4,000.
std::optional<ExactVerdict> DecideExactly(const PosedShape& a, const PosedShape& b);

}  // namespace clearance

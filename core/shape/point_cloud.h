// SPDX-License-Identifier: Apache-2.0
//
// A caller's points prepared for a hull: each once, shifted and scaled by powers of two so that
// nothing overflows or underflows, without rounding a single coordinate.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/math/vec3.h"

namespace clearance {

// The first of each set of equal points, in the caller's order.
struct DistinctPoints {
  std::vector<Vec3d> points;
  std::vector<std::uint32_t> original_index;
};
DistinctPoints RemoveDuplicates(absl::Span<const Vec3d> points);

// p = center + offset for every point, with no rounding.
struct CenteredPoints {
  Vec3d center;
  std::vector<Vec3d> offsets;
};

// Along each axis: if all points lie on one side of 0 and none more than twice as far as another,
// the centre lies among them and the differences are exact by Sterbenz' lemma; otherwise it is 0.
// Requires: at least one point, finite extents.
CenteredPoints Center(absl::Span<const Vec3d> points);

// offset = 2^exponent * vertex exactly, except for parts of a coordinate below 2^-1074 of the
// largest (then is_exact is false); the exponent is the least with |vertex| <= 1 in every
// coordinate (0 if all are 0).
struct NormalizedPoints {
  int exponent = 0;
  bool is_exact = true;
  std::vector<Vec3d> vertices;
};
NormalizedPoints Normalize(absl::Span<const Vec3d> offsets);

// The same with an exponent for each axis, and rounded to the predicate grid: hulls do not change
// under such a scaling, and thin bodies keep all their digits. is_exact: nothing was rounded.
struct GridPoints {
  std::array<int, 3> exponents{};
  bool is_exact = true;
  std::vector<Vec3d> points;
};
GridPoints SnapToGrid(absl::Span<const Vec3d> offsets);

}  // namespace clearance

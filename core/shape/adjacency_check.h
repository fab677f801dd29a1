// SPDX-License-Identifier: Apache-2.0
//
// Checks a caller's adjacency table against the hull: first its layout, then whether it has every
// edge that the hull has and no pair that does not lie on one face.

#pragma once

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/shape/hull_builder.h"
#include "core/shape/make_shape.h"

namespace clearance {

// The hull and the points that it was built from; original_index[i] is the row of points[i].
struct HullOfPoints {
  absl::Span<const Vec3d> points;
  absl::Span<const std::uint32_t> original_index;
  const Hull& hull;
};

// Returns the fault of the rows themselves, for this many points: lengths, order, range, loops,
// repetitions, pairs given in one direction only.
std::optional<ShapeError> FindLayoutFault(const GivenAdjacency& given, std::uint32_t point_count);

// Returns the fault of the edges. Requires: no layout fault.
std::optional<ShapeError> FindEdgeFault(const GivenAdjacency& given, const HullOfPoints& built);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Builds what a support is climbed along.

#pragma once

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/shape/climb_graph.h"
#include "core/shape/hull_builder.h"
#include "core/shape/pacer.h"

namespace clearance {

// `hull` is solid and that of the points on the predicate grid; vertices[i] is the normalised
// hull.vertices[i].
struct HullToClimb {
  const Hull& hull;
  absl::Span<const Vec3d> grid_points;
  absl::Span<const Vec3d> vertices;
};

ClimbGraph BuildClimbGraph(const HullToClimb& input, Pacer* pacer = nullptr);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// From points to a ConvexShape: duplicates dropped, coordinates normalised, the hull taken, the
// adjacency written down.

#pragma once

#include "absl/types/span.h"
#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/shape/hull_builder.h"
#include "core/shape/pacer.h"
#include "core/shape/point_cloud.h"

namespace clearance {

// A shape and how it came about, for checks against it.
struct Assembly {
  DistinctPoints distinct;
  GridPoints grid;  // of the distinct points
  Hull hull;        // of the grid's points
  ConvexShapePtr shape;
};

// The shape is null once the pacer has stopped. Requires: at least one point; finite coordinates,
// extents and radius.
Assembly Assemble(absl::Span<const Vec3d> points, const DoubleDouble& radius,
                  Pacer* pacer = nullptr);

// A curved core. Requires: finite extents, x and y > 0, z >= 0; finite radius.
ConvexShapePtr AssembleCurved(CoreKind kind, const Vec3d& extents, double radius);

}  // namespace clearance

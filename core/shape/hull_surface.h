// SPDX-License-Identifier: Apache-2.0
//
// The surface of the convex hull of points in space, as triangles: Quickhull (Barber, Dobkin and
// Huhdanpaa, 1996) with exact predicates in the place of tolerances. No facet is ever merged and no
// point ever dropped by rounding, so the surface is convex and holds every point by construction,
// whatever the input: nothing is left to be verified or repaired afterwards.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/shape/pacer.h"

namespace clearance {

// Corners turn left seen from outside; neighbor[i] is the triangle across the edge from vertex[i]
// to vertex[(i + 1) % 3], and is_flat[i] if both lie in one plane.
struct SurfaceTriangle {
  std::array<std::uint32_t, 3> vertex{};
  std::array<std::uint32_t, 3> neighbor{};
  std::array<bool, 3> is_flat{};
};

using Surface = std::vector<SurfaceTriangle>;

// Four indices of points.
using SimplexIndices = std::array<std::uint32_t, 4>;

// The surface of the hull of `points`, its vertices exactly the hull's extreme points: none lies
// inside a face or an edge. Faces with more than three corners are cut into triangles.
// Requires: coordinates on the predicate grid, distinct points, `simplex` not in one plane.
Surface BuildHullSurface(absl::Span<const Vec3d> points, const SimplexIndices& simplex,
                         Pacer* pacer = nullptr);

}  // namespace clearance

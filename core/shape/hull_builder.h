// SPDX-License-Identifier: Apache-2.0
//
// The convex hull of any set of points: solid, flat, straight or a single point, decided exactly.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/shape/hull_surface.h"
#include "core/shape/pacer.h"

namespace clearance {

// A convex hull; all indices are those of the points that it was built from.
struct Hull {
  int dimension = 0;
  // The extreme points, all of them and no others, ascending.
  std::vector<std::uint32_t> vertices;
  // For dimension 2: the same once around.
  std::vector<std::uint32_t> ring;
  // For dimension 3: the triangles between them.
  Surface surface;
};

// Returns the hull, which is invalid once the pacer has stopped. Requires: at least one point, all
// on the predicate grid.
Hull BuildHull(absl::Span<const Vec3d> points, Pacer* pacer = nullptr);

// A pair of vertices that an edge of the hull joins.
struct HullEdge {
  std::uint32_t from;
  std::uint32_t to;

  friend bool operator==(const HullEdge&, const HullEdge&) = default;
  friend bool operator<(const HullEdge& a, const HullEdge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  }
};

// Returns the edges of a flat or straight hull, each in both directions, ascending.
std::vector<HullEdge> FlatEdgesOf(const Hull& hull);

}  // namespace clearance

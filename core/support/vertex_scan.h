// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of a few vertices: all heights, in vector instructions where there are eight
// vertices or more. The same vertex with vectors of any width.

#pragma once

#include <cstdint>

#include "core/math/vec3.h"
#include "core/shape/climb_graph.h"

namespace clearance {

// Coordinates of `size` vertices, structure of arrays.
struct VertexColumns {
  const double* x;
  const double* y;
  const double* z;
  std::uint32_t size;
};

struct ScannedVertex {
  VertexIndex vertex = 0;
  double height = 0;
};

// The first of the highest vertices along d by heights as they are computed,
// (d.x x + d.y y) + d.z z. Requires: at least one vertex, finite numbers.
ScannedVertex HighestOfAll(const VertexColumns& vertices, const Vec3d& d);

// How many vertices are lower along d than `floor`, by the same heights.
std::uint32_t CountBelow(const VertexColumns& vertices, const Vec3d& d, double floor);

}  // namespace clearance

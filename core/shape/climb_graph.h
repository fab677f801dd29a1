// SPDX-License-Identifier: Apache-2.0
//
// The data along which a support is climbed: the edges of a hull, bounds that spare looking through
// long rows of them, and coarser hulls of some of the vertices to begin on. Plain data, filled in
// by climb_graph_builder.h and held by a ConvexShape; all coordinates are normalised.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/math/tolerance.h"
#include "core/math/vec3.h"

namespace clearance {

// Index of a vertex inside a ConvexShape: 0 <= index < vertex_count().
using VertexIndex = std::uint32_t;

// Neighbours of each vertex along hull edges in compressed rows (CSR). Those of vertex i are
// neighbors[offsets[i]] .. neighbors[offsets[i + 1]], once around the vertex, the least index
// first. Empty if there is nothing to climb.
struct Adjacency {
  std::vector<std::uint32_t> offsets;
  std::vector<VertexIndex> neighbors;
};

// Rows longer than this have bounds. An apex of a cone or a corner of a fan may have all other
// vertices in its row; on most hulls no row is that long.
inline constexpr std::uint32_t kLongRow = 24;

// A run of entries of a row, both ends included, and the number of its bound. The whole row has
// number 1; it is halved down to leaves.
struct RowPart {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t number = 1;

  bool IsLeaf() const { return last - first < 8; }
  RowPart FirstHalf() const { return {first, (first + last) / 2, 2 * number}; }
  RowPart SecondHalf() const { return {(first + last) / 2 + 1, last, 2 * number + 1}; }
};

// The bounds of one long row, a strip tree (D. H. Ballard, "Strip trees: a hierarchical
// representation for curves", 1981): every vertex of part k lies within sag[k] (rounded up) of the
// segment from the part's first to its last vertex. The neighbours go once around, so that the sag
// of a part shrinks with the square of its length.
struct LongRow {
  VertexIndex vertex;
  std::vector<double> sag;
};

// The hull of some of the vertices, which have separate places: 0 to count - 1.
struct ClimbLayer {
  std::vector<double> x, y, z;
  Adjacency adjacency;             // of places
  std::vector<LongRow> long_rows;  // by ascending place
  std::vector<VertexIndex> below;  // the places of the same vertices in the next finer layer
};

// A vertex to begin on for each cell of a cube of directions: one at or near the top of the cell's
// middle direction.
struct CubeMap {
  std::uint32_t resolution = 0;     // cells along an edge of the cube
  std::vector<VertexIndex> vertex;  // by cell, see CellOf

  // Returns the cell of a finite direction, rounded; the first if its length is extreme
  // (kMinCellDirection). Without branches: directions are hard to predict.
  std::uint32_t CellOf(const Vec3d& d) const {
    const double x = std::fabs(d.x), y = std::fabs(d.y), z = std::fabs(d.z);
    const bool is_x = (x >= y) & (x >= z);
    const std::uint32_t axis = is_x ? 0U : 2U - static_cast<std::uint32_t>(y >= z);
    const std::array<double, 5> turned = {d.x, d.y, d.z, d.x, d.y};
    const double main = turned[axis];
    const double size = std::fabs(main);
    if (!(size > kMinCellDirection && size < kMaxCellDirection)) return 0;
    const double scale = resolution / 2.0 / size;
    const auto index = [&](double value) {
      return std::min(resolution - 1, static_cast<std::uint32_t>((value + size) * scale));
    };
    const std::uint32_t face = 2 * axis + static_cast<std::uint32_t>(main < 0);
    return (face * resolution + index(turned[axis + 1])) * resolution + index(turned[axis + 2]);
  }
};

// The graphs of all vertices, and of ever fewer: layers[0] is the next coarser one. Its `below`
// holds indices of the shape.
struct ClimbGraph {
  Adjacency adjacency;
  std::vector<LongRow> long_rows;  // by ascending vertex
  std::vector<ClimbLayer> layers;
  CubeMap cube_map;
};

}  // namespace clearance

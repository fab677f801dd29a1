// SPDX-License-Identifier: Apache-2.0
//
// The vertices of a large hull that can be its highest, by the cell of the cube map that the
// direction points into. A round hull of up to ten thousand vertices has seven or eight in a cell.
//
// Why none is missing. Over all directions d of a cell and each length of 1 (greatest component),
// call K the vertices that are within e of the highest along some d, e > 0. The vertices within e
// of the highest along one d are connected by edges (support_search.h says why). Those along two
// that are near to each other have a vertex in common; so K is connected. A vertex of K is along
// some d not lower than any neighbour by more than e. Its height above a neighbour is linear in d,
// so the height is greatest at a corner of the cell. A flood from one vertex of K over all that
// pass this test of each neighbour therefore meets all of K, and perhaps others.
//
// With e = kCellTolerance, which is hundreds of times the rounding error of heights, K has the
// vertex that a scan of all computed heights finds, also in double-double. For hulls that have scan
// blocks e is kFloatCellTolerance, and K also has the vertex of a scan in single precision.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/shape/climb_graph.h"

namespace clearance {

// Cells of more vertices than this have no candidates: along the axis of a disc all of its rim is
// highest.
inline constexpr std::uint32_t kMaxInCell = 48;

struct SupportCells {
  std::vector<std::uint32_t> offsets;   // by cell, and one more; empty: there are no cells
  std::vector<VertexIndex> candidates;  // of each cell ascending

  // Returns none if the cell does not know.
  absl::Span<const VertexIndex> Of(std::uint32_t cell) const {
    return absl::MakeConstSpan(candidates)
        .subspan(offsets[cell], offsets[cell + 1] - offsets[cell]);
  }
};

// Normalised vertices of a certified hull, whose graph this is.
SupportCells MakeSupportCells(const ClimbGraph& graph, absl::Span<const Vec3d> vertices);

}  // namespace clearance

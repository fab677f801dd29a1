// SPDX-License-Identifier: Apache-2.0

#include "core/support/support.h"

#include "core/math/tolerance.h"
#include "core/support/cell_support.h"
#include "core/support/support_search.h"
#include "core/support/vertex_scan.h"

namespace clearance {

VertexIndex SupportVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  const absl::Span<const VertexIndex> candidates = CellCandidates(shape, d);
  if (!candidates.empty()) return HighestOf(candidates, shape, d);
  if (shape.vertex_count() <= kMaxScanned || !shape.has_adjacency())
    return HighestOfAll({shape.x(), shape.y(), shape.z(), shape.vertex_count()}, d).vertex;
  NoCount count;
  return SupportVertexBy({SupportRoad::kBest, start}, shape, d, &count);
}

VertexIndex SupportVertex(const ConvexShape& shape, const Vec3<DoubleDouble>& d,
                          VertexIndex start) {
  NoCount count;
  return SupportVertexBy({SupportRoad::kBest, start}, shape, d, &count);
}

}  // namespace clearance

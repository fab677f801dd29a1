// SPDX-License-Identifier: Apache-2.0

#include "core/support/support.h"

#include <cstdint>

#include "core/math/tolerance.h"
#include "core/support/cell_support.h"
#include "core/support/support_search.h"
#include "core/support/vertex_scan.h"

namespace clearance {
namespace {

struct NoCount {
  void Add(std::uint64_t /*count*/) {}
};

template <class T>
VertexIndex Search(const ConvexShape& shape, const Vec3<T>& d, VertexIndex start) {
  NoCount count;
  return support_search::Search<T, NoCount>(shape, d, &count).Find(start);
}

}  // namespace

VertexIndex SupportVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  const absl::Span<const VertexIndex> candidates = CellCandidates(shape, d);
  if (!candidates.empty()) return HighestOf(candidates, shape, d);
  if (shape.vertex_count() <= kMaxScanned || !shape.has_adjacency())
    return HighestOfAll({shape.x(), shape.y(), shape.z(), shape.vertex_count()}, d).vertex;
  return Search(shape, d, start);
}

VertexIndex SupportVertex(const ConvexShape& shape, const Vec3<DoubleDouble>& d,
                          VertexIndex start) {
  return Search(shape, d, start);
}

}  // namespace clearance

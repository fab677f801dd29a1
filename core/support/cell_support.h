// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of a large hull by the cell that the direction points into (support_cells.h).

#pragma once

#include "absl/types/span.h"
#include "core/math/assert.h"
#include "core/math/double_double.h"
#include "core/math/tolerance.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// The vertices among which a scan of all would find its highest along `d`, ascending. None where
// that is not known: in cells of many, and where heights might underflow or overflow.
inline absl::Span<const VertexIndex> CellCandidates(const ConvexShape& shape, const Vec3d& d) {
  const SupportCells& cells = shape.support_cells();
  if (cells.offsets.empty()) return {};
  const double size = LargestCoordinate(d);
  if (!(size > kMinCellDirection && size < kMaxCellDirection)) return {};
  return cells.Of(shape.climb_graph().cube_map.CellOf(d));
}

// The first of the highest candidates. Requires: one or more.
template <class T>
VertexIndex HighestOf(absl::Span<const VertexIndex> candidates, const ConvexShape& shape,
                      const Vec3<T>& d) {
  CLEARANCE_ASSERT(!candidates.empty());
  VertexIndex best = candidates[0];
  T height = Dot(d, To<T>(shape.vertex(best)));
  for (const VertexIndex candidate : candidates.subspan(1)) {
    const T next = Dot(d, To<T>(shape.vertex(candidate)));
    const bool is_higher = next > height;
    best = is_higher ? candidate : best;
    height = is_higher ? next : height;
  }
  return best;
}

}  // namespace clearance

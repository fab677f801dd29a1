// SPDX-License-Identifier: Apache-2.0

#include "core/support/support.h"

#include "core/support/support_search.h"

namespace clearance {

VertexIndex HighestVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  NoCount count;
  return HighestVertexBy({SupportRoad::kBest, start}, shape, d, &count);
}

VertexIndex HighestVertex(const ConvexShape& shape, const Vec3<DoubleDouble>& d,
                          VertexIndex start) {
  NoCount count;
  return HighestVertexBy({SupportRoad::kBest, start}, shape, d, &count);
}

}  // namespace clearance

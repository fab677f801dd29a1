// SPDX-License-Identifier: Apache-2.0
//
// The support of a shape by different roads, with a count of the dot products that they take. All
// end at the same vertex.

#pragma once

#include <cstdint>

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/support/support_search.h"

namespace clearance::testing {

enum class SupportRoad {
  kScan,       // of all vertices
  kClimb,      // from the start, however far
  kCubeMap,    // from the cube map's vertex, however far
  kHierarchy,  // from where the hierarchy ends
  kBest,       // what SupportVertex takes if it does not scan
};

// How often a search looks at a vertex: one dot product each.
struct DotCount {
  std::uint64_t dots = 0;
  void Add(std::uint64_t count) { dots += count; }
};

struct SupportWay {
  SupportRoad road = SupportRoad::kBest;
  VertexIndex start = 0;
};

// SupportVertex of support.h on a given way. T is double or DoubleDouble.
template <class T>
VertexIndex SupportVertexBy(const SupportWay& way, const ConvexShape& shape, const Vec3<T>& d,
                            DotCount* count) {
  using support_search::kAnySteps;
  const support_search::Search<T, DotCount> search(shape, d, count);
  const auto& slope = search.slope();
  const bool is_scan = way.road == SupportRoad::kScan || !shape.has_adjacency();
  if (is_scan) return search.Scan();
  switch (way.road) {
    case SupportRoad::kClimb:
      return search.Finish(slope.Climb(slope.At(way.start), kAnySteps));
    case SupportRoad::kCubeMap:
      return search.Finish(slope.Climb(slope.At(search.CubeStart()), kAnySteps));
    case SupportRoad::kHierarchy: {
      const bool has_layers = !shape.climb_graph().layers.empty();
      return search.Finish(slope.Climb(has_layers ? search.Descend() : slope.At(0), kAnySteps));
    }
    case SupportRoad::kScan:
    case SupportRoad::kBest:
      break;
  }
  return search.Find(way.start);
}

}  // namespace clearance::testing

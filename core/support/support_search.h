// SPDX-License-Identifier: Apache-2.0
//
// The roads to a support, one by one, with a count of the dot products that they take: for
// support.h, and for tests and benchmarks, which compare them. All end at the same vertex.
//
// The hierarchy. layers[k] of the shape's climb graph is the hull of one in eight vertices of the
// layer below it, chosen by a hash of their indices. The coarsest, of at most 32 vertices, is
// scanned; its highest vertex is where the next finer one is climbed from, and so on down. Ericson
// would call the edges of the coarser hulls artificial neighbours: links over long distances that a
// climb may take to come near the top quickly.
//     Of n vertices in the order of their heights, the first that was chosen has on average seven
// before it, whatever the shape and the direction; a climb that starts there meets no other than
// those, because it only rises. So each layer costs a few steps, and there are log_8(n) layers:
// rings, needles and clusters take as few steps as spheres. A step looks at the neighbours of one
// vertex: six on average, and where there are many (an apex) the bounds of climb_graph.h leave
// O(log) of them to be looked at.

#pragma once

#include <cstdint>

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

enum class SupportRoad {
  kScan,       // of all vertices
  kClimb,      // from the start, however far
  kCubeMap,    // from the cube map's vertex, however far
  kHierarchy,  // from where the hierarchy ends
  kBest,       // the candidates of the direction's cell; where it has none a few steps from the
               // higher of the start and the cube map's vertex, then the hierarchy: what
               // SupportVertex takes where it does not scan
};

// How often a search looks at a vertex: one dot product each.
struct DotCount {
  std::uint64_t dots = 0;
  void Add(std::uint64_t count) { dots += count; }
};
struct NoCount {
  void Add(std::uint64_t /*count*/) {}
};

struct SupportWay {
  SupportRoad road = SupportRoad::kBest;
  VertexIndex start = 0;
};

// SupportVertex of support.h on a given way. T is double or DoubleDouble, Count one of the above.
template <class T, class Count>
VertexIndex SupportVertexBy(const SupportWay& way, const ConvexShape& shape, const Vec3<T>& d,
                            Count* count);

}  // namespace clearance

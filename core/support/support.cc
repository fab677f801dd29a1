// SPDX-License-Identifier: Apache-2.0

#include "core/support/support.h"

#include <cmath>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

double Height(const ConvexShape& shape, const Vec3d& d, VertexIndex i) {
  return d.x * shape.x()[i] + d.y * shape.y()[i] + d.z * shape.z()[i];
}

VertexIndex Scan(const ConvexShape& shape, const Vec3d& d) {
  VertexIndex best = 0;
  double best_height = Height(shape, d, 0);
  for (VertexIndex i = 1; i < shape.vertex_count(); ++i) {
    const double height = Height(shape, d, i);
    if (height > best_height) {
      best_height = height;
      best = i;
    }
  }
  return best;
}

struct Summit {
  VertexIndex vertex;
  double lead;  // over the highest neighbour
};

// Steepest ascent: every step strictly raises the height, so it ends.
Summit Climb(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  const Adjacency& adjacency = shape.adjacency();
  VertexIndex here = start;
  double height = Height(shape, d, here);
  for (;;) {
    double best_height = -HUGE_VAL;
    VertexIndex best = here;
    for (std::uint32_t k = adjacency.offsets[here]; k < adjacency.offsets[here + 1]; ++k) {
      const double candidate = Height(shape, d, adjacency.neighbors[k]);
      if (candidate > best_height) {
        best_height = candidate;
        best = adjacency.neighbors[k];
      }
    }
    if (best_height <= height) return {here, height - best_height};
    here = best;
    height = best_height;
  }
}

}  // namespace

VertexIndex HighestVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  if (!shape.is_certified_convex() || !shape.has_adjacency()) return Scan(shape, d);
  const Summit summit = Climb(shape, d, start);
  const double rounding =
      kSupportDeficit * kRoundoff * std::sqrt(NormSquared(d)) * shape.core_radius();
  return summit.lead > rounding ? summit.vertex : Scan(shape, d);
}

VertexIndex HighestVertex(const ConvexShape& shape, const Vec3<DoubleDouble>& d,
                          VertexIndex /*start*/) {
  const Vec3d coarse = ToDouble(d);
  const double top = Height(shape, coarse, Scan(shape, coarse));
  const double rounding =
      2 * kSupportDeficit * kRoundoff * std::sqrt(NormSquared(coarse)) * shape.core_radius();
  VertexIndex best = shape.vertex_count();
  DoubleDouble best_height = 0.0;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    if (Height(shape, coarse, i) < top - rounding) continue;
    const DoubleDouble height = Dot(d, To<DoubleDouble>(shape.vertex(i)));
    if (best == shape.vertex_count() || height > best_height) {
      best_height = height;
      best = i;
    }
  }
  return best;
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of support.h accurate to single precision, for searches whose end is proved
// by other means. For boxes it takes three signs. For hulls of up to some hundred vertices it takes
// a scan of floats, of all or of those that a cell of directions leaves.

#pragma once

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// Returns a vertex than which none is higher along `d` by more than 2^-20 |d| core_radius. The same
// vertex on every processor. Otherwise as SupportVertex. Requires: a polytope.
VertexIndex RoughSupportVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start);

// The same for two shapes in one call.
struct RoughSupportQuery {
  const ConvexShape& shape;
  Vec3d d;
  VertexIndex start;
};
struct RoughVertices {
  VertexIndex a;
  VertexIndex b;
};
RoughVertices RoughSupportVertices(const RoughSupportQuery& a, const RoughSupportQuery& b);

}  // namespace clearance

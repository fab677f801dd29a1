// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of support.h good to single precision, for searches whose end is proved by
// other means: of boxes by three signs, of hulls of up to some hundred vertices by a scan of floats
// or of those among them that a cell of directions leaves.

#ifndef CLEARANCE_CORE_SUPPORT_ROUGH_SUPPORT_H_
#define CLEARANCE_CORE_SUPPORT_ROUGH_SUPPORT_H_

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// No vertex is higher along `d` than the answer by more than 2^-20 |d| core_radius. The same vertex
// on every processor. Otherwise as HighestVertex. Requires: a polytope.
VertexIndex RoughlyHighestVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start);

// The same of two shapes in one go.
struct RoughSupport {
  const ConvexShape& shape;
  Vec3d d;
  VertexIndex start;
};
struct RoughVertices {
  VertexIndex a;
  VertexIndex b;
};
RoughVertices RoughlyHighestVertices(const RoughSupport& a, const RoughSupport& b);

}  // namespace clearance

#endif  // CLEARANCE_CORE_SUPPORT_ROUGH_SUPPORT_H_

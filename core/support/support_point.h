// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of any core: a vertex where it has some, a computed point where it is curved.

#pragma once

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/support/curved_support.h"
#include "core/support/support.h"

namespace clearance {

// Normalised coordinates; `vertex` is 0 of a curved core.
template <class T>
struct SupportPointOf {
  Vec3<T> point;
  VertexIndex vertex = 0;
};

// Deficits as SupportVertex and CurvedSupportPoint have them. `start` is any vertex (0 of a curved
// core).
template <class T>
SupportPointOf<T> SupportPoint(const ConvexShape& shape, const Vec3<T>& d, VertexIndex start) {
  if (shape.is_curved()) return {CurvedSupportPoint(shape, d), 0};
  const VertexIndex vertex = SupportVertex(shape, d, start);
  return {To<T>(shape.vertex(vertex)), vertex};
}

}  // namespace clearance

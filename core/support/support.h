// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of a shape's vertices: which of them is highest in a direction. Small shapes
// are scanned; large ones are climbed along their adjacency from a start vertex, and the summit is
// certified: on a surface proved convex a vertex that beats all its neighbours by more than
// rounding is the highest of all. Where that cannot be said (a direction along a face or an edge, a
// surface not proved convex) every vertex is scanned.
//
// After C. Ericson, "The Gilbert-Johnson-Keerthi algorithm", 2005 (hill climbing), with the
// certificate added.

#ifndef CLEARANCE_CORE_SUPPORT_SUPPORT_H_
#define CLEARANCE_CORE_SUPPORT_SUPPORT_H_

#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// No vertex of the shape is higher along `d` than the answer by more than kSupportDeficit * u * |d|
// * core_radius. `start` may be any vertex: the nearer to the answer the faster. Normalised
// coordinates.
VertexIndex HighestVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start);
inline constexpr double kSupportDeficit = 8;

// The same in double-double, deficit 2^-100 * |d| * core_radius; always scans.
VertexIndex HighestVertex(const ConvexShape& shape, const Vec3<DoubleDouble>& d, VertexIndex start);

}  // namespace clearance

#endif  // CLEARANCE_CORE_SUPPORT_SUPPORT_H_

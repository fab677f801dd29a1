// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of a shape's vertices: which of them is highest in a direction. Shapes of up
// to 128 vertices are scanned; of larger ones those that can be highest in the direction's cell
// (support_cells.h). If these are too many, shapes of up to 300 vertices are scanned, and on larger
// shapes the edges of the hull are climbed and the summit is certified. On each path the result is
// the vertex that a scan of all would name, the first of those whose computed height is the
// highest. So the answer depends on the direction alone, never on the start.
//
// After C. Ericson, "The Gilbert-Johnson-Keerthi algorithm", 2005 (hill climbing, hierarchies and
// artificial neighbours), with the certificate added. support_search.h says how.

#pragma once

#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// Returns a vertex than which none of the shape is higher along `d` by more than kSupportDeficit *
// u * |d| * core_radius. `start` may be any vertex: a hint that saves time if it is near the
// answer. Normalised coordinates. Requires: d finite.
VertexIndex SupportVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start);
inline constexpr double kSupportDeficit = 8;

// The same in double-double, deficit 2^-100 * |d| * core_radius.
VertexIndex SupportVertex(const ConvexShape& shape, const Vec3<DoubleDouble>& d, VertexIndex start);

}  // namespace clearance

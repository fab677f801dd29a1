// SPDX-License-Identifier: Apache-2.0
//
// The nearest point of a simplex by the Voronoi regions of its features. The origin lies in the
// region of a vertex if it is behind it along every edge that leaves it. It lies in the region of
// an edge if its projection falls on the edge and it is outside across both faces, and so on. For a
// triangle, six products
//     d1 = ab . ao, d2 = ac . ao, d3 = ab . bo, d4 = ac . bo, d5 = ab . co, d6 = ac . co
// serve all seven regions: the vertex tests are their signs, and the edge tests va = d3 d6 - d5 d4
// (and vb, vc alike) are the weights of the face region as well.
//
// After C. Ericson, "The Gilbert-Johnson-Keerthi algorithm", 2005, and "Real-Time Collision
// Detection", 2005, 5.1.5 and 5.1.6. Two departures, both for degenerate input:
//   - The printed test of a face of a tetrahedron, (p . n)(d . n) < 0 with d the fourth vertex, is
//     never true of a flat tetrahedron, because d . n = 0: the origin would count as inside, and
//     the distance as 0. Here a face is tried unless both signs are certain and equal.
//   - For a triangle without area the edge tests divide 0 by 0; its nearest edge is taken instead.

#pragma once

#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

NearestPoint NearestByVoronoi(const PointSimplex& simplex);

// As printed: true if the origin and d are strictly on different sides of the plane of a, b, c.
bool IsOutsideFaceAsPrinted(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

}  // namespace clearance::reference

// SPDX-License-Identifier: Apache-2.0
//
// The nearest point of a simplex by signed volumes. The barycentric coordinates of the origin (or
// of its projection p onto the simplex's plane or line) are ratios of signed volumes (areas,
// lengths); where all have the sign of the whole, the point lies inside. Otherwise the nearest
// point lies on one of the facets whose sign differs, and the search goes on there, one dimension
// lower. Areas and lengths are measured on the coordinate plane or axis on which the simplex casts
// its largest shadow: ratios stay the same, and nothing is divided by a small number.
//
// M. Montanari, N. Petrinic and E. Barbieri, "Improving the GJK algorithm for faster and more
// reliable distance queries between convex objects", ACM Transactions on Graphics 36, 2017.
// Written from the paper's equations. A simplex without volume has the whole 0, no sign agrees with
// it, and all its facets are searched.

#pragma once

#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

NearestPoint NearestBySignedVolumes(const PointSimplex& simplex);

}  // namespace clearance::reference

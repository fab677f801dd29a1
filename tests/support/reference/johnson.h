// SPDX-License-Identifier: Apache-2.0
//
// Johnson's distance subalgorithm: the 15 subsets of up to four points, one of which carries the
// nearest point with positive weights.
//
// For a subset X, let D_i(X) be the cofactors of the least-squares problem of its affine hull, so
// that the nearest point of that hull is sum D_i(X) y_i / sum D_i(X). They follow from those of
// smaller subsets: D_i({i}) = 1, and for j outside X, with any k in X,
//     D_j(X + j) = sum over i in X of D_i(X) y_i . (y_k - y_j).
// X carries the nearest point of the whole simplex if D_i(X) > 0 for all i in X and D_j(X + j) <= 0
// for all j outside. The former puts the point into X. The latter says that y_j lies behind it,
// because D_j(X + j) = (sum of D_i(X)) (v . v - v . y_j). A dependent subset has the sum 0, so it
// never qualifies, and Caratheodory's theorem promises an independent one that does.
//
// E. G. Gilbert, D. W. Johnson and S. S. Keerthi, "A fast procedure for computing the distance
// between complex objects", 1988; told as in C. Ericson, "The Gilbert-Johnson-Keerthi algorithm",
// 2005. If rounding leaves no subset (their backup procedure), the nearest of all subsets with
// positive cofactors is taken. Cofactors have degree 6 in the coordinates: exact on small integers,
// poor on slivers.

#pragma once

#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

NearestPoint NearestByJohnson(const PointSimplex& simplex);

}  // namespace clearance::reference

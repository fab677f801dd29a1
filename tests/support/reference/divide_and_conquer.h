// SPDX-License-Identifier: Apache-2.0
//
// A GJK whose sub-distance is solved by divide and conquer. It gives the distance, both closest
// points and both simplices: the vertices of A and of B that carry them.
//
// Sub-distance: with y_0 one of the points and the others as edges E = (y_i - y_0), the nearest
// point of the affine hull is y_0 + E t with H t = g, H = E^T E, g = -E^T y_0 (least squares). If
// all t_i >= 0 and sum t_i <= 1 it lies in the simplex. Otherwise it lies on the boundary: the
// problem is divided into the simplices with one point less, and the nearest of their answers
// taken. If H has not full rank, some facet holds the nearest point as well (Caratheodory), so the
// same division is the answer. H t = g is solved by Cramer's rule, exact on small integers.
//
// Loop: let d = -v be the direction of search and reach(X) the largest d . x of a set X. It stops
// as soon as reach(simplex) >= reach(A - B), the simplex being as far along d as any other point.
// From the simplex with the new vertex it keeps the part that carries the closest point. Keeping
// any part that contains the new vertex, as is sometimes written, need not converge.

#pragma once

#include <vector>

#include "tests/support/reference/difference_sets.h"
#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

NearestPoint NearestByLeastSquares(const PointSimplex& simplex);

// lower <= distance <= upper to rounding; upper = |p_a - p_b|.
struct ClosestPair {
  double lower = 0;
  double upper = 0;
  Vec3d p_a;
  Vec3d p_b;
  std::vector<int> simplex_a;  // vertices of A, in pairs with those of B: p_a = sum weight * vertex
  std::vector<int> simplex_b;
  std::vector<double> weights;
  bool hit_iteration_limit = false;
};

ClosestPair ClosestByDivideAndConquer(const DifferenceSets& sets);

}  // namespace clearance::reference

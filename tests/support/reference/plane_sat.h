// SPDX-License-Identifier: Apache-2.0
//
// Separating axes in the plane: two convex polygons are disjoint if and only if an edge of one of
// them separates them. If they overlap, the edge that separates them least badly gives the depth:
// the edges of A - B are those of A and of -B.
//
// S. Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996, cut to the plane. The sign of the best
// separation is exact on integers; touching is its 0.

#pragma once

#include "tests/support/reference/polygon.h"

namespace clearance::reference {

// `separation` is the largest gap along a unit edge normal: of overlapping polygons minus the
// depth, of separated ones a lower bound of the distance. n_AB is that normal, from A to B.
struct SatResult {
  Contact contact = Contact::kSeparated;
  double separation = 0;
  Vec2 n_AB;
};

SatResult CompareBySeparatingAxes(const Polygon& a, const Polygon& b);

}  // namespace clearance::reference

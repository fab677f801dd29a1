// SPDX-License-Identifier: Apache-2.0
//
// GJK in the plane, boolean, by regions and triple products: from the newest vertex A of the
// simplex the next direction of search is perpendicular to the edge whose outside the origin is on,
//     (AB x AO) x AB    for a line,      (AC x AB) x AB   for the edge AB of the triangle ABC
// and the triangle that no edge has the origin outside of holds it. Which vertex is dropped does
// not depend on the winding, because the triple products turn with it.
//
// As on students' pages (W. Bittle, "GJK (Gilbert-Johnson-Keerthi)", dyn4j.org, 2010), with the
// usual omissions added. If the origin is on the line AB, the triple product is 0, and the line
// holds it, because A is beyond the origin as seen from B. Touching is sharing a point. The
// iterations are limited.

#pragma once

#include <vector>

#include "tests/support/reference/polygon.h"

namespace clearance::reference {

// w = a - b, vertices of A and B.
struct PlanePoint {
  Vec2 w;
  Vec2 a;
  Vec2 b;
};

// The highest point of A - B along d.
PlanePoint Support(const Polygon& a, const Polygon& b, const Vec2& d);

// b (a . c) - a (b . c): (a x b) x c in the plane.
Vec2 TripleProduct(const Vec2& a, const Vec2& b, const Vec2& c);

struct PlaneGjkResult {
  bool share_a_point = false;
  bool hit_iteration_limit = false;
  std::vector<PlanePoint> simplex;  // of one to three points, which holds the origin if they do
};

PlaneGjkResult SharePointInPlane(const Polygon& a, const Polygon& b);

}  // namespace clearance::reference

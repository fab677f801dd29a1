// SPDX-License-Identifier: Apache-2.0
//
// The expanding polytope algorithm in the plane: from a triangle of A - B around the origin, the
// edge nearest to the origin is pushed out to the support along its normal until that is no farther
// out than the edge. Then the edge is one of A - B, its distance is the depth, and the point of it
// nearest to the origin, carried back to A and B by its weights, gives the points of contact.
//
// G. van den Bergen, "Proximity queries and penetration depth computation on 3D game objects",
// 2001, cut to the plane. Simplices of one or two points (the origin on a vertex or an edge) are
// completed to a triangle first; where there is nothing on one side of them, the bodies only touch.

#pragma once

#include "tests/support/reference/plane_gjk.h"

namespace clearance::reference {

// B moved by depth * n_AB only touches A; p_A - p_B = depth * n_AB.
struct PlaneDepth {
  double depth = 0;
  Vec2 n_AB;
  Vec2 p_A;
  Vec2 p_B;
  bool hit_iteration_limit = false;
};

// Requires: `simplex` holds the origin (SharePointInPlane).
PlaneDepth DepthByExpansion(const Polygon& a, const Polygon& b,
                            const std::vector<PlanePoint>& simplex);

}  // namespace clearance::reference

// SPDX-License-Identifier: Apache-2.0
//
// The depth of two overlapping polytopes by separating axes, in plain double: a facet of A - B has
// the normal of a face of A, of a face of B, or is orthogonal to an edge of each. Faces and edges
// are found by brute force from the points. An oracle between the exact one, which takes two dozen
// vertices, and none: for hulls of up to about sixty, to some 1e-13 of their size.
//
// After D. Gregorius, "The separating axis test between convex polyhedra", 2013, without its
// pruning.

#pragma once

#include "core/math/vec3.h"
#include "tests/support/exact_pair.h"

namespace clearance::testing {

// Moving B by depth * n_AB (unit, from A to B) separates the cores; metres.
struct AxisDepth {
  double depth = 0;
  Vec3d n_AB;
  int axes = 0;  // tried
};

// Requires: the interiors of the cores overlap.
AxisDepth ComputeDepthByAxes(const ExactPair& pair);

}  // namespace clearance::testing

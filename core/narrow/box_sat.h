// SPDX-License-Identifier: Apache-2.0
//
// The penetration depth of two overlapping boxes, by the fifteen axes that can part them: the
// normals of their faces and the cross products of their edges (S. Gottschalk, M. C. Lin and D.
// Manocha, "OBBTree", 1996). Every plane of A - B has one of these normals, so the nearest of their
// planes is the depth, and no polytope needs to grow.

#pragma once

#include "absl/types/span.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/penetration.h"

namespace clearance {

// True if both are boxes about their own centres and along their own axes.
inline bool AreBoxes(const ShapePair& pair) {
  return pair.a.box_corners().is_box && pair.b.box_corners().is_box;
}

// One pair to be looked at. Borrows both. Requires: AreBoxes; no sweep.
struct BoxTask {
  const MinkowskiDifference<double>* difference = nullptr;
  Penetration* depth = nullptr;
};

// Sets the depths of pairs with one plane that is nearer than all others by far more than rounding.
// Its contact must be one of a corner and a face or of two edges that are far from parallel: boxes
// that are aligned have too many planes alike. Each depth has the same bits whatever the other
// pairs are.
void FindBoxPenetrations(absl::Span<const BoxTask> tasks);

// The same for one pair. Returns whether the depth was set.
inline bool FindBoxPenetration(const MinkowskiDifference<double>& difference, Penetration* depth) {
  const BoxTask task = {&difference, depth};
  depth->is_known = false;
  FindBoxPenetrations({&task, 1});
  return depth->is_known;
}

}  // namespace clearance

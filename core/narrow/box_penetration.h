// SPDX-License-Identifier: Apache-2.0
//
// How deep two overlapping boxes are in each other, by the fifteen axes that can part them: the
// normals of their faces and the cross products of their edges (S. Gottschalk, M. C. Lin and D.
// Manocha, "OBBTree", 1996). Every plane of A - B has one of these normals, so the nearest of their
// planes is the depth, and no polytope has to grow.

#ifndef CLEARANCE_CORE_NARROW_BOX_PENETRATION_H_
#define CLEARANCE_CORE_NARROW_BOX_PENETRATION_H_

#include "core/narrow/difference.h"
#include "core/narrow/penetration.h"

namespace clearance {

// True if both are boxes about their own centres and along their own axes.
inline bool AreBoxes(const ShapePair& pair) {
  return pair.a.box_corners().is_box && pair.b.box_corners().is_box;
}

// False, and nothing set, unless one plane is nearer than all others by far more than rounding, and
// its contact is one of a corner and a face or of two edges that are far from parallel: boxes that
// are aligned have too many planes alike. Requires: AreBoxes; no sweep.
bool FindBoxPenetration(const Difference<double>& difference, Penetration* depth);

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_BOX_PENETRATION_H_

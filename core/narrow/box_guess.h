// SPDX-License-Identifier: Apache-2.0
//
// A guess where two boxes are nearest, for a fraction of a search: a point is put to the nearest of
// either box in turn (Cheney and Goldstein, "Proximity maps for convex sets", 1959), every second
// time on by what all further turns would add if they shrank alike, until both stay on a corner,
// edge or face and, where these have no one nearest point, come no nearer. As with scout.h the
// guess proves nothing, and decides how soon there is an answer, not which.

#ifndef CLEARANCE_CORE_NARROW_BOX_GUESS_H_
#define CLEARANCE_CORE_NARROW_BOX_GUESS_H_

#include "absl/types/span.h"
#include "core/narrow/scout.h"

namespace clearance {

// found[i] is the guess for tasks[i], whatever the other tasks are: kNearest with the corners of
// the features that the points are on, at most three of a face, or kLost where these have no one
// nearest point, no two rounds agree, or the boxes seem to overlap or to be beyond stop_above.
// Requires: equal lengths; AreBoxes of every pair; no sweep.
void GuessBoxFeatures(absl::Span<const ScoutTask> tasks, absl::Span<Scouted> found);

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_BOX_GUESS_H_

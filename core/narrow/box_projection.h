// SPDX-License-Identifier: Apache-2.0
//
// A guess of the nearest points of two boxes, for a fraction of a search. A point is moved to the
// nearest point of either box alternately (Cheney and Goldstein, "Proximity maps for convex sets",
// 1959). Every second time it goes on by as much as all further steps would add if they shrank
// alike. This ends when both points stay on a corner, edge or face and, if these have no one
// nearest point, come no nearer. As with gjk_batch.h the guess proves nothing: it affects speed and
// never the answer.

#pragma once

#include "absl/types/span.h"
#include "core/narrow/gjk_batch.h"

namespace clearance {

// Guesses the nearest features: found[i] is the guess for tasks[i], whatever the other tasks are.
// It is kNearest with the corners of the features that the points are on, at most three of a face.
// It is kLost if these have no one nearest point, no two rounds agree, or the boxes seem to overlap
// or to be beyond stop_above. Requires: equal lengths; AreBoxes of every pair; no sweep.
void ProjectBoxes(absl::Span<const GuessTask> tasks, absl::Span<FeatureGuess> found);

}  // namespace clearance

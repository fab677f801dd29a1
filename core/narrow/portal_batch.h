// SPDX-License-Identifier: Apache-2.0
//
// The portals of many pairs, side by side in vector instructions: what SearchPortal (portal.h)
// finds for each, by the same operations, so with the same bits on any vector unit.

#pragma once

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/portal.h"

namespace clearance {

// From the origin to `ray_A`. Borrows the difference. Requires: as SearchPortal.
struct PortalTask {
  MinkowskiDifference<double>* difference = nullptr;
  Vec3d ray_A;
};

// casts[i] is that of tasks[i], whatever the other tasks are, with the vertices and weights of a
// facet alone and the direction of a miss alone; each difference makes its next climbs start where
// SearchPortal would have it. Requires: equal lengths.
void SearchPortals(absl::Span<const PortalTask> tasks, absl::Span<PortalResult> casts);

}  // namespace clearance

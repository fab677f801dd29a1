// SPDX-License-Identifier: Apache-2.0
//
// Rays of many pairs, cast side by side in vector instructions: what CastRay (ray_cast.h) finds of
// each, by the very operations that it takes, so with the same bits on any vector unit.

#pragma once

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/ray_cast.h"

namespace clearance {

// From the origin to `ray_A`. Borrows the difference. Requires: as CastRay.
struct RayTask {
  MinkowskiDifference<double>* difference = nullptr;
  Vec3d ray_A;
};

// casts[i] is that of tasks[i], whatever the other tasks are, with the vertices and weights of a
// facet alone and the direction of a miss alone; each difference makes its next climbs start where
// CastRay would have it. Requires: equal lengths.
void CastRays(absl::Span<const RayTask> tasks, absl::Span<RayCast> casts);

}  // namespace clearance

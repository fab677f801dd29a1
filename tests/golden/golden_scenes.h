// SPDX-License-Identifier: Apache-2.0
//
// Questions about whole scenes, and poses between two, whose answers must have the same bits
// everywhere; made as those of golden_cases.h.

#pragma once

#include <cstdint>
#include <vector>

#include "core/shape/convex_shape.h"

namespace clearance::golden {

// The digest of the answers to some thousand checks, minimum distances, sweeps and rays, and of
// poses that are interpolated. Any thread.
std::uint64_t SceneDigest(const std::vector<ConvexShapePtr>& pool);

}  // namespace clearance::golden

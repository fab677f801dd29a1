// SPDX-License-Identifier: Apache-2.0
//
// Copies of vertices in single precision and in the order in which vector instructions scan them:
// half the bytes, and the coordinates of a block's vertices side by side. Good for guesses;
// reported values are computed from the vertices in double precision.

#pragma once

#include <cstddef>
#include <vector>

#include "core/math/vec3.h"

namespace clearance {

// Block k holds the vertices kSize k .. kSize k + kSize - 1. The rest of the last block repeats the
// last vertex.
struct alignas(64) ScanBlock {
  static constexpr std::size_t kSize = 16;
  // Larger hulls have no blocks: their cells leave few vertices, or climbing them is faster.
  static constexpr std::size_t kMaxVertices = 512;

  float x[kSize], y[kSize], z[kSize];

  Vec3d vertex(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

// Requires: three vectors of equal length, coordinates that are floats except for rounding.
std::vector<ScanBlock> MakeScanBlocks(const std::vector<double>& x, const std::vector<double>& y,
                                      const std::vector<double>& z);

}  // namespace clearance

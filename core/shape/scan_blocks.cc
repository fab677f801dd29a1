// SPDX-License-Identifier: Apache-2.0

#include "core/shape/scan_blocks.h"

#include <algorithm>

namespace clearance {

std::vector<ScanBlock> MakeScanBlocks(const std::vector<double>& x, const std::vector<double>& y,
                                      const std::vector<double>& z) {
  if (x.empty() || x.size() > ScanBlock::kMaxVertices) return {};
  std::vector<ScanBlock> blocks((x.size() + ScanBlock::kSize - 1) / ScanBlock::kSize);
  for (std::size_t i = 0; i < blocks.size() * ScanBlock::kSize; ++i) {
    const std::size_t vertex = std::min(i, x.size() - 1);
    ScanBlock& block = blocks[i / ScanBlock::kSize];
    block.x[i % ScanBlock::kSize] = static_cast<float>(x[vertex]);
    block.y[i % ScanBlock::kSize] = static_cast<float>(y[vertex]);
    block.z[i % ScanBlock::kSize] = static_cast<float>(z[vertex]);
  }
  return blocks;
}

}  // namespace clearance

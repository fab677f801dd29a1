// SPDX-License-Identifier: Apache-2.0
//
// What lies where, by hand.

#include "core/shape/scan_blocks.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clearance {
namespace {

// Vertex i is (i + 0.25, -i, 1 / (i + 1)).
std::vector<ScanBlock> BlocksOf(std::size_t count) {
  std::vector<double> x, y, z;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<double>(i);
    x.push_back(number + 0.25);
    y.push_back(-number);
    z.push_back(1 / (number + 1));
  }
  return MakeScanBlocks(x, y, z);
}

TEST(ScanBlocks, HoldEveryVertexInItsPlace) {
  const std::vector<ScanBlock> blocks = BlocksOf(35);
  ASSERT_EQ(blocks.size(), 3);
  for (std::size_t i = 0; i < 35; ++i) {
    const ScanBlock& block = blocks[i / 16];
    EXPECT_EQ(block.x[i % 16], static_cast<float>(i) + 0.25F);
    EXPECT_EQ(block.y[i % 16], -static_cast<float>(i));
    EXPECT_EQ(block.z[i % 16], static_cast<float>(1 / (static_cast<double>(i) + 1)));
  }
}

TEST(ScanBlocks, FillUpWithTheLastVertex) {
  const std::vector<ScanBlock> blocks = BlocksOf(17);
  ASSERT_EQ(blocks.size(), 2);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(blocks[1].x[i], 16.25F);
}

TEST(ScanBlocks, LieWhereVectorsAreLoadedAtOnce) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(BlocksOf(5).data()) % alignof(ScanBlock), 0);
}

TEST(ScanBlocks, AreNoneOfNothingAndOfLargeHulls) {
  EXPECT_TRUE(BlocksOf(0).empty());
  EXPECT_EQ(BlocksOf(512).size(), 32);
  EXPECT_TRUE(BlocksOf(513).empty());
}

}  // namespace
}  // namespace clearance

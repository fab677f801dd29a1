// SPDX-License-Identifier: Apache-2.0
//
// The bytes that a shape holds, added up by hand.

#include "core/shape/convex_shape.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace clearance {
namespace {

ConvexShape::Content OnePoint() {
  ConvexShape::Content content;
  content.x = content.y = content.z = {0};
  content.original_index = {0};
  return content;
}

std::size_t ByteSize(ConvexShape::Content content) {
  return ConvexShape(std::move(content)).byte_size();
}

TEST(ConvexShape, OfOnePointHoldsItAndNothingElse) {
  EXPECT_EQ(ByteSize(OnePoint()),
            sizeof(ConvexShape) + 3 * sizeof(double) + sizeof(std::uint32_t) + sizeof(ScanBlock));
}

TEST(ConvexShape, CountsTheBoundsOfLongRows) {
  const std::vector<double> sag(100);
  ConvexShape::Content content = OnePoint();
  content.climb_graph.long_rows = {{0, sag}, {1, sag}};
  EXPECT_EQ(ByteSize(content) - ByteSize(OnePoint()), 2 * sizeof(LongRow) + 200 * sizeof(double));
}

TEST(ConvexShape, CountsAllOfItsLayers) {
  ClimbLayer layer;
  layer.x = layer.y = layer.z = {1, 2, 3, 4};
  layer.adjacency = {{0, 1, 2}, {1, 0}};
  layer.long_rows = {{0, std::vector<double>(50)}};
  layer.below = {5, 6, 7, 8};
  ConvexShape::Content content = OnePoint();
  content.climb_graph.layers = {layer, layer};
  const std::size_t of_one = sizeof(ClimbLayer) + (12 + 50) * sizeof(double) +
                             (5 + 4) * sizeof(std::uint32_t) + sizeof(LongRow);
  EXPECT_EQ(ByteSize(content) - ByteSize(OnePoint()), 2 * of_one);
}

}  // namespace
}  // namespace clearance

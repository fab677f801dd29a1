// SPDX-License-Identifier: Apache-2.0
//
// Overlaps of patches made by hand, where whole bodies come near only by chance.

#include "core/narrow/patch_overlap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

FacingPatch Patch(const std::vector<Vec3d>& corners_N, const Feature& feature) {
  FacingPatch patch;
  patch.feature = feature;
  for (const Vec3d& corner_N : corners_N) {
    patch.name[patch.size] = static_cast<std::uint32_t>(patch.size);
    patch.corner_N[patch.size++] = corner_N;
  }
  return patch;
}

FacingPatch Square(double half, double z) {
  return Patch({{-half, -half, z}, {half, -half, z}, {half, half, z}, {-half, half, z}}, {3, 0});
}

// Its sides are no lines in double: none of the other face's corners is inside of them.
TEST(ComputeOverlap, OfAFaceWhoseSquaresUnderflow_IsAPoint) {
  const Overlap overlap = ComputeOverlap(Square(0x1p-600, 0), Square(1, 0.5));
  ASSERT_EQ(overlap.size, 1);
  EXPECT_LE(std::fabs(overlap.points[0].x), 0x1p-600);
  EXPECT_EQ(overlap.points[0].z_a, 0);
  EXPECT_EQ(overlap.points[0].z_b, 0.5);
  EXPECT_EQ(overlap.points[0].feature_b, (Feature{3, 0}));
  EXPECT_EQ(ComputeOverlap(Square(1, 0.5), Square(0x1p-600, 0)).size, 0);
}

TEST(ComputeOverlap, OfEdgesThatEnterAtASideAndLeaveAtAnEnd) {
  const double s = kContactSlack;
  const FacingPatch a = Patch({{0.5, -2 * s, 0}, {1.5, 0.5 * s, 0}}, {0, 1});
  const FacingPatch b = Patch({{0, 0, 1}, {1, 0, 1}}, {0, 1});
  const Overlap overlap = ComputeOverlap(a, b);
  // The first is within the slack of the second's line from x = 0.9 on, and beside it up to x = 1.
  ASSERT_EQ(overlap.size, 2);
  EXPECT_NEAR(overlap.points[0].x, 0.9, 1e-12);
  EXPECT_EQ(overlap.points[0].feature_b, (Feature{0, 1}));
  EXPECT_NEAR(overlap.points[1].x, 1, 1e-12);
  EXPECT_EQ(overlap.points[1].feature_b, (Feature{1, 1}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(overlap.points[i].z_b, 1);
    EXPECT_EQ(overlap.points[i].feature_a, (Feature{0, 1}));
  }
}

TEST(ComputeOverlap, OfEdgesThatCrossIsNone) {
  const FacingPatch a = Patch({{0.5, -1, 0}, {0.5, 1, 0}}, {0, 1});
  const FacingPatch b = Patch({{0, 0, 1}, {1, 0, 1}}, {0, 1});
  EXPECT_EQ(ComputeOverlap(a, b).size, 0);
}

}  // namespace
}  // namespace clearance

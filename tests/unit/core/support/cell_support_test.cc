// SPDX-License-Identifier: Apache-2.0
//
// The candidates of a direction's cell against plain loops over all vertices.

#include "core/support/cell_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "core/math/double_double.h"
#include "core/support/support.h"
#include "tests/support/large_hulls.h"
#include "tests/support/random.h"
#include "tests/support/test_shape.h"

namespace clearance {
namespace {

using testing::HullFamily;
using testing::Random;

template <class T>
VertexIndex TopOf(const ConvexShape& shape, const Vec3<T>& d) {
  VertexIndex top = 0;
  for (VertexIndex i = 1; i < shape.vertex_count(); ++i) {
    if (Dot(d, To<T>(shape.vertex(i))) > Dot(d, To<T>(shape.vertex(top)))) top = i;
  }
  return top;
}

ConvexShapePtr HullOf(std::vector<Vec3d> points) {
  return testing::MakeShape(
      {.kind = testing::BodyKind::kHull, .points = std::move(points), .radius = 0, .pose = {}});
}

// At a border between two cells or a corner of four, or a few roundings beside it.
Vec3d AtABorder(const ConvexShape& shape, Random& random) {
  const auto resolution = static_cast<int>(shape.climb_graph().cube_map.resolution);
  const auto border = [&] {
    return (2.0 * random.Below(resolution + 1) / resolution - 1) * (1 + 0x1p-52 * random.Below(4));
  };
  const double u = border();
  const double v = random.OneIn(2) ? border() : random.Uniform(-1, 1);
  const double main = random.Sign();
  const int axis = random.Below(3);
  if (axis == 0) return {main, u, v};
  return axis == 1 ? Vec3d{v, main, u} : Vec3d{u, v, main};
}

TEST(CellSupport, HoldsTheVertexOfTheScanUpToTheBordersOfItsCells) {
  Random random(testing::RunSeed());
  for (int f = 0; f < testing::kHullFamilyCount; ++f) {
    int known = 0;
    int asked = 0;
    for (const int size : {200, 400, 3000}) {
      const bool is_aligned = random.OneIn(2);
      const ConvexShapePtr shape =
          HullOf(testing::PointsOf(static_cast<HullFamily>(f), size, is_aligned, random));
      for (int i = 0; i < testing::Effort(400); ++i) {
        const Vec3d d = random.LogUniform(1e-100, 1e100) * AtABorder(*shape, random);
        const auto candidates = CellCandidates(*shape, d);
        ++asked;
        if (candidates.empty()) continue;
        ++known;
        const Vec3<DoubleDouble> fine = To<DoubleDouble>(d);
        ASSERT_EQ(HighestOf(candidates, *shape, d), TopOf(*shape, d)) << "family " << f;
        ASSERT_EQ(HighestOf(candidates, *shape, fine), TopOf(*shape, fine)) << "family " << f;
      }
    }
    std::printf("family %d: %d of %d directions have candidates\n", f, known, asked);
    EXPECT_GT(known, asked / 4) << "family " << f;
    if (static_cast<HullFamily>(f) == HullFamily::kSphere) {
      EXPECT_EQ(known, asked);
    }
  }
}

TEST(CellSupport, HasAFewCandidatesOfRoundHullsWhateverTheirSize) {
  Random random(testing::RunSeed());
  for (const int size : {150, 400, 1000, 8000}) {
    const ConvexShapePtr shape =
        HullOf(testing::PointsOf(HullFamily::kSphere, size, /*is_aligned=*/false, random));
    const SupportCells& cells = shape->support_cells();
    ASSERT_FALSE(cells.offsets.empty());
    const auto cell_count = static_cast<double>(cells.offsets.size() - 1);
    EXPECT_LT(static_cast<double>(cells.candidates.size()), 10 * cell_count) << size;
    EXPECT_GT(static_cast<double>(cells.candidates.size()), 3 * cell_count) << size;
  }
}

// A prism of 500 sides: all of its upper rim is highest along the axis, and few across it.
TEST(CellSupport, KnowsNothingWhereManyCanBeHighest) {
  constexpr int kSides = 500;
  std::vector<Vec3d> rims;
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2 * std::numbers::pi * i / kSides;
    for (const double z : {-1.0, 1.0}) rims.push_back({std::cos(angle), std::sin(angle), z});
  }
  const ConvexShapePtr prism = HullOf(rims);
  EXPECT_TRUE(CellCandidates(*prism, {0, 0, 1}).empty());
  EXPECT_EQ(SupportVertex(*prism, Vec3d{0, 0, 1}, 0), TopOf(*prism, Vec3d{0, 0, 1}));
  const Vec3d across = {1, 0.3, 0.01};
  EXPECT_FALSE(CellCandidates(*prism, across).empty());
  EXPECT_EQ(HighestOf(CellCandidates(*prism, across), *prism, across), TopOf(*prism, across));
}

// Each vertex has a twin that is as high to twelve digits, whatever the direction.
TEST(CellSupport, KnowsNothingWhereTheHighestHasATwin) {
  Random random(testing::RunSeed());
  std::vector<Vec3d> points =
      testing::PointsOf(HullFamily::kSphere, 400, /*is_aligned=*/false, random);
  const std::size_t count = points.size();
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(points[i] + 0x1p-44 * Cross(points[i], random.Direction()));
  }
  const ConvexShapePtr twins = HullOf(points);
  ASSERT_TRUE(twins->has_adjacency());
  for (int i = 0; i < testing::Effort(100); ++i) {
    const Vec3d d = random.Direction();
    ASSERT_TRUE(CellCandidates(*twins, d).empty());
    ASSERT_EQ(SupportVertex(*twins, d, 0), TopOf(*twins, d));
  }
}

TEST(CellSupport, KnowsNothingOfSmallHullsAndExtremeDirections) {
  Random random(testing::RunSeed());
  const ConvexShapePtr small =
      HullOf(testing::PointsOf(HullFamily::kSphere, 120, /*is_aligned=*/false, random));
  EXPECT_TRUE(CellCandidates(*small, {1, 0, 0}).empty());
  const ConvexShapePtr large =
      HullOf(testing::PointsOf(HullFamily::kSphere, 1000, /*is_aligned=*/false, random));
  EXPECT_FALSE(CellCandidates(*large, {1, 0, 0}).empty());
  for (const double length : {0.0, 1e-250, 1e250}) {
    const Vec3d d = {length, 0, 0};
    EXPECT_TRUE(CellCandidates(*large, d).empty()) << length;
    EXPECT_EQ(SupportVertex(*large, d, 0), TopOf(*large, d)) << length;
  }
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Oracle: brute force in GMP rationals (hull_oracle.h).

#include "core/shape/hull_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/shape/point_cloud.h"
#include "tests/support/random.h"
#include "tests/unit/core/shape/hull_oracle.h"

namespace clearance::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

Hull ExpectExactHull(const std::vector<Vec3d>& points, int dimension) {
  const GridPoints grid = SnapToGrid(points);
  EXPECT_TRUE(grid.is_exact);
  Hull hull = BuildHull(grid.points);
  EXPECT_EQ(hull.dimension, dimension);
  ExpectIsHullOf(hull, points);
  return hull;
}

std::vector<Vec3d> LatLongSphere(int rings, int sectors) {
  std::vector<Vec3d> points = {{0, 0, 1}, {0, 0, -1}};
  for (int i = 1; i < rings; ++i) {
    for (int k = 0; k < sectors; ++k) {
      const double theta = kPi * i / rings, phi = 2 * kPi * k / sectors;
      points.push_back(
          {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)});
    }
  }
  return points;
}

// Points of the square about the origin, turned so that none lies in a plane any more, to rounding.
std::vector<Vec3d> RotatedDisc(int count, Random& random) {
  const Vec3d u = random.Direction();
  const Vec3d v = Cross(u, random.Direction());
  std::vector<Vec3d> points;
  for (int i = 0; i < count; ++i) {
    points.push_back(random.Uniform(-1, 1) * u + random.Uniform(-1, 1) * v);
  }
  return points;
}

TEST(HullBuilder, RandomCloudsHaveExactHulls) {
  Random random(RunSeed());
  for (int i = 0; i < Effort(20); ++i) {
    std::vector<Vec3d> points;
    const int count = 4 + random.Below(60);
    while (static_cast<int>(points.size()) < count) {
      points.push_back(random.OneIn(2) ? random.Direction() : random.InCube(0.7));
    }
    ExpectExactHull(points, 3);
  }
}

TEST(HullBuilder, LatticeCloudsHaveExactHullsOfExtremePointsOnly) {
  Random random(RunSeed());
  int solid = 0;
  for (int i = 0; i < Effort(100); ++i) {
    std::vector<Vec3d> points;
    const int count = 4 + random.Below(40);
    const auto coordinate = [&] { return 0.25 * (random.Below(5) - 2); };
    while (static_cast<int>(points.size()) < count) {
      points.push_back({coordinate(), coordinate(), coordinate()});
    }
    points = RemoveDuplicates(points).points;
    const Hull hull = BuildHull(SnapToGrid(points).points);
    if (hull.dimension == 3) ++solid;
    ExpectIsHullOf(hull, points);
  }
  EXPECT_GT(solid, Effort(50));
}

TEST(HullBuilder, BoxWithGridsOnItsFacesHasEightVertices) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 7 * 7 * 7; ++i) {
    const Vec3d p = {double(i % 7), double(i / 7 % 7), double(i / 49)};
    points.push_back(p - Vec3d{3, 3, 3});
  }
  EXPECT_EQ(ExpectExactHull(points, 3).vertices.size(), 8U);
}

TEST(HullBuilder, CosphericalPointsAllStay) {
  const std::vector<Vec3d> points = LatLongSphere(16, 24);
  EXPECT_EQ(ExpectExactHull(points, 3).vertices.size(), points.size());
}

TEST(HullBuilder, NearlyFlatPointsHaveExactHulls) {
  Random random(RunSeed());
  for (int i = 0; i < Effort(10); ++i) {
    const std::vector<Vec3d> points = RotatedDisc(60, random);
    ExpectExactHull(points, 3);
  }
}

TEST(HullBuilder, ThinBodiesKeepTheirThickness) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back({i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1e-200 : -1e-200});
  }
  EXPECT_EQ(ExpectExactHull(points, 3).vertices.size(), 8U);
}

TEST(HullBuilder, CoplanarPointsGiveTheRing) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 25; ++i) {
    const double u = i % 5, v = i / 5;
    points.push_back({u, v, 2 * u + 3 * v});
  }
  const Hull hull = BuildHull(SnapToGrid(points).points);
  EXPECT_EQ(hull.dimension, 2);
  EXPECT_EQ(hull.vertices, (std::vector<std::uint32_t>{0, 4, 20, 24}));
  EXPECT_EQ(FlatEdgesOf(hull).size(), 8U);
}

TEST(HullBuilder, VerticalPlanesAreFlatToo) {
  const std::vector<Vec3d> points = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}, {1, 0.5, 0.5}};
  const Hull hull = BuildHull(SnapToGrid(points).points);
  EXPECT_EQ(hull.dimension, 2);
  EXPECT_EQ(hull.vertices, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(HullBuilder, PointsThatTheGridMakesEqualAreOneCorner) {
  const double tiny = std::ldexp(1.0, -400);
  const std::vector<Vec3d> points = {{tiny, 0, 0}, {1, tiny, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}};
  const GridPoints grid = SnapToGrid(points);
  EXPECT_FALSE(grid.is_exact);
  ASSERT_EQ(grid.points[0], grid.points[3]);
  ASSERT_EQ(grid.points[1], grid.points[4]);
  const Hull hull = BuildHull(grid.points);
  EXPECT_EQ(hull.dimension, 2);
  ASSERT_EQ(hull.ring.size(), 3U);
  const Vec3d a = grid.points[hull.ring[0]], b = grid.points[hull.ring[1]],
              c = grid.points[hull.ring[2]];
  EXPECT_EQ(std::abs(Cross(b - a, c - a).z), 1) << "not the triangle of the three places";
}

TEST(HullBuilder, CollinearPointsGiveTheirEnds) {
  std::vector<Vec3d> points;
  for (const double t : {0.25, 1.0, -0.5, 0.75}) points.push_back({t, -2 * t, 0.5 * t});
  const Hull hull = BuildHull(SnapToGrid(points).points);
  EXPECT_EQ(hull.dimension, 1);
  EXPECT_EQ(hull.vertices, (std::vector<std::uint32_t>{1, 2}));
}

TEST(HullBuilder, OnePointIsItsOwnHull) {
  const Hull hull = BuildHull(std::vector<Vec3d>{{0.5, 0.5, 0.5}});
  EXPECT_EQ(hull.dimension, 0);
  EXPECT_EQ(hull.vertices, (std::vector<std::uint32_t>{0}));
}

}  // namespace
}  // namespace clearance::testing

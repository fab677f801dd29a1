// SPDX-License-Identifier: Apache-2.0
//
// Every road to a support against plain loops over all vertices: the very vertex, from any start,
// in directions of every kind, on hulls that are hard to climb or to certify.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/math/double_double.h"
#include "core/shape/make_shape.h"
#include "core/support/support.h"
#include "tests/support/large_hulls.h"
#include "tests/support/random.h"
#include "tests/support/skip.h"
#include "tests/support/support_roads.h"
#include "tests/support/test_shape.h"

namespace clearance {
namespace {

using testing::DotCount;
using testing::HullFamily;
using testing::Random;
using testing::SupportRoad;

constexpr std::array kClimbingRoads = {SupportRoad::kClimb, SupportRoad::kCubeMap,
                                       SupportRoad::kHierarchy, SupportRoad::kBest};

// The first of the highest by computed height, and how many there are of these.
struct Top {
  VertexIndex vertex = 0;
  int ties = 1;
};

template <class T>
Top TopOf(const ConvexShape& shape, const Vec3<T>& d) {
  Top top;
  T highest = Dot(d, To<T>(shape.vertex(0)));
  for (VertexIndex i = 1; i < shape.vertex_count(); ++i) {
    const T height = Dot(d, To<T>(shape.vertex(i)));
    if (height > highest) {
      top = {i, 1};
      highest = height;
    } else if (height == highest) {
      ++top.ties;
    }
  }
  return top;
}

ConvexShapePtr HullOf(HullFamily family, int count, bool is_aligned, Random& random) {
  return testing::MakeShape({.kind = testing::BodyKind::kHull,
                             .points = testing::PointsOf(family, count, is_aligned, random),
                             .radius = 0,
                             .pose = {}});
}

// Anything, along an axis, across a face, across an edge, or from the centre through a vertex.
Vec3d AnyDirection(const ConvexShape& shape, Random& random) {
  const int kind = random.Below(5);
  if (kind == 0) return random.Direction();
  if (kind == 1) {
    const double sign = random.Sign();
    const int axis = random.Below(3);
    return {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
  }
  const Adjacency& adjacency = shape.adjacency();
  const auto i = static_cast<VertexIndex>(random.Below(static_cast<int>(shape.vertex_count())));
  const Vec3d p = shape.vertex(i);
  if (kind == 2 || !shape.has_adjacency()) return p;
  const std::uint32_t begin = adjacency.offsets[i];
  const int degree = static_cast<int>(adjacency.offsets[i + 1] - begin);
  const int k = random.Below(degree);
  const Vec3d along = shape.vertex(adjacency.neighbors[begin + k]) - p;
  const Vec3d across = shape.vertex(adjacency.neighbors[begin + (k + 1) % degree]) - p;
  const Vec3d n = Cross(across, along);  // rows go around clockwise
  if (kind == 3) return n;
  return n + random.Uniform(0, 1) * Cross(along, n);
}

struct Tally {
  int directions = 0;
  int with_ties = 0;
};

void ExpectAllRoadsEndAtTheTop(const ConvexShape& shape, int count, Random& random, Tally* tally) {
  for (int k = 0; k < count; ++k) {
    const Vec3d d = AnyDirection(shape, random);
    // Of any length; in double-double of any digits.
    const Vec3d scaled = random.LogUniform(1e-300, 1e100) * d;
    const Vec3<DoubleDouble> fine =
        To<DoubleDouble>(d) + To<DoubleDouble>(0x1p-60 * random.InCube(1));
    const Top top = TopOf(shape, scaled);
    const Top fine_top = TopOf(shape, fine);
    ++tally->directions;
    tally->with_ties += top.ties > 1 ? 1 : 0;
    const auto start =
        static_cast<VertexIndex>(random.Below(static_cast<int>(shape.vertex_count())));
    DotCount dots;
    ASSERT_EQ(SupportVertexBy({SupportRoad::kScan, start}, shape, scaled, &dots), top.vertex);
    ASSERT_EQ(SupportVertexBy({SupportRoad::kScan, start}, shape, fine, &dots), fine_top.vertex);
    for (const SupportRoad road : kClimbingRoads) {
      ASSERT_EQ(SupportVertexBy({road, start}, shape, scaled, &dots), top.vertex)
          << "road " << static_cast<int>(road) << " from " << start;
      ASSERT_EQ(SupportVertexBy({road, start}, shape, fine, &dots), fine_top.vertex)
          << "double-double, road " << static_cast<int>(road) << " from " << start;
    }
    ASSERT_EQ(SupportVertex(shape, scaled, start), top.vertex);
    ASSERT_EQ(SupportVertex(shape, fine, start), fine_top.vertex);
  }
}

TEST(SupportSearch, EveryRoadEndsAtTheVertexOfTheScan) {
  Random random(testing::RunSeed());
  for (int f = 0; f < testing::kHullFamilyCount; ++f) {
    Tally tally;
    for (const int size : {8, 40, 150, 700, 3000}) {
      for (const bool is_aligned : {false, true}) {
        SCOPED_TRACE(std::string(Name(static_cast<HullFamily>(f))) + " of " + std::to_string(size));
        const ConvexShapePtr shape = HullOf(static_cast<HullFamily>(f), size, is_aligned, random);
        ExpectAllRoadsEndAtTheTop(*shape, testing::Effort(size > 1000 ? 60 : 200), random, &tally);
        if (HasFatalFailure()) return;
      }
    }
    std::printf("%-12s %d directions, %d with ties\n", Name(static_cast<HullFamily>(f)),
                tally.directions, tally.with_ties);
    EXPECT_GT(tally.with_ties, tally.directions / 50) << Name(static_cast<HullFamily>(f));
  }
}

// Points of a lattice with all of its symmetry: whole faces, edges and rows are exactly level.
TEST(SupportSearch, TheFirstOfEquallyHighVerticesIsTheAnswer) {
  std::vector<double> xyz;
  constexpr int kSteps = 12;
  for (int x = -kSteps; x <= kSteps; ++x) {
    for (int y = -kSteps; y <= kSteps; ++y) {
      xyz.insert(xyz.end(), {1.0 * x, 1.0 * y, 1.0 * (x * x + y * y)});
    }
  }
  const ConvexShapePtr shape = std::get<ConvexShapePtr>(MakeHull(xyz, 0));
  ASSERT_EQ(shape->vertex_count(), (2 * kSteps + 1) * (2 * kSteps + 1));
  int with_ties = 0;
  for (int x = -kSteps; x < kSteps; ++x) {
    for (int y = -kSteps; y < kSteps; ++y) {
      // Below the paraboloid: level on the four corners of a cell, exactly.
      const Vec3d d = {2.0 * x + 1, 2.0 * y + 1, -1};
      const Top top = TopOf(*shape, d);
      with_ties += top.ties == 4 ? 1 : 0;
      for (VertexIndex start = 0; start < shape->vertex_count(); start += 7) {
        ASSERT_EQ(SupportVertex(*shape, d, start), top.vertex) << x << ", " << y;
        ASSERT_EQ(SupportVertex(*shape, To<DoubleDouble>(d), start), top.vertex) << x << ", " << y;
      }
    }
  }
  EXPECT_EQ(with_ties, 4 * kSteps * kSteps);
}

TEST(SupportSearch, ManyTiesFallBackOnAScan) {
  Random random(testing::RunSeed());
  const ConvexShapePtr shape = HullOf(HullFamily::kPrism, 4000, true, random);
  const Vec3d up = {0, 0, 1};
  const Top top = TopOf(*shape, up);
  ASSERT_EQ(top.ties, 2000);
  for (VertexIndex start = 0; start < shape->vertex_count(); start += 100) {
    DotCount count;
    EXPECT_EQ(SupportVertexBy({SupportRoad::kBest, start}, *shape, up, &count), top.vertex);
    EXPECT_LT(count.dots, 2 * shape->vertex_count());
  }
}

// A ball with many corners so near to one point that rounding sorts them anew.
ConvexShapePtr HullWithASpot(const Vec3d& spot, double spread, Random& random) {
  std::vector<double> xyz;
  const auto add = [&](const Vec3d& p) {
    const double norm = std::sqrt(NormSquared(p));
    xyz.insert(xyz.end(), {p.x / norm, p.y / norm, p.z / norm});
  };
  for (int i = 0; i < 20000; ++i) add(spot + spread * random.InCube(1));
  for (int i = 0; i < 2000; ++i) add(random.Direction());
  return std::get<ConvexShapePtr>(MakeHull(xyz, 0));
}

// There flood after flood ends on a higher vertex, until a scan takes over.
TEST(SupportSearch, FloodsThatKeepRisingFallBackOnAScan) {
  Random random(testing::RunSeed());
  constexpr double kSpread = 2e-8;
  int scans = 0;
  for (int hull = 0; hull < 16; ++hull) {
    const Vec3d spot = random.Direction();
    const ConvexShapePtr shape = HullWithASpot(spot, kSpread, random);
    ASSERT_TRUE(shape->has_adjacency());
    for (int i = 0; i < testing::Effort(4000); ++i) {
      const Vec3d d = spot + 2 * kSpread * random.InCube(1);
      DotCount count;
      ASSERT_EQ(SupportVertexBy({}, *shape, d, &count), TopOf(*shape, d).vertex);
      scans += count.dots > shape->vertex_count() ? 1 : 0;
    }
  }
  std::printf("%d scans\n", scans);
  EXPECT_GT(scans, 0);
}

TEST(SupportSearch, FewTiesTakeNoScan) {
  Random random(testing::RunSeed());
  const ConvexShapePtr shape = HullOf(HullFamily::kSphere, 20000, false, random);
  const Adjacency& adjacency = shape->adjacency();
  for (VertexIndex i = 0; i < shape->vertex_count(); i += 100) {
    const Vec3d p = shape->vertex(i);
    const std::uint32_t begin = adjacency.offsets[i];
    const Vec3d n = Cross(shape->vertex(adjacency.neighbors[begin + 1]) - p,
                          shape->vertex(adjacency.neighbors[begin]) - p);
    DotCount count;
    SupportVertexBy({SupportRoad::kBest, 0}, *shape, n, &count);
    EXPECT_LT(count.dots, 400U) << i;
    DotCount fine_count;
    SupportVertexBy({SupportRoad::kBest, 0}, *shape, To<DoubleDouble>(n), &fine_count);
    EXPECT_LT(fine_count.dots, 400U) << i;
  }
}

TEST(SupportSearch, DirectionsOfNoLengthAndOfTheLeast) {
  Random random(testing::RunSeed());
  const ConvexShapePtr shape = HullOf(HullFamily::kSphere, 500, false, random);
  for (const double length : {0.0, 5e-324, 3e-323, 1e-310, 1e-200}) {
    for (int i = 0; i < 20; ++i) {
      const Vec3d d = length * random.Direction();
      const auto start = static_cast<VertexIndex>(random.Below(500));
      EXPECT_EQ(SupportVertex(*shape, d, start), TopOf(*shape, d).vertex) << length;
    }
  }
}

TEST(SupportSearch, RealHullsToo) {
  if (!std::filesystem::is_directory(CLEARANCE_DATA)) GTEST_SKIP() << test::kNoDataSets;
  Random random(testing::RunSeed());
  Tally tally;
  int climbed = 0;
  for (const auto& folder : std::filesystem::directory_iterator(CLEARANCE_DATA)) {
    std::ifstream file(folder.path() / "shapes.jsonl");
    for (std::string line; std::getline(file, line);) {
      const auto entry = nlohmann::json::parse(line);
      if (entry.value("kind", "") != "hull" && entry.value("kind", "") != "convex") continue;
      std::vector<double> xyz;
      for (const auto& point : entry.at("vertices")) {
        for (const auto& number : point) xyz.push_back(number.get<double>());
      }
      const ConvexShapePtr shape = std::get<ConvexShapePtr>(MakeHull(xyz, 0));
      if (!shape->has_adjacency()) continue;
      ++climbed;
      ExpectAllRoadsEndAtTheTop(*shape, testing::Effort(50), random, &tally);
      if (HasFatalFailure()) return;
    }
  }
  std::printf("%d hulls, %d directions, %d with ties\n", climbed, tally.directions,
              tally.with_ties);
  EXPECT_GT(climbed, 50);
  EXPECT_GT(tally.with_ties, tally.directions / 50);
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Dot products of one support against the number of vertices: a logarithm of it, whatever the
// shape.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/large_hulls.h"
#include "tests/support/support_count.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

constexpr int kDirections = 1000;
constexpr double kCoherence = 0.02;  // radians

// A logarithm of the vertices with room for other seeds.
double MeanBound(double vertices) { return 8 + 8 * std::log2(vertices); }
double MostBound(double vertices) { return 80 + 20 * std::log2(vertices); }

ConvexShapePtr HullOf(HullFamily family, int size, Random& random) {
  return MakeShape({.kind = BodyKind::kHull,
                    .points = PointsOf(family, size, false, random),
                    .radius = 0,
                    .pose = {}});
}

void ExpectLogarithmicGrowth(HullFamily family, int size) {
  Random random(RunSeed());
  const ConvexShapePtr shape = HullOf(family, size, random);
  const DotsTaken cold = CountDots(*shape, RandomDirections(kDirections, random),
                                   SupportRoad::kBest, SupportStart::kCold);
  const DotsTaken warm = CountDots(*shape, CoherentDirections(kDirections, kCoherence, random),
                                   SupportRoad::kBest, SupportStart::kWarm);
  const double n = shape->vertex_count();
  std::printf("%-12s %7.0f vertices: cold %6.1f, at most %4.0f; warm %6.1f, at most %4.0f\n",
              Name(family), n, cold.mean, static_cast<double>(cold.most), warm.mean,
              static_cast<double>(warm.most));
  for (const DotsTaken& taken : {cold, warm}) {
    EXPECT_LE(taken.mean, MeanBound(n)) << Name(family) << " of " << n;
    EXPECT_LE(static_cast<double>(taken.most), MostBound(n)) << Name(family) << " of " << n;
  }
}

TEST(SupportGrowth, IsLogarithmicForEveryFamily) {
  for (int family = 0; family < kHullFamilyCount; ++family) {
    for (const int size : {8, 32, 128, 512, 2048, 10000}) {
      ExpectLogarithmicGrowth(static_cast<HullFamily>(family), size);
    }
  }
}

TEST(SupportGrowth, IsLogarithmicUpToAHundredThousandVertices) {
  for (const HullFamily family : {HullFamily::kSphere, HullFamily::kCone, HullFamily::kSpindle}) {
    ExpectLogarithmicGrowth(family, 100000);
  }
  ExpectLogarithmicGrowth(HullFamily::kPrism, 30000);  // the hull itself takes long
}

// What the structures are for: each of them alone breaks the bound somewhere.
TEST(SupportGrowth, IsNotSoForAClimbFromAnywhereOrFromTheCubeMapAlone) {
  Random random(RunSeed());
  constexpr int kSize = 50000;
  const auto directions = RandomDirections(kDirections, random);
  const ConvexShapePtr sphere = HullOf(HullFamily::kSphere, kSize, random);
  EXPECT_GT(CountDots(*sphere, directions, SupportRoad::kClimb, SupportStart::kCold).mean,
            2 * MeanBound(kSize));
  const ConvexShapePtr spindle = HullOf(HullFamily::kSpindle, kSize, random);
  EXPECT_GT(static_cast<double>(
                CountDots(*spindle, directions, SupportRoad::kCubeMap, SupportStart::kCold).most),
            MostBound(kSize));
}

}  // namespace
}  // namespace clearance::testing

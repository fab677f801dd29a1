// SPDX-License-Identifier: Apache-2.0
//
// Dot products of one support by the road that it goes, for hulls of 8 to 100,000 vertices of every
// family: lines of family,vertices,road,mean,most on standard output, always the same.

#include "tests/support/support_count.h"

#include <array>
#include <cstdio>

#include "tests/support/body.h"
#include "tests/support/large_hulls.h"
#include "tests/support/test_shape.h"

namespace clearance::bench {
namespace {

using testing::SupportRoad;
using testing::SupportStart;

constexpr std::uint64_t kSeed = 1;
constexpr int kDirections = 1000;
constexpr double kCoherence = 0.02;  // radians from one direction to the next
constexpr std::array kSizes = {8,    16,   32,   64,    128,   256,   512,
                               1024, 2048, 4096, 10000, 30000, 100000};
constexpr std::uint32_t kMostScanned = 4096;  // a scan's count needs no measurement

struct Road {
  const char* name;
  SupportRoad road;
  SupportStart start;
};
constexpr std::array kRoads = {
    Road{"scan", SupportRoad::kScan, SupportStart::kCold},
    Road{"climb", SupportRoad::kClimb, SupportStart::kCold},
    Road{"cube_map", SupportRoad::kCubeMap, SupportStart::kCold},
    Road{"hierarchy", SupportRoad::kHierarchy, SupportStart::kCold},
    Road{"support_cold", SupportRoad::kBest, SupportStart::kCold},
    Road{"support_warm", SupportRoad::kBest, SupportStart::kWarm},
};

void CountAll(testing::HullFamily family, int size) {
  testing::Random random(kSeed);
  const testing::Body body = {.kind = testing::BodyKind::kHull,
                              .points = testing::PointsOf(family, size, false, random),
                              .radius = 0,
                              .pose = {}};
  const ConvexShapePtr shape = testing::MakeShape(body);
  const auto directions = testing::RandomDirections(kDirections, random);
  const auto coherent = testing::CoherentDirections(kDirections, kCoherence, random);
  for (const Road& road : kRoads) {
    if (road.road == SupportRoad::kScan && shape->vertex_count() > kMostScanned) continue;
    const bool is_cold = road.start == SupportStart::kCold;
    const testing::DotsTaken dots =
        testing::CountDots(*shape, is_cold ? directions : coherent, road.road, road.start);
    std::printf("%s,%u,%s,%.1f,%llu\n", Name(family), shape->vertex_count(), road.name, dots.mean,
                static_cast<unsigned long long>(dots.most));
  }
}

}  // namespace
}  // namespace clearance::bench

int main() {
  std::printf("family,vertices,road,mean,most\n");
  for (int family = 0; family < clearance::testing::kHullFamilyCount; ++family) {
    for (const int size : clearance::bench::kSizes) {
      clearance::bench::CountAll(static_cast<clearance::testing::HullFamily>(family), size);
    }
  }
  return 0;
}

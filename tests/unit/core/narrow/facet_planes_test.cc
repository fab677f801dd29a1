// SPDX-License-Identifier: Apache-2.0
//
// Planes side by side have the bits of those one by one, written here as their header says.

#include "core/narrow/facet_planes.h"

#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cmath>
#include <cstdint>

#include "core/math/tolerance.h"
#include "hwy/targets.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;
using Triangle = std::array<Vec3d, 3>;

struct Plane {
  Vec3d n;
  double offset;
  double told;
};

// The corner that is opposite to the longest edge; of equally long ones the first of these.
int BestCorner(const Triangle& t) {
  const auto opposite_sq = [&](int i) { return NormSquared(t[(i + 2) % 3] - t[(i + 1) % 3]); };
  if (opposite_sq(0) >= opposite_sq(1) && opposite_sq(0) >= opposite_sq(2)) return 0;
  return opposite_sq(1) >= opposite_sq(2) ? 1 : 2;
}

Plane MeasuredAlone(const Triangle& t) {
  const int i = BestCorner(t);
  const Vec3d& a = t[i];
  const Vec3d e = t[(i + 1) % 3] - a;
  const Vec3d f = t[(i + 2) % 3] - a;
  const Vec3d n = Cross(e, f);
  const double edges_sq = NormSquared(e) * NormSquared(f);
  const double area = Norm(n);
  const Vec3d unit = (1 / area) * n;
  const bool is_long = edges_sq >= kThinUnderflow * kThinUnderflow;
  double told = FacetPlanes::kHardly;
  if (is_long && area * area > kCoarseSine * kCoarseSine * edges_sq) told = FacetPlanes::kCoarsely;
  if (is_long && 4 * area * area >= edges_sq) told = FacetPlanes::kWell;
  return {unit, Dot(unit, a), told};
}

// Of any shape and size, some so small that squares underflow; some of three points of a lattice,
// whose edges may be equally long.
Triangle RandomTriangle(Random& random) {
  Triangle t;
  if (random.OneIn(4)) {
    for (Vec3d& corner : t) {
      const auto coordinate = [&] { return std::round(random.Uniform(-1.5, 1.5)); };
      corner = {coordinate(), coordinate(), coordinate()};
    }
    return t;
  }
  const double size = random.OneIn(8) ? 0x1p-103 : std::exp2(random.Uniform(-8, 0));
  for (Vec3d& corner : t) corner = random.InCube(size);
  if (random.OneIn(3)) {
    t[2] = t[0] + random.Uniform(0, 1) * (t[1] - t[0]) +
           random.InCube(std::exp2(random.Uniform(-14, 0)) * size);
  }
  return t;
}

struct Tally {
  std::array<int, 3> told{};
  std::array<int, 3> best{};
};

void ExpectAsAlone(int count, Random& random, Tally* tally) {
  FacetPlanes planes;
  std::array<Triangle, FacetPlanes::kMax> triangles;
  for (int i = 0; i < count; ++i) {
    triangles[i] = RandomTriangle(random);
    planes.Set(i, triangles[i][0], triangles[i][1], triangles[i][2]);
  }
  planes.Measure(count);
  for (int i = 0; i < count; ++i) {
    const Plane alone = MeasuredAlone(triangles[i]);
    ++tally->told[static_cast<std::size_t>(alone.told)];
    ++tally->best[static_cast<std::size_t>(BestCorner(triangles[i]))];
    EXPECT_EQ(planes.told(i), alone.told);
    if (alone.told == FacetPlanes::kHardly) continue;
    EXPECT_EQ(planes.normal(i), alone.n);
    EXPECT_EQ(planes.offset(i), alone.offset);
    const Vec3d n = planes.normal(i);
    EXPECT_EQ(std::signbit(n.x), std::signbit(alone.n.x));
    EXPECT_EQ(std::signbit(n.y), std::signbit(alone.n.y));
    EXPECT_EQ(std::signbit(n.z), std::signbit(alone.n.z));
  }
}

TEST(FacetPlanes, HaveTheBitsOfPlanesOneByOneOnEveryVectorUnit) {
  Random random(RunSeed());
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    Tally tally;
    for (int i = 0; i < Effort(100); ++i) {
      for (const int count : {1, 3, 4, 5, 8, 13, 16}) ExpectAsAlone(count, random, &tally);
    }
    const int all = tally.told[0] + tally.told[1] + tally.told[2];
    for (const int share : tally.told) EXPECT_GT(share, all / 20);
    for (const int share : tally.best) EXPECT_GT(share, all / 5);
  }
  hwy::SetSupportedTargetsForTest(0);
}

// A lane without one would divide by zero.
TEST(FacetPlanes, HaveATriangleInEveryLane) {
  const Triangle triangle = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
  FacetPlanes planes;
  planes.Set(0, triangle[0], triangle[1], triangle[2]);
  std::feclearexcept(FE_ALL_EXCEPT);
  planes.Measure(1);
  EXPECT_FALSE(std::fetestexcept(FE_INVALID | FE_DIVBYZERO));
  EXPECT_EQ(planes.told(0), FacetPlanes::kWell);
  EXPECT_NEAR(planes.offset(0), std::sqrt(1.0 / 3), 1e-15);
}

}  // namespace
}  // namespace clearance

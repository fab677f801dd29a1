// SPDX-License-Identifier: Apache-2.0
//
// Placements side by side have the bits of those one by one, which exact rationals judge in
// placement_test.cc.

#include "core/narrow/placement_rows.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <new>

#include "hwy/targets.h"
#include "tests/support/random.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

struct Posed {
  ConvexShapePtr shape;
  Pose pose;
  Pose local;

  PosedShape posed() const { return {*shape, pose, local}; }
};

// Near and far from the world's origin, with and without turns; some beside their bodies' origin.
Posed RandomPosed(Random& random) {
  Posed posed = {Cube(random.Uniform(0.1, 9)), {}, {}};
  posed.pose.p_WS = random.InCube(random.OneIn(4) ? 1e6 : 5);
  if (!random.OneIn(4)) posed.pose.q_WS = random.Rotation();
  if (random.OneIn(4)) posed.local.p_WS = random.InCube(2);
  return posed;
}

bool IsSame(const Vec3d& a, const Vec3d& b) { return a == b; }
bool IsSame(const Mat3<double>& a, const Mat3<double>& b) {
  return IsSame(a.row_x, b.row_x) && IsSame(a.row_y, b.row_y) && IsSame(a.row_z, b.row_z);
}

void ExpectAsOneByOne(std::size_t count, Random& random) {
  PlacementRows rows;
  std::deque<Posed> bodies;
  for (std::size_t i = 0; i < 2 * count; ++i) bodies.push_back(RandomPosed(random));
  const auto pair_of = [&](std::size_t i, const CenterOffset& offset) {
    const Posed &a = bodies[2 * i], &b = bodies[2 * i + 1];
    return MakeShapePair(*a.shape, *b.shape, LeastExponent(a.posed(), b.posed(), offset));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const PosedShape a = bodies[2 * i].posed(), b = bodies[2 * i + 1].posed();
    const CenterOffset offset = ComputeCenterOffset(a, b);
    EXPECT_EQ(rows.Add(pair_of(i, offset), a, b, offset), i);
  }
  rows.Place();
  for (std::size_t i = 0; i < count; ++i) {
    const PosedShape a = bodies[2 * i].posed(), b = bodies[2 * i + 1].posed();
    const CenterOffset offset = ComputeCenterOffset(a, b);
    const ShapePair pair = pair_of(i, offset);
    const auto axes = MakeAxes<double>(pair, a, b);
    const auto alone = MakePlacement<double>(pair, axes, offset);
    const Placement<double> placed = rows.PlacementAt(i);
    EXPECT_TRUE(IsSame(rows.RotationAW(i), axes.R_AW)) << i;
    EXPECT_TRUE(IsSame(placed.R_AB, alone.R_AB)) << i;
    EXPECT_EQ(placed.p_AB, alone.p_AB) << i;
    EXPECT_EQ(placed.error, alone.error) << i;
    EXPECT_EQ(placed.sweep_A, Vec3d{}) << i;
  }
}

TEST(PlacementRows, HaveTheBitsOfPlacementsOneByOneOnEveryVectorUnit) {
  Random random(RunSeed());
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (int i = 0; i < Effort(20); ++i) {
      for (const std::size_t count : {1, 3, 8, 13, 32}) ExpectAsOneByOne(count, random);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Memory full of signalling NaNs: the first operation that reads one raises a flag.
TEST(PlacementRows, ComputeWithNothingThatNobodyGave) {
  const TestPair test(Cube(1), Cube(2), {{0.5, 1, 2}, {}});
  const PosedShape a = {*test.a, test.a_pose}, b = {*test.b, test.b_pose};
  alignas(PlacementRows) unsigned char memory[sizeof(PlacementRows)];
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (std::size_t i = 0; i < sizeof(memory); i += sizeof(double)) {
      const auto bits = std::uint64_t{0x7ff4} << 48;
      std::memcpy(memory + i, &bits, sizeof(bits));
    }
    PlacementRows* rows = nullptr;
    std::feclearexcept(FE_ALL_EXCEPT);
    const unsigned char* volatile seen = memory;  // so that it is written before
    rows = new (memory) PlacementRows;
    rows->Add(test.pair, a, b, test.offset);
    rows->Place();
    EXPECT_FALSE(std::fetestexcept(FE_INVALID | FE_DIVBYZERO));
    EXPECT_EQ(seen, memory);
    EXPECT_EQ(rows->PlacementAt(0).p_AB, test.coarse.p_AB);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(PlacementRows, AreNotForShapesThatAreTurnedInTheirBodies) {
  Random random(RunSeed() + 1);
  Posed a = RandomPosed(random), b = RandomPosed(random);
  EXPECT_TRUE(PlacementRows::IsFor(a.posed(), b.posed()));
  b.local.q_WS = random.Rotation();
  EXPECT_FALSE(PlacementRows::IsFor(a.posed(), b.posed()));
  EXPECT_FALSE(PlacementRows::IsFor(b.posed(), a.posed()));
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Depths of boxes by their axes: against the expanding polytope, which knows nothing of boxes, and
// in closed forms of each kind of contact; and what they are left to it for. Against the exact
// oracle: tests/property/depth_test.cc.

#include "core/narrow/box_sat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <variant>
#include <vector>

#include "hwy/targets.h"
#include "tests/support/random.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

constexpr double kU = 0x1p-53;

ConvexShapePtr BoxOf(const Vec3d& half) { return std::get<ConvexShapePtr>(MakeBox(half, 0)); }

Quaternion TurnAbout(const Vec3d& axis, double angle_rad) {
  const Vec3d v = (std::sin(angle_rad / 2) / Norm(axis)) * axis;
  return {v.x, v.y, v.z, std::cos(angle_rad / 2)};
}

bool Find(const TestPair& test, Penetration* depth) {
  const MinkowskiDifference<double> difference(test.pair, test.coarse);
  return FindBoxPenetration(difference, depth);
}

// By the polytope, from the six supports along the axes of A.
Penetration Grown(const TestPair& test) {
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  EnclosingSet<double> set;
  for (const double sign : {1.0, -1.0}) {
    for (const Vec3d& axis : {Vec3d{sign, 0, 0}, Vec3d{0, sign, 0}, Vec3d{0, 0, sign}}) {
      set.vertex[set.size++] = difference.Support(axis);
    }
  }
  return ComputePenetration(difference, set, {});
}

TEST(FindBoxPenetration, IsWhatThePolytopeFinds) {
  Random random(RunSeed());
  const int wanted = Effort(2000);
  int found = 0;
  for (int i = 0; i < wanted; ++i) {
    const auto half = [&random] {
      return Vec3d{random.Uniform(0.3, 1.2), random.Uniform(0.3, 1.2), random.Uniform(0.3, 1.2)};
    };
    const TestPair test(BoxOf(half()), BoxOf(half()), {random.InCube(0.3), random.Rotation()});
    Penetration depth;
    if (!Find(test, &depth)) continue;
    ++found;
    const Penetration grown = Grown(test);
    const double size = test.pair.size_sum;
    ASSERT_TRUE(grown.normal_is_unique);
    ASSERT_NEAR(ToDouble(depth.height), ToDouble(grown.height), 64 * kU * size);
    ASSERT_LE(depth.at_least, ToDouble(grown.at_most));
    ASSERT_GE(ToDouble(depth.at_most), grown.at_least);
    ASSERT_LE(ToDouble(depth.at_most) - depth.at_least, 0x1p12 * kU * size);
    ASSERT_LE(Norm(depth.n_A - grown.n_A), 0x1p8 * kU);
    ASSERT_LE(Norm(depth.p_A - grown.p_A), 0x1p12 * kU * size);
  }
  std::printf("%d of %d told by their axes\n", found, wanted);
  EXPECT_GE(found, wanted * 9 / 10);
}

bool IsSame(const Penetration& one, const Penetration& other) {
  return one.at_least == other.at_least && one.at_most == other.at_most &&
         one.height == other.height && one.n_A == other.n_A && one.p_A == other.p_A;
}

// Some of the pairs are told nothing of: their axes are parallel, or they are apart.
TEST(FindBoxPenetrations, HaveTheBitsOfPairsOneByOneOnEveryVectorUnit) {
  Random random(RunSeed());
  std::vector<std::unique_ptr<TestPair>> tests;
  std::vector<std::unique_ptr<MinkowskiDifference<double>>> differences;
  for (int i = 0; i < 45; ++i) {
    const auto edge = [&random] { return random.Uniform(0.3, 1.2); };
    const Quaternion turn = random.OneIn(4) ? Quaternion{} : random.Rotation();
    tests.push_back(std::make_unique<TestPair>(BoxOf({edge(), edge(), edge()}),
                                               BoxOf({edge(), edge(), edge()}),
                                               Pose{random.InCube(0.9), turn}));
    differences.push_back(
        std::make_unique<MinkowskiDifference<double>>(tests.back()->pair, tests.back()->coarse));
  }
  int told = 0, untold = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    std::vector<Penetration> depths(tests.size());
    std::vector<BoxTask> tasks;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      tasks.push_back({differences[i].get(), &depths[i]});
    }
    FindBoxPenetrations(tasks);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      Penetration alone;
      EXPECT_EQ(FindBoxPenetration(*differences[i], &alone), depths[i].is_known);
      ++(alone.is_known ? told : untold);
      EXPECT_TRUE(!alone.is_known || IsSame(depths[i], alone)) << i;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GT(told, 0);
  EXPECT_GT(untold, 0);
}

struct Contact {
  const char* name;
  TestPair pair;
  double depth;
  Vec3d n_A;
  Vec3d p_A;
};

const double kRoot2 = std::sqrt(2.0);
const double kRoot3 = std::sqrt(3.0);
constexpr double kEighthTurn = 0.78539816339744831;

// A cube with its diagonal along z.
Quaternion OnCorner() { return TurnAbout({1, -1, 0}, std::acos(1 / kRoot3)); }

// A cube with an edge along (1, 0, -1) and faces on both sides of (1, 0, 1).
Quaternion OnEdge() {
  const double c = std::cos(kEighthTurn / 2), s = std::sin(kEighthTurn / 2);
  return {c * s, c * s, -s * s, c * c};
}

TEST(FindBoxPenetration, KnowsEachKindOfContact) {
  const double up = 0.75 + kRoot3, across = 2 - 0.25 / kRoot2;
  const Contact contacts[] = {
      {"a corner in a face above",
       {BoxOf({4, 4, 1}), Cube(1), {{0.5, 0.25, up}, OnCorner()}},
       0.25,
       {0, 0, 1},
       {0.5, 0.25, 1}},
      {"a corner in a face below",
       {BoxOf({4, 4, 1}), Cube(1), {{0.5, 0.25, -up}, OnCorner()}},
       0.25,
       {0, 0, -1},
       {0.5, 0.25, -1}},
      {"an edge across an edge",
       {BoxOf({1, 4, 1}), Cube(1), {{across, 0.25, across}, OnEdge()}},
       0.25,
       {1 / kRoot2, 0, 1 / kRoot2},
       {1, 0.25, 1}},
  };
  for (const Contact& contact : contacts) {
    SCOPED_TRACE(contact.name);
    Penetration depth;
    ASSERT_TRUE(Find(contact.pair, &depth));
    const double unit = std::ldexp(1.0, contact.pair.pair.exponent);
    EXPECT_NEAR(unit * ToDouble(depth.height), contact.depth, 1e-14);
    EXPECT_LE(Norm(depth.n_A - contact.n_A), 1e-15);
    EXPECT_LE(Norm(unit * depth.p_A - contact.p_A), 1e-14);
    EXPECT_TRUE(depth.is_known);
    EXPECT_TRUE(depth.normal_is_unique);
  }
}

// What it does not answer has more planes than one as near, or corners that are as near to it.
TEST(FindBoxPenetration, LeavesTies) {
  Penetration depth;
  EXPECT_FALSE(Find({Cube(1), Cube(1), {{1.5, 0.2, 0.1}, {}}}, &depth)) << "aligned";
  EXPECT_FALSE(Find({Cube(1), Cube(1), {{1.5, 0.2, 0.1}, TurnAbout({1, 2, 3}, 1e-4)}}, &depth))
      << "nearly aligned";
  EXPECT_FALSE(Find({Cube(4), Cube(1), {{0, 0, 0}, OnCorner()}}, &depth)) << "concentric";
  EXPECT_FALSE(Find({BoxOf({4, 4, 1}), Cube(1), {{0.5, 0.25, 0}, OnCorner()}}, &depth))
      << "in the middle between two faces";
  EXPECT_FALSE(Find(
      {BoxOf({1, 4, 1}), Cube(1), {{0, 0, 2 * kRoot2 - 0.25}, TurnAbout({1, 0, 0}, kEighthTurn)}},
      &depth))
      << "an edge flat in a face";
  EXPECT_FALSE(depth.is_known);
}

// With one pair of axes parallel an axis of edges is not told, whichever it is.
TEST(FindBoxPenetration, LeavesOneParallelAxisToThePolytope) {
  for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
    const TestPair test(BoxOf({1, 1, 1}), BoxOf({1, 1, 1}),
                        {{0.3, 0.2, 0.1}, TurnAbout(axis, 0.5)});
    Penetration depth;
    EXPECT_FALSE(Find(test, &depth));
  }
}

// The far side of a plate is as near to the plane of the contact as the near one.
TEST(FindBoxPenetration, LeavesPlatesToThePolytope) {
  const ConvexShapePtr cube = BoxOf({1, 1, 1}), plate = BoxOf({1e-15, 0.5, 0.5});
  const Quaternion turn = TurnAbout({1, 2, 3}, 0.7);
  Penetration depth;
  EXPECT_FALSE(Find(TestPair(cube, plate, {{0.9, 0, 0}, turn}), &depth));
  const Vec3d along_cube = RotationMatrix<double>(turn) * Vec3d{0.9, 0, 0};
  EXPECT_FALSE(Find(TestPair(plate, cube, {along_cube, turn}), &depth));
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The yes-or-no question against closed forms, and that it is cheaper than the distance.

#include "core/query/intersection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

IntersectionAnswer Solve(const ConvexShapePtr& a, const ConvexShapePtr& b, const Pose& pose_b) {
  return Intersection({*a, Pose{}}, {*b, pose_b});
}

TEST(Intersection, TellsApartTouchingAndOverlapping) {
  const auto cube = Box(1, 1, 1);
  EXPECT_EQ(Solve(cube, cube, At(2.5, 0, 0)).state, State::kSeparated);
  EXPECT_EQ(Solve(cube, cube, At(2, 0, 0)).state, State::kTouching);
  EXPECT_EQ(Solve(cube, cube, At(1.5, 0, 0)).state, State::kPenetrating);
  EXPECT_EQ(Solve(Sphere(1), Sphere(1), At(1.5, 0, 0)).state, State::kPenetrating);
  EXPECT_EQ(Solve(Sphere(1), Sphere(1), At(2.5, 0, 0)).state, State::kSeparated);
}

TEST(Intersection, ItsBracketHoldsTheSignedDistance) {
  const auto cube = Box(1, 1, 1);
  const IntersectionAnswer apart = Solve(cube, cube, At(5, 1, 0.5));
  EXPECT_GT(apart.bracket.lower, 0);
  EXPECT_LE(apart.bracket.lower, 3);
  EXPECT_GE(apart.bracket.upper, 3);
  const IntersectionAnswer overlap = Solve(Sphere(2), Sphere(2), At(1, 0, 0));
  EXPECT_LE(overlap.bracket.lower, -3);
  EXPECT_GE(overlap.bracket.upper, -3);
}

TEST(Intersection, LeavesAtTheFirstSeparatingPlane) {
  const Pose b = {
      {4, 3, 2}, {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}};
  const auto a = Box(1, 0.5, 0.25);
  EXPECT_LT(Solve(a, a, b).iterations, Distance({*a, Pose{}}, {*a, b}, {}).iterations);
}

TEST(Intersection, TellsBodiesApartByTheBallsAroundThem) {
  const Pose turned = {
      {4, 0.5, 0},
      {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}};
  const auto box = Box(1, 0.5, 0.25);
  const IntersectionAnswer answer = Solve(box, box, turned);
  const double distance = Distance({*box, Pose{}}, {*box, turned}, {}).distance;
  EXPECT_EQ(answer.state, State::kSeparated);
  EXPECT_EQ(answer.iterations, 0);
  EXPECT_GT(answer.bracket.lower, 1);
  EXPECT_LE(answer.bracket.lower, distance);
  EXPECT_GE(answer.bracket.upper, distance);
  // Spheres are their balls.
  EXPECT_EQ(Solve(Sphere(1), Sphere(1), At(2 + 1e-9, 0, 0)).iterations, 0);
  EXPECT_EQ(Solve(Sphere(1), Sphere(1), At(2, 0, 0)).state, State::kTouching);
}

TEST(Intersection, LeavesTheBallsRoomForRounding) {
  // Off the axes and far from the origin, where the distance of the centres is rounded.
  for (int k = 0; k < 200; ++k) {
    const Vec3d direction = (1.0 / 7) * Vec3d{2, 3, 6};
    const double gap = k * 0x1p-50;
    const Vec3d p = (2 + gap) * direction;
    const IntersectionAnswer answer = Solve(Sphere(1), Sphere(1), At(p.x, p.y, p.z));
    const long double exact =
        sqrtl(static_cast<long double>(p.x) * p.x + static_cast<long double>(p.y) * p.y +
              static_cast<long double>(p.z) * p.z) -
        2;
    EXPECT_LE(answer.bracket.lower, static_cast<double>(exact) + 0x1p-62) << k;
    EXPECT_GE(answer.bracket.upper, static_cast<double>(exact) - 0x1p-62) << k;
  }
}

}  // namespace
}  // namespace clearance

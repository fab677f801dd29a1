// SPDX-License-Identifier: Apache-2.0
//
// Poses between two. The oracle for orientations is the turn of even speed (slerp), in long double
// by the angle between the quaternions, to the bound that the header proves the blend by.

#include "core/math/interpolate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

constexpr unsigned kSeed = 20261123;

// A turn by the angle about the axis of (1, 2, 2) / 3, radians.
Quaternion TurnBy(double angle) {
  const double s = std::sin(angle / 2) / 3;
  return {s, 2 * s, 2 * s, std::cos(angle / 2)};
}

double Norm(const Quaternion& q) {
  return std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

// Of a turn about that axis.
double AngleOf(const Quaternion& q) {
  return 2 * std::atan2(std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z), q.w);
}

bool IsSame(const Pose& a, const Pose& b) {
  return a.p_WS == b.p_WS && a.q_WS.x == b.q_WS.x && a.q_WS.y == b.q_WS.y && a.q_WS.z == b.q_WS.z &&
         a.q_WS.w == b.q_WS.w;
}

TEST(InterpolatePose, IsTheVeryPosesAtTheEnds) {
  const Pose from = {{1, 2, 3}, {0, 0, 0, 1.0005}};
  const Pose to = {{-0.1, 5, 7}, TurnBy(2)};
  EXPECT_TRUE(IsSame(InterpolatePose(from, to, 0), from));
  EXPECT_TRUE(IsSame(InterpolatePose(from, to, 1), to));
}

TEST(InterpolatePose, LeavesWhatRestsWhereItIs) {
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed + 1);
  std::uniform_real_distribution<double> any(-1, 1), fraction(0, 1);
  for (int i = 0; i < 20'000; ++i) {
    const Vec3d p = {any(random), 1e3 * any(random), 1e-3 * any(random)};
    const Quaternion q = {any(random) / 2, any(random) / 2, any(random) / 2, 1};
    const double norm = Norm(q);
    const Pose at = {p, {q.x / norm, q.y / norm, q.z / norm, q.w / norm}};
    const Quaternion& a = at.q_WS;
    const double t = fraction(random);
    ASSERT_TRUE(IsSame(InterpolatePose(at, at, t), at)) << t;
    ASSERT_TRUE(IsSame(InterpolatePose(at, {p, {-a.x, -a.y, -a.z, -a.w}}, t), at)) << t;
    // Each by itself, and each coordinate of the origin.
    const Pose moved = InterpolatePose(at, {p + Vec3d{1, 0, 0}, a}, t);
    ASSERT_TRUE(IsSame({p, moved.q_WS}, at)) << t;
    ASSERT_EQ(moved.p_WS.y, p.y) << t;
    ASSERT_EQ(moved.p_WS.z, p.z) << t;
    ASSERT_EQ(InterpolatePose(at, {p, TurnBy(1)}, t).p_WS, p) << t;
  }
}

TEST(InterpolatePose, GoesStraightAndTurnsNearlyEvenly) {
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> any(0, 1);
  double worst = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double angle = kPi * any(random);
    const double t = any(random);
    const Pose from = {{1, -2, 0}, TurnBy(0)};
    const Pose to = {{3, 2, 1e-3}, TurnBy(angle)};
    const Pose between = InterpolatePose(from, to, t);
    EXPECT_NEAR(between.p_WS.x, 1 + 2 * t, 1e-15 * 8);
    EXPECT_NEAR(between.p_WS.y, -2 + 4 * t, 1e-15 * 8);
    EXPECT_NEAR(Norm(between.q_WS), 1, 1e-15);
    const double error = std::fabs(AngleOf(between.q_WS) - t * angle);
    ASSERT_LE(error, angle * angle * angle / 200 + 1e-15) << angle << " " << t;
    worst = std::max(worst, error);
  }
  EXPECT_GT(worst, 0.1) << "half turns were among them";
}

TEST(InterpolatePose, TakesTheShorterWayWhateverTheSignsAre) {
  for (const double angle : {0.3, 1.0, 2.5}) {
    const Quaternion q = TurnBy(angle);
    const Pose to = {{}, q};
    const Pose negated = {{}, {-q.x, -q.y, -q.z, -q.w}};
    EXPECT_TRUE(IsSame(InterpolatePose({}, to, 0.3), InterpolatePose({}, negated, 0.3)));
  }
}

// Two orientations that have all but one number in common are two.
TEST(InterpolatePose, TurnsWhateverNumberTurns) {
  const Pose from = {{}, {0.5, 0.5, 0.5, 0.5}};
  for (const Quaternion& q : {Quaternion{0.5, 0.5, 0.5, -0.5}, Quaternion{0.5, 0.5, -0.5, 0.5},
                              Quaternion{0.5, -0.5, 0.5, 0.5}, Quaternion{-0.5, 0.5, 0.5, 0.5}}) {
    const Pose between = InterpolatePose(from, {{}, q}, 0.5);
    EXPECT_FALSE(IsSame(between, from));
    EXPECT_NEAR(Norm(between.q_WS), 1, 1e-15);
  }
}

TEST(InterpolatePose, IsValidAtHalfATurnAndFarOut) {
  const Pose from = {{1e307, 0, 0}, TurnBy(0)};
  const Pose to = {{-1e307, 0, 0}, {1, 0, 0, 0}};
  for (const double t : {1e-300, 0.25, 0.5, 0.75, 1 - 1e-16}) {
    const Pose between = InterpolatePose(from, to, t);
    EXPECT_EQ(FindPoseFault(between), PoseFault::kNone) << t;
    EXPECT_LE(std::fabs(between.p_WS.x), 1e307);
  }
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Time of collision of rotations: never late, held against exact distances at many times (the
// oracle's rotation is good to 1e-16 rad) and against closed forms.
#include <array>
#include <cmath>
#include <cstdio>

#include "core/query/time_of_collision.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/exact_motion.h"
#include "tests/support/generators.h"
#include "tests/support/motion_generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

constexpr int kSamples = 100;

// How far the oracle's bodies may be from where they are.
double OracleError(const MovingPair& pair) {
  return kMotionAngleError * (ReachFromPivot(pair.a) + ReachFromPivot(pair.b));
}

bool IsAboveTarget(const MovingPair& pair, double t) {
  return DistanceAt(pair.a, pair.b, t).IsAtLeast(pair.target - OracleError(pair));
}

// Evenly spaced times before t_free, and times that near it.
void ExpectFreeBefore(const MovingPair& pair, double t_free) {
  for (int i = 0; i < kSamples; ++i) {
    const double t = t_free * i / kSamples;
    ASSERT_TRUE(IsAboveTarget(pair, t)) << "late: contact at " << t << "\n" << Describe(pair);
  }
  for (int k = 7; k <= 52; k += 5) {
    const double t = t_free * (1 - std::ldexp(1.0, -k));
    ASSERT_TRUE(IsAboveTarget(pair, t)) << "late: contact at " << t << "\n" << Describe(pair);
  }
}

TEST(Rotation, IsNeverLateAndHitsWhatItSays) {
  Random random(RunSeed());
  std::array<int, 5> states = {};
  const int pairs = Effort(300);
  for (int i = 0; i < pairs; ++i) {
    const MovingPair pair = RandomRotation(random);
    const TimeOfCollisionAnswer answer = Ask(pair);
    ++states[static_cast<std::size_t>(answer.state)];
    ASSERT_EQ(FindFault(answer), "") << Describe(pair);
    ASSERT_EQ(FindProofFault(pair), "") << Describe(pair);
    if (answer.t_free > 0) ExpectFreeBefore(pair, answer.t_free);
    if (answer.state == MotionState::kHit) {
      const double near = pair.target + Tau(pair) + OracleError(pair);
      EXPECT_TRUE(DistanceAt(pair.a, pair.b, answer.t_hit).IsAtMost(near)) << Describe(pair);
      EXPECT_EQ(FindContactFault(pair, answer, Tau(pair)), "") << Describe(pair);
    }
    if (HasFailure()) return;
  }
  std::printf("free %d hit %d initially overlapping %d undecided %d\n", states[1], states[2],
              states[3], states[4]);
  EXPECT_LE(100 * states[4], pairs) << "undecided";
  EXPECT_GT(10 * states[1], pairs);
  EXPECT_GT(10 * states[2], pairs);
}

// Closed form: a rod from the pivot, turned by w, meets the point at (r cos phi, r sin phi) at phi
// / w.
TEST(Rotation, OfARodMeetsAPointAtItsAngle) {
  Random random(RunSeed() + 1);
  for (int i = 0; i < Effort(300); ++i) {
    const double phi = random.Uniform(0.01, 3);
    const double speed = random.Uniform(phi * 1.01, 20);
    const double r = random.Uniform(0.1, 1.9);
    MovingPair pair = {
        {{.kind = BodyKind::kSegment, .points = {{0, 0, 0}, {2, 0, 0}}, .radius = 0, .pose = {}},
         {}},
        {MakePointBody(0), {}},
        0};
    pair.a.motion.rotation = {0, 0, speed};
    pair.b.body.pose.p_WS = {r * std::cos(phi), r * std::sin(phi), 0};
    const TimeOfCollisionAnswer answer = Ask(pair);
    ASSERT_EQ(answer.state, MotionState::kHit) << Describe(pair);
    EXPECT_LE(answer.t_free, phi / speed * (1 + 1e-14)) << Describe(pair);
    EXPECT_NEAR(answer.t_hit, phi / speed, 2 * Tau(pair) / (r * speed) + 1e-14) << Describe(pair);
  }
}

// Closed form: a ball that orbits the pivot at radius R in a wall's plane meets the wall x = c at
// acos((c - r) / R).
TEST(Rotation, OfAnOrbitingBallMeetsAWallAtItsAngle) {
  Random random(RunSeed() + 2);
  for (int i = 0; i < Effort(300); ++i) {
    const double start = random.Uniform(1.6, 3);  // angle at t = 0, turning back towards the wall
    const double speed = random.Uniform(3, 6);
    const double wall = random.Uniform(0.3, 0.9);
    const double r = 0.1;
    MovingPair pair = {{MakePointBody(r), {}}, {MakeBoxBody({1, 8, 8}), {}}, 0};
    pair.a.body.pose.p_WS = {std::cos(start), std::sin(start), 0};
    pair.a.motion.rotation = {0, 0, -speed};
    pair.a.motion.pivot = {0, 0, 0};
    pair.b.body.pose.p_WS = {wall + 1, 0, 0};
    pair.b.motion.pivot = pair.b.body.pose.p_WS;
    const double expected = (start - std::acos(wall - r)) / speed;
    const TimeOfCollisionAnswer answer = Ask(pair);
    ASSERT_EQ(answer.state, MotionState::kHit) << Describe(pair);
    EXPECT_LE(answer.t_free, expected * (1 + 1e-14)) << Describe(pair);
    EXPECT_NEAR(answer.t_hit, expected, 1e-6) << Describe(pair);
  }
}

}  // namespace
}  // namespace clearance::testing

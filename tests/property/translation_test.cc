// SPDX-License-Identifier: Apache-2.0
//
// Time of collision of translations. Along a translation the distance of convex bodies is a convex
// function of time, so a few exact distances at exact (double) times decide everything. If it is
// still falling and above the target at a time, it was above the target at all times before. The
// oracle does not round.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/math/rounding.h"
#include "core/query/time_of_collision.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/exact_motion.h"
#include "tests/support/generators.h"
#include "tests/support/motion_generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

// Exactly: is the distance at t above that at s? Requires: both pairs apart.
bool IsFarther(const MovingPair& pair, double t, double s) {
  return DistanceAt(pair.a, pair.b, t).core_square > DistanceAt(pair.a, pair.b, s).core_square;
}

// Returns the time in [0, end] at which the distance is least, by exact comparisons.
double NearestTime(const MovingPair& pair, double end) {
  double low = 0;
  double high = end;
  for (int i = 0; i < 50; ++i) {
    const double t = low + (high - low) * 0.375;
    const double s = low + (high - low) * 0.625;
    if (IsFarther(pair, t, s)) {
      low = t;
    } else {
      high = s;
    }
  }
  return 0.5 * (low + high);
}

// A few units in the last place of the world's coordinates, which points are rounded to.
double WorldRounding(const MovingPair& pair) {
  const Vec3d& p = pair.a.body.pose.p_WS;
  return 0x1p-50 * std::hypot(p.x, p.y, p.z);
}

void ExpectHitIsRight(const MovingPair& pair, const TimeOfCollisionAnswer& answer) {
  const double tau = Tau(pair);
  EXPECT_TRUE(DistanceAt(pair.a, pair.b, answer.t_hit).IsAtMost(pair.target + tau))
      << Describe(pair);
  EXPECT_EQ(FindContactFault(pair, answer, tau + WorldRounding(pair)), "") << Describe(pair);
  const ExactDistance at_free = DistanceAt(pair.a, pair.b, answer.t_free);
  EXPECT_TRUE(at_free.IsAtLeast(pair.target)) << "late: " << Describe(pair);
  if (answer.t_free == 0) return;
  const double before = answer.t_free * (1 - 0x1p-40);
  EXPECT_TRUE(DistanceAt(pair.a, pair.b, before).IsAtLeast(pair.target))
      << "late: " << Describe(pair);
  EXPECT_FALSE(IsFarther(pair, answer.t_free, before))
      << "t_free lies behind the nearest time: " << Describe(pair);
  EXPECT_TRUE(at_free.IsAtMost(pair.target + 2 * tau)) << "early: " << Describe(pair);
}

void ExpectFreeIsRight(const MovingPair& pair) {
  const double nearest = NearestTime(pair, 1);
  for (const double t : {0.0, nearest, 1.0}) {
    EXPECT_TRUE(DistanceAt(pair.a, pair.b, t).IsAtLeast(pair.target)) << "missed at " << t << "\n"
                                                                      << Describe(pair);
  }
}

TEST(Translation, IsNeverLateAndHitsWhatItSays) {
  Random random(RunSeed());
  std::array<int, 5> states = {};
  const int pairs = Effort(1500);
  for (int i = 0; i < pairs; ++i) {
    const MovingPair pair = RandomTranslation(random);
    const TimeOfCollisionAnswer answer = Ask(pair);
    ++states[static_cast<std::size_t>(answer.state)];
    ASSERT_EQ(FindFault(answer), "") << Describe(pair);
    ASSERT_EQ(FindProofFault(pair), "") << Describe(pair);
    if (answer.state == MotionState::kHit) ExpectHitIsRight(pair, answer);
    if (answer.state == MotionState::kFree) ExpectFreeIsRight(pair);
    if (answer.state == MotionState::kInitiallyOverlapping) {
      EXPECT_TRUE(DistanceAt(pair.a, pair.b, 0).IsAtMost(pair.target + Tau(pair)))
          << Describe(pair);
    }
    if (HasFailure()) return;
  }
  std::printf("free %d hit %d initially overlapping %d undecided %d\n", states[1], states[2],
              states[3], states[4]);
  EXPECT_EQ(states[4], 0);
  EXPECT_GT(5 * states[1], pairs);
  EXPECT_GT(5 * states[2], pairs);
  EXPECT_GT(50 * states[3], pairs);
}

// Two bodies that cross are through each other at once if neither has an inside.
bool IsDifferenceSolid(const MovingPair& pair) {
  const std::size_t a = pair.a.body.points.size(), b = pair.b.body.points.size();
  return std::min(a, b) > 1 && std::max(a, b) > 3;
}

// The answer of one ray is exact to the last bit: two steps of the clock later the bodies have met.
TEST(Translation, OfPolytopesIsFreeUntilTheLastDoubleBeforeContact) {
  Random random(RunSeed() + 3);
  int hits = 0;
  const int pairs = Effort(1500);
  for (int i = 0; i < pairs; ++i) {
    const MovingPair pair = RandomTranslation(random);
    const TimeOfCollisionAnswer answer = Ask(pair);
    const bool is_by_ray = answer.state == MotionState::kHit && answer.iterations == 1;
    if (!is_by_ray || answer.t_free < 0x1p-10 || !IsDifferenceSolid(pair)) continue;
    ++hits;
    EXPECT_TRUE(DistanceAt(pair.a, pair.b, answer.t_free).IsAtLeast(0x1p-1000)) << Describe(pair);
    const double later = NextUp(NextUp(answer.t_free));
    EXPECT_TRUE(DistanceAt(pair.a, pair.b, later).IsAtMost(0)) << "early: " << Describe(pair);
    if (HasFailure()) return;
  }
  EXPECT_GT(20 * hits, pairs);
}

// Closed form: (gap / speed), both exact doubles here.
TEST(Translation, OfBoxesAlongAnAxisHitsAtGapOverSpeed) {
  Random random(RunSeed() + 1);
  for (int i = 0; i < Effort(500); ++i) {
    const double gap = 0x1p-10 * (1 + random.Below(4096));
    const double speed = gap + 0x1p-10 * (1 + random.Below(4096));
    MovingPair pair = {{MakeBoxBody({1, 2, 3}), {}}, {MakeBoxBody({2, 1, 0.5}), {}}, 0};
    pair.b.body.pose.p_WS = {3 + gap, 0.25, -0.5};
    pair.a.motion.displacement = {speed, 0, 0};
    const TimeOfCollisionAnswer answer = Ask(pair);
    ASSERT_EQ(answer.state, MotionState::kHit);
    EXPECT_LE(answer.t_free, gap / speed);
    EXPECT_NEAR(answer.t_hit, gap / speed, 1e-8 * 8 / speed);
  }
}

// Closed form: the smaller root of |p + t v| = r, in 80 bits.
TEST(Translation, OfBallsHitsAtTheRootOfTheQuadratic) {
  Random random(RunSeed() + 2);
  int hits = 0;
  const int balls = Effort(1000);
  for (int i = 0; i < balls; ++i) {
    MovingPair pair = {{MakePointBody(random.Uniform(0.1, 1)), {}},
                       {MakePointBody(random.Uniform(0.1, 1)), {}},
                       0};
    const Vec3d p = random.Uniform(2.1, 6) * random.Direction();
    pair.b.body.pose.p_WS = p;
    pair.b.motion.displacement =
        random.Uniform(0, 2) * random.Direction() - random.Uniform(0.2, 2) * p;
    const TimeOfCollisionAnswer answer = Ask(pair);
    const Vec3d& v = pair.b.motion.displacement;
    const long double r = static_cast<long double>(pair.a.body.radius) + pair.b.body.radius;
    const auto dot = [](const Vec3d& a, const Vec3d& b) {
      return static_cast<long double>(a.x) * b.x + static_cast<long double>(a.y) * b.y +
             static_cast<long double>(a.z) * b.z;
    };
    const long double half_b = dot(p, v);
    const long double discriminant = half_b * half_b - dot(v, v) * (dot(p, p) - r * r);
    if (std::fabs(discriminant) < 1e-6L * dot(v, v)) continue;  // grazing: within tau either way
    const long double root = (-half_b - std::sqrt(discriminant)) / dot(v, v);
    const bool is_hit = discriminant > 0 && root >= 0 && root <= 1;
    ASSERT_EQ(answer.state, is_hit ? MotionState::kHit : MotionState::kFree) << Describe(pair);
    if (!is_hit) continue;
    ++hits;
    EXPECT_TRUE(DistanceAt(pair.a, pair.b, answer.t_free).IsAtLeast(0))
        << "late: " << Describe(pair);
    EXPECT_NEAR(answer.t_hit, static_cast<double>(root), 1e-5) << Describe(pair);
  }
  EXPECT_GT(5 * hits, balls);
}

}  // namespace
}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Time of collision of translations: core's directional conservative advancement against interval
// halving over swept hulls and against a root finder on the distance (tests/support/reference), and
// all of them against closed forms.
//
// Let T(x) be the first time at which the distance is x or less. The first times of two targets
// order as the targets do, so that tolerances on distance turn into comparisons of times without
// knowing any speed. If core is free before t_free, T(target - e) >= t_free. If it has a hit at
// t_hit, T(target + tau + e) <= t_hit. Here e is the rounding of the reference.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/query/time_of_collision.h"
#include "tests/support/motion_generators.h"
#include "tests/support/reference/brent.h"
#include "tests/support/reference/interval_halving.h"
#include "tests/support/reference/point_simplex.h"
#include "tests/support/reference/world_points.h"

namespace clearance::testing {
namespace {

using reference::HalvingResult;
using reference::HitByHalving;
using reference::HitByRootFinding;
using reference::kShortest;
using reference::kUnit;
using reference::RootResult;
using reference::Start;
using reference::Translation;

BodyPair BodiesOf(const MovingPair& pair) { return {pair.a.body, pair.b.body}; }

Translation RelativeTranslation(const MovingPair& pair) {
  return {reference::RelativeToA(BodiesOf(pair)),
          pair.b.motion.displacement - pair.a.motion.displacement,
          pair.target + pair.a.body.radius + pair.b.body.radius};
}

// e: the rounding of the points at rest, of the displacement, and of a sum of both; and that of the
// plane that proves a distance. Its normal is v, off by 16 u M where M is the extent of the sets,
// so that at the distance |v| the plane is tilted by 16 u M / |v| and proves up to M times that
// less. Distances below about sqrt(16 u) M cannot be told from contact in this way, exact as the
// points may be: then e exceeds the target, and nothing is proved nearer than it.
double Rounding(const MovingPair& pair, const Translation& motion) {
  const double way = Norm(pair.a.motion.displacement) + Norm(pair.b.motion.displacement);
  const double extent = Extent(motion.sets) + way;
  const double tilt =
      motion.target > 0 ? extent / motion.target : std::numeric_limits<double>::infinity();
  return WorldRounding(BodiesOf(pair), motion.sets) + 16 * kUnit * extent * (4 + tilt);
}

HalvingResult HitWithin(Translation motion, double more) {
  motion.target += more;
  return HitByHalving(motion, Start::kWarm);
}

void CheckAgainstHalving(const MovingPair& pair, const TimeOfCollisionAnswer& answer,
                         bool* is_resolved) {
  const Translation motion = RelativeTranslation(pair);
  const double e = Rounding(pair, motion);
  *is_resolved = e < motion.target;
  if (!*is_resolved) return;
  const HalvingResult nearer = HitWithin(motion, -e);
  if (answer.state == MotionState::kFree) {
    EXPECT_FALSE(nearer.hits) << "missed, at " << nearer.t_high;
  }
  if (answer.state == MotionState::kHit) {
    const HalvingResult farther = HitWithin(motion, Tau(pair) + e);
    EXPECT_TRUE(farther.hits);
    EXPECT_LE(farther.t_low, answer.t_hit) << "a hit before there is one";
    if (nearer.hits) {
      EXPECT_GE(nearer.t_high, answer.t_free) << "late";
    }
  }
  if (answer.state == MotionState::kInitiallyOverlapping) {
    EXPECT_EQ(HitWithin(motion, Tau(pair) + e).t_low, 0);
  }
}

TEST(Translation, AgreesWithIntervalHalving) {
  Random random(RunSeed() + 10);
  std::array<int, 5> states{};
  const int pairs = Effort(4000, 200000);
  for (int i = 0; i < pairs; ++i) {
    MovingPair pair = RandomTranslation(random);
    if (random.OneIn(2)) pair.target += random.LogUniform(1e-4, 1e-1);
    const TimeOfCollisionAnswer answer = Ask(pair);
    bool is_resolved = false;
    CheckAgainstHalving(pair, answer, &is_resolved);
    if (HasFailure()) FAIL() << Describe(pair);
    if (is_resolved) ++states[static_cast<std::size_t>(answer.state)];
  }
  std::printf("resolved: free %d hit %d initially overlapping %d\n", states[1], states[2],
              states[3]);
  EXPECT_GE(5 * (states[1] + states[2] + states[3]), 3 * pairs);
  EXPECT_GT(10 * states[1], pairs);
  EXPECT_GT(10 * states[2], pairs);
  EXPECT_GT(50 * states[3], pairs);
}

// Both references look for the same T(target). Distances of the loop are good to e, and so is the
// root: it lies between T(target + e) and T(target - e), as halving brackets them.
TEST(Translation, AgreesWithARootFinder) {
  Random random(RunSeed() + 11);
  int hits = 0;
  const int pairs = Effort(2000, 100000);
  for (int i = 0; i < pairs; ++i) {
    MovingPair pair = RandomTranslation(random);
    pair.target += 0.01;
    const TimeOfCollisionAnswer answer = Ask(pair);
    if (answer.state == MotionState::kInitiallyOverlapping) continue;
    const Translation motion = RelativeTranslation(pair);
    const double e = Rounding(pair, motion);
    if (e > 0.5 * motion.target) continue;
    const RootResult root = HitByRootFinding(motion);
    const HalvingResult farther = HitWithin(motion, Tau(pair) + e);
    const HalvingResult nearer = HitWithin(motion, -Tau(pair) - e);
    if (!root.found) {
      ASSERT_FALSE(nearer.hits) << Describe(pair);
      continue;
    }
    ++hits;
    ASSERT_TRUE(farther.hits) << Describe(pair);
    ASSERT_GE(root.t, farther.t_low) << Describe(pair);
    if (!nearer.hits) continue;
    ASSERT_EQ(answer.state, MotionState::kHit) << Describe(pair);
    ASSERT_LE(root.t, nearer.t_high) << Describe(pair);
    ASSERT_LE(answer.t_free, nearer.t_high) << Describe(pair);
    ASSERT_GE(answer.t_hit, farther.t_low) << Describe(pair);
  }
  EXPECT_GT(10 * hits, pairs);
}

// Closed form: (gap - target) / speed, with all numbers dyadic.
TEST(Translation, OfBoxesIsSolvedByAllAtGapOverSpeed) {
  Random random(RunSeed() + 12);
  for (int i = 0; i < Effort(300); ++i) {
    const double gap = 0x1p-10 * (1025 + random.Below(4096));
    const double speed = gap + 0x1p-10 * (1 + random.Below(4096));
    MovingPair pair = {{MakeBoxBody({1, 2, 3}), {}}, {MakeBoxBody({2, 1, 0.5}), {}}, 0.25};
    pair.b.body.pose.p_WS = {3 + gap, 0.25, -0.5};
    pair.a.motion.displacement = {speed, 0, 0};
    const double truth = (gap - pair.target) / speed;
    const Translation motion = RelativeTranslation(pair);
    const double e = Rounding(pair, motion) / speed;
    const HalvingResult halving = HitByHalving(motion, Start::kCold);
    ASSERT_TRUE(halving.hits);
    EXPECT_LE(halving.t_low, truth + e);
    EXPECT_GE(halving.t_high, truth - e);
    EXPECT_LE(halving.t_high - halving.t_low, kShortest);
    const RootResult root = HitByRootFinding(motion);
    ASSERT_TRUE(root.found);
    EXPECT_NEAR(root.t, truth, 0x1p-44 + e);
    EXPECT_LT(root.evaluations, 60);
    const TimeOfCollisionAnswer answer = Ask(pair);
    EXPECT_LE(answer.t_free, truth);
    EXPECT_NEAR(answer.t_hit, truth, Tau(pair) / speed + e);
  }
}

// Closed form: the smaller root of |p + t v| = r, well away from grazing, where the speed of
// approach at contact is at least half of |v|.
TEST(Translation, OfBallsIsSolvedByAllAtTheRootOfTheQuadratic) {
  Random random(RunSeed() + 13);
  int hits = 0;
  for (int i = 0; i < Effort(500); ++i) {
    MovingPair pair = {{MakePointBody(random.Uniform(0.1, 1)), {}},
                       {MakePointBody(random.Uniform(0.1, 1)), {}},
                       random.Uniform(0, 0.1)};
    const Vec3d p = random.Uniform(2.2, 6) * random.Direction();
    const Vec3d v = 0.5 * random.Direction() - random.Uniform(0.5, 2) * p;
    pair.b.body.pose.p_WS = p;
    pair.b.motion.displacement = v;
    const Translation motion = RelativeTranslation(pair);
    const double half_b = Dot(p, v);
    const double discriminant =
        half_b * half_b - Dot(v, v) * (Dot(p, p) - motion.target * motion.target);
    if (discriminant < 0.25 * Dot(v, v) * motion.target * motion.target) continue;
    const double truth = (-half_b - std::sqrt(discriminant)) / Dot(v, v);
    if (truth > 1) continue;
    ++hits;
    const double e = 4 * Rounding(pair, motion) / Norm(v);
    const HalvingResult halving = HitByHalving(motion, Start::kWarm);
    ASSERT_TRUE(halving.hits);
    EXPECT_LE(halving.t_low, truth + e);
    EXPECT_GE(halving.t_high, truth - e);
    const RootResult root = HitByRootFinding(motion);
    ASSERT_TRUE(root.found);
    EXPECT_NEAR(root.t, truth, 0x1p-43 + e);
    const TimeOfCollisionAnswer answer = Ask(pair);
    EXPECT_LE(answer.t_free, truth + e);
    EXPECT_NEAR(answer.t_hit, truth, 4 * Tau(pair) / Norm(v) + e);
  }
  EXPECT_GE(5 * hits, Effort(500));
}

// A fixed set, so that the saving is a number and not a chance.
TEST(IntervalHalving, SavesIterationsByBeginningWithThePreviousSimplex) {
  Random random(20240229);
  int cold = 0;
  int warm = 0;
  int queries = 0;
  int same = 0;
  constexpr int kMotions = 500;
  for (int i = 0; i < kMotions; ++i) {
    MovingPair pair = RandomTranslation(random);
    pair.target += 0.01;
    const Translation motion = RelativeTranslation(pair);
    const HalvingResult from_cold = HitByHalving(motion, Start::kCold);
    const HalvingResult from_warm = HitByHalving(motion, Start::kWarm);
    const bool is_same_time = std::fabs(from_cold.t_low - from_warm.t_low) <= kShortest;
    same += from_cold.hits == from_warm.hits && is_same_time ? 1 : 0;
    cold += from_cold.iterations;
    warm += from_warm.iterations;
    queries += from_warm.queries;
  }
  RecordProperty("queries", queries);
  RecordProperty("iterations_cold", cold);
  RecordProperty("iterations_warm", warm);
  std::printf("%d queries: %d iterations cold, %d warm; %d of %d the same\n", queries, cold, warm,
              same, kMotions);
  EXPECT_LT(2 * warm, cold);
  EXPECT_GE(100 * same, 98 * kMotions) << "what is left is planted at the target to rounding";
}

}  // namespace
}  // namespace clearance::testing

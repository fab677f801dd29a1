// SPDX-License-Identifier: Apache-2.0
//
// Bounds of pieces are below the distances that convex queries prove, of any size, far from the
// origin and at all times, and close to them where the pieces are balls.

#include "core/query/piece_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/compound.h"
#include "tests/support/generators.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

using testing::CompoundFamily;
using testing::CompoundPair;
using testing::Random;

CompoundPair Scaled(CompoundPair pair, double scale) {
  for (testing::Compound* compound : {&pair.a, &pair.b}) {
    compound->pose.p_WS = scale * compound->pose.p_WS;
    for (testing::Body& piece : compound->pieces) {
      piece.pose.p_WS = scale * piece.pose.p_WS;
      piece.radius *= scale;
      for (Vec3d& p : piece.points) p = scale * p;
    }
  }
  return pair;
}

TEST(StandingBounds, AreBelowTheDistances) {
  Random random(testing::RunSeed());
  int is_close = 0;
  for (int i = 0; i < 200; ++i) {
    const auto family = static_cast<CompoundFamily>(i % testing::kCompoundFamilyCount);
    const double scale = std::ldexp(1.0, random.Below(1900) - 950);
    const CompoundPair pair = Scaled(RandomCompoundPair(family, 6, random), scale);
    const RigidBodyPtr a = MakeRigidBody(pair.a), b = MakeRigidBody(pair.b);
    const StandingBounds bounds({*a, pair.a.pose}, {*b, pair.b.pose});
    for (std::uint32_t j = 0; j < b->pieces().size(); ++j) {
      const Ball ball = bounds.Place(j);
      for (std::uint32_t k = 0; k < a->pieces().size(); ++k) {
        const Piece& piece_a = a->pieces()[k];
        const Piece& piece_b = b->pieces()[j];
        const DistanceAnswer answer = Distance({*piece_a.shape, pair.a.pose, piece_a.local},
                                               {*piece_b.shape, pair.b.pose, piece_b.local}, {});
        ASSERT_LE(bounds.Bound(k, ball), answer.bracket.upper) << Describe(pair);
        ASSERT_LE(bounds.BoundOfAll(ball), answer.bracket.upper) << Describe(pair);
        is_close += bounds.Bound(k, ball) > 0.5 * answer.bracket.upper;
      }
    }
  }
  EXPECT_GT(is_close, 200) << "bounds that say nothing";
}

TEST(StandingBounds, AreTheDistancesOfBalls) {
  const RigidBodyPtr a =
      std::get<RigidBodyPtr>(MakeCompound({{Sphere(1), At(0, 0, 0)}, {Sphere(2), At(9, 0, 0)}}));
  const RigidBodyPtr b = MakeBody(Sphere(0.5));
  const Pose pose_a = {{1e6, 0, 0}, kQuarterTurn};
  const Pose pose_b = At(1e6, 5, 0);
  const StandingBounds bounds({*a, pose_a}, {*b, pose_b});
  EXPECT_NEAR(bounds.Bound(0, bounds.Place(0)), 3.5, 1e-11);
  EXPECT_NEAR(bounds.Bound(1, bounds.Place(0)), 1.5, 1e-11);
  EXPECT_LE(bounds.Bound(1, bounds.Place(0)), 1.5);
  EXPECT_EQ(FindNearestPair(bounds, nullptr).pair, (PiecePair{1, 0}));
}

Motion RandomMotion(const Vec3d& start, Random& random) {
  Motion motion;
  if (!random.OneIn(4)) motion.displacement = random.InCube(3);
  if (!random.OneIn(4)) motion.rotation = random.LogUniform(1e-3, 20) * random.Direction();
  motion.pivot = start;
  if (random.OneIn(2)) motion.pivot = motion.pivot + random.InCube(2);
  return motion;
}

// The least distance of each pair at some times, in double: good to about 1e-9 of the size.
TEST(MovingBounds, AreBelowTheDistancesAtAllTimes) {
  Random random(testing::RunSeed() + 1);
  int is_close = 0;
  for (int i = 0; i < 30; ++i) {
    const auto family = static_cast<CompoundFamily>(i % testing::kCompoundFamilyCount);
    const CompoundPair pair = RandomCompoundPair(family, 4, random);
    const RigidBodyPtr a = MakeRigidBody(pair.a), b = MakeRigidBody(pair.b);
    const Motion motion_a = RandomMotion(pair.a.pose.p_WS, random);
    const Motion motion_b = RandomMotion(pair.b.pose.p_WS, random);
    MovingBounds bounds({*a, pair.a.pose, motion_a}, {*b, pair.b.pose, motion_b});
    const double t_end = random.OneIn(2) ? 1 : random.Uniform(0, 1);
    bounds.EndAt(t_end);
    for (std::uint32_t j = 0; j < b->pieces().size(); ++j) {
      const Ball ball = bounds.Place(j);
      for (std::uint32_t k = 0; k < a->pieces().size(); ++k) {
        double least = HUGE_VAL;
        for (int step = 0; step <= 8; ++step) {
          const double t = t_end * step / 8;
          least = std::min(least, PieceDistance(pair.a.pieces[k], PlacementAt(pair.a, motion_a, t),
                                                pair.b.pieces[j], PlacementAt(pair.b, motion_b, t))
                                      .Approximate());
        }
        ASSERT_LE(bounds.Bound(k, ball), least + 1e-9) << Describe(pair);
        ASSERT_LE(bounds.BoundOfAll(ball), least + 1e-9) << Describe(pair);
        is_close += least > 0 && bounds.Bound(k, ball) > 0.3 * least;
      }
    }
  }
  EXPECT_GT(is_close, 30) << "bounds that say nothing";
}

TEST(MovingBounds, KnowWhereABallPasses) {
  const RigidBodyPtr ball = MakeBody(Sphere(0.5));
  const Pose start_b = At(-10, 3, 0);
  const Motion still;
  const Motion passing = {{20, 0, 0}, {}, start_b.p_WS};
  MovingBounds bounds({*ball, kIdentityPose, still}, {*ball, start_b, passing});
  EXPECT_NEAR(bounds.Bound(0, bounds.Place(0)), 2, 1e-10);
  bounds.EndAt(0.25);
  EXPECT_NEAR(bounds.Bound(0, bounds.Place(0)), std::sqrt(34.0) - 1, 1e-10);
  // It spins in its place, however fast.
  const Motion spin = {{}, {0, 0, 600}, start_b.p_WS};
  const MovingBounds spinning({*ball, kIdentityPose, still}, {*ball, start_b, spin});
  EXPECT_NEAR(spinning.Bound(0, spinning.Place(0)), std::sqrt(109.0) - 1, 1e-10);
  // It orbits the pivot at the distance 2.
  const Motion orbit = {{}, {0, 0, 6}, {-10, 1, 0}};
  const MovingBounds orbiting({*ball, kIdentityPose, still}, {*ball, start_b, orbit});
  EXPECT_NEAR(orbiting.Bound(0, orbiting.Place(0)), std::sqrt(101.0) - 3, 1e-10);
}

}  // namespace
}  // namespace clearance

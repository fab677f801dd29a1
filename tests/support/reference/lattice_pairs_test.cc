// SPDX-License-Identifier: Apache-2.0
//
// Whole pairs on a small lattice, where the boolean loop and brute force decide by signs of exact
// integers: both against the exact oracle (exact_distance.h), touching included.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "tests/support/exact_distance.h"
#include "tests/support/generators.h"
#include "tests/support/reference/boolean_gjk.h"
#include "tests/support/reference/brute_force.h"
#include "tests/support/reference/gjk_loop.h"
#include "tests/support/reference/sub_solvers.h"

namespace clearance::reference {
namespace {

using testing::BodyPair;
using testing::CoreRelation;
using testing::Effort;
using testing::ExactDistance;
using testing::Family;
using testing::Random;
using testing::RunSeed;

// Turned by nothing, so that points are added exactly.
Points InWorld(const testing::Body& body) {
  Points points;
  for (const Vec3d& p : body.points) points.push_back(p + body.pose.p_WS);
  return points;
}

DifferenceSets SetsOf(const BodyPair& pair) { return {InWorld(pair.a), InWorld(pair.b)}; }

BodyPair NextPair(Random& random) { return Generate(Family::kLatticeTouching, random); }

TEST(BooleanGjk, NeverFailsOnALatticeNotEvenTouching) {
  Random random(RunSeed());
  std::array<int, 3> relations{};
  const int pairs = Effort(30000, 300000);
  for (int i = 0; i < pairs; ++i) {
    const BodyPair pair = NextPair(random);
    const CoreRelation truth = ComputeExactDistance(MakeExactPair(pair)).relation;
    ++relations[static_cast<std::size_t>(truth)];
    const BooleanResult result = ShareAPoint(SetsOf(pair));
    ASSERT_EQ(result.common, truth == CoreRelation::kOutside ? Common::kNone : Common::kPoint)
        << Describe(pair);
  }
  std::printf("outside %d boundary %d inside %d\n", relations[0], relations[1], relations[2]);
  for (const int relation : relations) EXPECT_GE(20 * relation, pairs);
}

TEST(BruteForce, IsTheExactSignedDistanceOnALattice) {
  Random random(RunSeed() + 1);
  std::array<int, 3> origins{};
  const int pairs = Effort(400, 10000);
  for (int i = 0; i < pairs; ++i) {
    const BodyPair pair = NextPair(random);
    const ExactDistance truth = ComputeExactSignedDistance(MakeExactPair(pair));
    const BruteForceResult result = DistanceByBruteForce(SetsOf(pair));
    ++origins[static_cast<std::size_t>(result.origin)];
    ASSERT_EQ(static_cast<int>(result.origin), static_cast<int>(truth.relation)) << Describe(pair);
    // One root and one division of exact integers.
    ASSERT_NEAR(result.distance, truth.Approximate(), 4 * kUnit * std::fabs(result.distance))
        << Describe(pair);
  }
  for (const int origin : origins) EXPECT_GT(20 * origin, pairs);
}

// The loop with every sub-distance, and divide and conquer, against brute force: on a lattice the
// sub-distances are off by 64 units of the extent at most, and so is what the loop ends on.
TEST(Loop, AgreesWithBruteForceOnALattice) {
  Random random(RunSeed() + 2);
  for (int i = 0; i < Effort(400, 10000); ++i) {
    const BodyPair pair = NextPair(random);
    const DifferenceSets sets = SetsOf(pair);
    const double distance = std::max(0.0, DistanceByBruteForce(sets).distance);
    const double slack = 64 * kUnit * Extent(sets);
    for (const SubSolver& solver : kSubSolvers) {
      const LoopResult result = RunGjk(sets, solver.solve, BeginCold(sets, 1));
      ASSERT_NEAR(result.upper, distance, slack) << solver.name << "\n" << Describe(pair);
      ASSERT_NE(result.end, LoopEnd::kIterationLimit) << solver.name << "\n" << Describe(pair);
    }
    ASSERT_NEAR(ClosestByDivideAndConquer(sets).upper, distance, slack) << Describe(pair);
  }
}

// The simplices of A and B carry the closest points, and they are independent: no more vertices
// than a nearest feature has.
TEST(DivideAndConquer, TellsTheSimplicesThatCarryTheClosestPoints) {
  Random random(RunSeed() + 3);
  int separated = 0;
  for (int i = 0; i < Effort(5000, 500000); ++i) {
    const BodyPair pair = NextPair(random);
    const DifferenceSets sets = SetsOf(pair);
    const ClosestPair closest = ClosestByDivideAndConquer(sets);
    ASSERT_FALSE(closest.hit_iteration_limit) << Describe(pair);
    ASSERT_EQ(closest.simplex_a.size(), closest.simplex_b.size());
    Vec3d p_a;
    Vec3d p_b;
    for (std::size_t k = 0; k < closest.weights.size(); ++k) {
      p_a = p_a + closest.weights[k] * sets.a[closest.simplex_a[k]];
      p_b = p_b + closest.weights[k] * sets.b[closest.simplex_b[k]];
    }
    ASSERT_EQ(p_a, closest.p_a);
    ASSERT_EQ(p_b, closest.p_b);
    ASSERT_NEAR(Norm(p_a - p_b), closest.upper, 16 * kUnit * Extent(sets));
    separated += closest.lower > 0 ? 1 : 0;
    if (closest.lower > 0) {
      ASSERT_LE(closest.weights.size(), 3U);
    }
  }
  EXPECT_GT(separated, 0);
}

}  // namespace
}  // namespace clearance::reference

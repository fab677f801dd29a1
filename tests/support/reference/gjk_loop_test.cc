// SPDX-License-Identifier: Apache-2.0
//
// The seven steps of the loop one by one, a run in the plane traced by hand, and the simplex's size
// at every turn.
#include "tests/support/reference/gjk_loop.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"
#include "tests/support/reference/sub_solvers.h"

namespace clearance::reference {
namespace {

const Points kUnitCube = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                          {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
const Points kOrigin = {{0, 0, 0}};

Points Moved(Points points, const Vec3d& by) {
  for (Vec3d& p : points) p = p + by;
  return points;
}

Simplex SimplexOf(const DifferenceSets& sets, const std::vector<int>& vertices_of_a) {
  Simplex q;
  for (const int i : vertices_of_a) q.Add(sets.At(i, 0, false));
  return q;
}

TEST(Step1, BeginsWithOneToFourDifferentPointsOfTheDifference) {
  const DifferenceSets sets = {kUnitCube, {{3, 3, 3}}};
  for (int count = 1; count <= 4; ++count) {
    const Simplex q = BeginCold(sets, count);
    EXPECT_GE(q.size, 1);
    EXPECT_LE(q.size, count);
    for (int i = 0; i < q.size; ++i) {
      EXPECT_EQ(q.point[i].w, q.point[i].a - q.point[i].b);
      for (int j = 0; j < i; ++j) EXPECT_FALSE(q.point[i].IsSameAs(q.point[j]));
    }
  }
  EXPECT_EQ(BeginCold({kOrigin, kOrigin}, 4).size, 1);
}

TEST(Step1, BeginsWarmWithTheSamePairsWhereTheyStandNow) {
  DifferenceSets sets = {kUnitCube, {{3, 3, 3}}};
  const Simplex earlier = BeginCold(sets, 4);
  sets.b[0] = {5, 6, 7};
  const Simplex q = BeginWarm(sets, earlier);
  ASSERT_EQ(q.size, earlier.size);
  for (int i = 0; i < q.size; ++i) {
    EXPECT_TRUE(q.point[i].IsSameAs(earlier.point[i]));
    EXPECT_EQ(q.point[i].w, earlier.point[i].w - Vec3d({2, 3, 4}));
  }
}

TEST(Step2, FindsThePointOfLeastNorm) {
  const DifferenceSets sets = {{{2, 1, 0}, {2, -1, 0}, {4, 0, 0}}, kOrigin};
  for (const SubSolver& solver : kSubSolvers) {
    const NearestPoint p = solver.solve(SimplexOf(sets, {0, 1, 2}).Points());
    EXPECT_EQ(p.v, Vec3d({2, 0, 0})) << solver.name;
    EXPECT_EQ(p.mask, 0b011U) << solver.name;
  }
}

TEST(Step3, StopsAtTheOriginOrInsideATetrahedron) {
  NearestPoint p;
  p.mask = 0b0111;
  EXPECT_TRUE(IsOrigin(p, 1));
  p.v = {1e-14, 0, 0};
  EXPECT_FALSE(IsOrigin(p, 1));
  EXPECT_TRUE(IsOrigin(p, 100));
  p.mask = 0b1111;
  EXPECT_TRUE(IsOrigin(p, 1));
}

TEST(Step4, KeepsOnlyWhatHoldsThePoint) {
  const DifferenceSets sets = {{{2, 1, 0}, {4, 0, 0}, {2, -1, 0}}, kOrigin};
  const Simplex reduced = Reduce(SimplexOf(sets, {0, 1, 2}), 0b101);
  ASSERT_EQ(reduced.size, 2);
  EXPECT_EQ(reduced.point[0].index_a, 0);
  EXPECT_EQ(reduced.point[1].index_a, 2);
}

TEST(Step5, SupportsTheDifferenceByTheDifferenceOfSupports) {
  const DifferenceSets sets = {kUnitCube, Moved(kUnitCube, {3, 0, 0})};
  const DifferencePoint v = sets.Support({-1, 2, 3});
  EXPECT_EQ(v.a, Vec3d({0, 1, 1}));
  EXPECT_EQ(v.b, Vec3d({4, 0, 0}));
  EXPECT_EQ(v.w, Vec3d({-4, 1, 1}));
}

TEST(Step6, StopsWhereTheSupportIsNoMoreExtreme) {
  EXPECT_TRUE(IsNoMoreExtreme({2, 5, 0}, {2, 0, 0}, 5));
  EXPECT_FALSE(IsNoMoreExtreme({1.9, 5, 0}, {2, 0, 0}, 5));
}

TEST(Step7, GoesOnFromTheReducedSimplexAndTheNewPoint) {
  const DifferenceSets sets = {Moved(kUnitCube, {2, -0.25, -0.5}), kOrigin};
  std::vector<Turn> trace;
  RunGjk(sets, NearestByJohnson, SimplexOf(sets, {7}), &trace);
  ASSERT_GE(trace.size(), 2U);
  for (std::size_t i = 1; i < trace.size(); ++i) {
    EXPECT_EQ(trace[i].q.size, trace[i - 1].reduced.size + 1);
    EXPECT_EQ(trace[i].q.point[trace[i].q.size - 1].w, trace[i - 1].v);
  }
}

// By hand, in the plane z = 0. The difference is the pentagon
//     0 (4, 4)   1 (7, 1)   2 (5, -2)   3 (2, -1)   4 (1, 2)
// Turn 1: Q = {0, 1, 2}. Nearest is the edge 0-2: x = 4 + t, y = 4 - 6t, least at t = 20/37, so
//   P = (168, 28)/37 and Q' = {0, 2}. Along -P = -(6, 1) vertex 4 is highest (6 * 1 + 2 = 8; vertex
//   3: 11), so V = (1, 2).
// Turn 2: Q = {0, 2, 4}. Nearest is the edge 2-4: (5 - 4t, -2 + 4t), least at t = 7/8, P = (1.5,
//   1.5) and Q' = {2, 4}. Along -(1, 1) vertex 3 is highest (1; vertex 4: 3), V = (2, -1).
// Turn 3: Q = {2, 4, 3}. Nearest is the edge 4-3: (1 + t, 2 - 3t), least at t = 1/2, P = (1.5,
//   0.5), Q' = {4, 3}. Along -(3, 1) the vertices 3 and 4 are both highest (5): P is the answer,
//   and the distance is sqrt(2.5).
TEST(Loop, RunsInThePlaneAsTracedByHand) {
  const DifferenceSets sets = {{{4, 4, 0}, {7, 1, 0}, {5, -2, 0}, {2, -1, 0}, {1, 2, 0}}, kOrigin};
  for (const SubSolver& solver : kSubSolvers) {
    std::vector<Turn> trace;
    const LoopResult result = RunGjk(sets, solver.solve, SimplexOf(sets, {0, 1, 2}), &trace);
    ASSERT_EQ(trace.size(), 3U) << solver.name;
    EXPECT_LE(Norm(trace[0].p - Vec3d{168.0 / 37, 28.0 / 37, 0}), 8 * kUnit * 8) << solver.name;
    EXPECT_EQ(trace[0].reduced.size, 2) << solver.name;
    EXPECT_EQ(trace[0].v, Vec3d({1, 2, 0})) << solver.name;
    EXPECT_LE(Norm(trace[1].p - Vec3d{1.5, 1.5, 0}), 8 * kUnit * 8) << solver.name;
    EXPECT_EQ(trace[1].v, Vec3d({2, -1, 0})) << solver.name;
    EXPECT_LE(Norm(trace[2].p - Vec3d{1.5, 0.5, 0}), 8 * kUnit * 8) << solver.name;
    EXPECT_EQ(result.end, LoopEnd::kSeparated) << solver.name;
    EXPECT_NEAR(result.upper, std::sqrt(2.5), 8 * kUnit * 8) << solver.name;
    EXPECT_EQ(result.q.size, 2) << solver.name;
  }
}

// Caratheodory: before step 2 at most d + 1 points, after step 4 at most d while P is not the
// origin.
void ExpectSmallSimplices(const DifferenceSets& sets, int dimension) {
  for (const SubSolver& solver : kSubSolvers) {
    std::vector<Turn> trace;
    RunGjk(sets, solver.solve, BeginCold(sets, 1), &trace);
    for (const Turn& turn : trace) {
      EXPECT_LE(turn.q.size, dimension + 1) << solver.name;
      EXPECT_LE(turn.reduced.size, turn.v == Vec3d{} ? dimension + 1 : dimension) << solver.name;
    }
  }
}

// In a space of `dimension` dimensions, on integers, where no rounding can fake another.
Points LatticePoints(testing::Random& random, int dimension) {
  const auto any = [&](int axis) { return axis < dimension ? random.Below(9) - 4.0 : 0.0; };
  Points points(6);
  for (Vec3d& p : points) p = {any(0), any(1), any(2)};
  return points;
}

TEST(Loop, NeedsNoMorePointsThanCaratheodorySays) {
  testing::Random random(testing::RunSeed());
  for (int i = 0; i < testing::Effort(2000); ++i) {
    for (const int dimension : {1, 2, 3}) {
      const Points a = LatticePoints(random, dimension);
      const Points b = LatticePoints(random, dimension);
      ExpectSmallSimplices({a, Moved(b, {1.0 * random.Below(12), 0, 0}), {}}, dimension);
      ASSERT_FALSE(HasFailure());
    }
  }
}

}  // namespace
}  // namespace clearance::reference

// SPDX-License-Identifier: Apache-2.0
//
// The solvers of the plane against each other on lattice polygons, where every sign is exact: GJK,
// EPA, separating axes, and the quadratic brute force; and the two supports.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "tests/support/random.h"
#include "tests/support/reference/gjk_loop.h"
#include "tests/support/reference/plane_epa.h"
#include "tests/support/reference/plane_gjk.h"
#include "tests/support/reference/plane_sat.h"
#include "tests/support/reference/polygon.h"
#include "tests/support/reference/sub_solvers.h"

namespace clearance::reference {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

Polygon LatticePolygon(Random& random, int side, const Vec2& at) {
  for (;;) {
    std::vector<Vec2> points;
    for (int i = 3 + random.Below(6); i > 0; --i) {
      points.push_back(at + Vec2{1.0 * random.Below(side), 1.0 * random.Below(side)});
    }
    Polygon hull = HullOf(std::move(points));
    if (hull.size() >= 3) return hull;
  }
}

struct PolygonPair {
  Polygon a;
  Polygon b;
};

PolygonPair NextPair(Random& random) {
  const int side = random.OneIn(2) ? 4 : 30;
  const auto any = [&] { return 1.0 * (random.Below(side) - side / 4); };
  Polygon a = LatticePolygon(random, side, {});
  return {std::move(a), LatticePolygon(random, side, {any(), any()})};
}

std::string Describe(const PolygonPair& pair) {
  std::string text;
  for (const Polygon* polygon : {&pair.a, &pair.b}) {
    for (const Vec2& p : *polygon) {
      text += "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ") ";
    }
    text += "\n";
  }
  return text;
}

// Coordinates up to 60: rounding of one division and one root of exact integers.
constexpr double kRounding = 64 * 60 * kUnit;

void ExpectDepthAgrees(const PolygonPair& pair, const SatResult& sat, const PlaneGjkResult& gjk) {
  const PlaneDepth epa = DepthByExpansion(pair.a, pair.b, gjk.simplex);
  ASSERT_FALSE(epa.hit_iteration_limit);
  ASSERT_NEAR(epa.depth, -sat.separation, kRounding);
  ASSERT_NEAR(Norm(epa.n_AB), 1, kRounding);
  ASSERT_LE(Norm(epa.p_A - epa.p_B - epa.depth * epa.n_AB), kRounding);
  // Certificate: no difference is farther out along the normal, so that moving B by it is enough.
  ASSERT_LE(Dot(epa.n_AB, Support(pair.a, pair.b, epa.n_AB).w), epa.depth + kRounding);
}

DifferenceSets InSpace(const PolygonPair& pair) {
  DifferenceSets sets;
  for (const Vec2& p : pair.a) sets.a.push_back({p.x, p.y, 0});
  for (const Vec2& p : pair.b) sets.b.push_back({p.x, p.y, 0});
  return sets;
}

TEST(Plane, GjkEpaSeparatingAxesAndBruteForceAgree) {
  Random random(RunSeed());
  std::array<int, 3> contacts{};
  const int pairs = Effort(50000, 2000000);
  for (int i = 0; i < pairs; ++i) {
    const PolygonPair pair = NextPair(random);
    const SatResult sat = CompareBySeparatingAxes(pair.a, pair.b);
    const PlaneFacts facts = CompareByBruteForce(pair.a, pair.b);
    const PlaneGjkResult gjk = SharePointInPlane(pair.a, pair.b);
    ++contacts[static_cast<std::size_t>(sat.contact)];
    ASSERT_EQ(facts.contact, sat.contact) << Describe(pair);
    // The separation is what the normal makes of it.
    ASSERT_NEAR(Dot(sat.n_AB, Support(pair.a, pair.b, sat.n_AB).w), -sat.separation, kRounding)
        << Describe(pair);
    ASSERT_FALSE(gjk.hit_iteration_limit) << Describe(pair);
    ASSERT_EQ(gjk.share_a_point, sat.contact != Contact::kSeparated) << Describe(pair);
    if (gjk.share_a_point) {
      ExpectDepthAgrees(pair, sat, gjk);
      if (HasFatalFailure()) FAIL() << Describe(pair);
    } else {
      ASSERT_LE(sat.separation, facts.distance + kRounding) << Describe(pair);
    }
  }
  std::printf("separated %d touching %d overlapping %d\n", contacts[0], contacts[1], contacts[2]);
  EXPECT_GE(10 * contacts[0], pairs);
  EXPECT_GE(50 * contacts[1], pairs);
  EXPECT_GE(10 * contacts[2], pairs);
}

TEST(Plane, TheSevenStepLoopFindsTheDistanceOfBruteForce) {
  Random random(RunSeed() + 1);
  for (int i = 0; i < Effort(5000, 500000); ++i) {
    const PolygonPair pair = NextPair(random);
    const double distance = CompareByBruteForce(pair.a, pair.b).distance;
    const DifferenceSets sets = InSpace(pair);
    for (const SubSolver& solver : kSubSolvers) {
      const LoopResult result = RunGjk(sets, solver.solve, BeginCold(sets, 1));
      ASSERT_NEAR(result.upper, distance, kRounding) << solver.name << "\n" << Describe(pair);
      ASSERT_LE(result.q.size, 3) << solver.name << "\n" << Describe(pair);
    }
  }
}

TEST(Plane, TripleProductIsThatOfSpace) {
  Random random(RunSeed() + 2);
  for (int i = 0; i < 1000; ++i) {
    const auto any = [&] { return Vec2{random.Below(99) - 49.0, random.Below(99) - 49.0}; };
    const Vec2 a = any();
    const Vec2 b = any();
    const Vec2 c = any();
    const Vec3d in_space = Cross(Cross(Vec3d{a.x, a.y, 0}, Vec3d{b.x, b.y, 0}), Vec3d{c.x, c.y, 0});
    EXPECT_EQ(TripleProduct(a, b, c), Vec2({in_space.x, in_space.y}));
  }
}

TEST(Plane, HullTurnsLeftEverywhereAndHoldsEveryPoint) {
  Random random(RunSeed() + 3);
  for (int i = 0; i < 2000; ++i) {
    std::vector<Vec2> points;
    for (int n = 1 + random.Below(12); n > 0; --n) {
      points.push_back({1.0 * random.Below(6), 1.0 * random.Below(6)});
    }
    const Polygon hull = HullOf(points);
    if (hull.size() < 3) continue;
    for (std::size_t k = 0; k < hull.size(); ++k) {
      const Vec2 along = hull[(k + 1) % hull.size()] - hull[k];
      const Vec2 next = hull[(k + 2) % hull.size()] - hull[(k + 1) % hull.size()];
      EXPECT_GT(Cross(along, next), 0);
      for (const Vec2& p : points) EXPECT_GE(Cross(along, p - hull[k]), 0);
    }
  }
}

// Six times as large, with up to two more vertices on each edge.
Polygon WithVerticesOnEdges(const Polygon& polygon, Random& random) {
  Polygon result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2& from = polygon[i];
    const Vec2& to = polygon[(i + 1) % polygon.size()];
    result.push_back(6.0 * from);
    const int more = random.Below(3);
    for (int k = 1; k <= more; ++k) {
      const double t = 6.0 * k / (more + 1);
      result.push_back((6 - t) * from + t * to);
    }
  }
  return result;
}

// Integer directions along and across edges among them, where heights tie.
TEST(Plane, ClimbsAsHighAsAScanFromEveryStart) {
  Random random(RunSeed() + 4);
  int ties = 0;
  for (int i = 0; i < 3000; ++i) {
    const Polygon polygon =
        WithVerticesOnEdges(LatticePolygon(random, random.OneIn(2) ? 4 : 30, {}), random);
    const int n = static_cast<int>(polygon.size());
    const Vec2 along = polygon[1] - polygon[0];
    Vec2 d = {random.Below(9) - 4.0, random.Below(9) - 4.0};
    if (random.OneIn(2)) d = random.Sign() * Vec2{-along.y, along.x};
    const double top = Dot(d, polygon[HighestByScan(polygon, d)]);
    ties += Dot(d, polygon[0]) == Dot(d, polygon[1]) ? 1 : 0;
    for (int start = 0; start < n; ++start) {
      int looked_at = 0;
      EXPECT_EQ(Dot(d, polygon[HighestByClimbing(polygon, d, start, &looked_at)]), top);
      EXPECT_LE(looked_at, 2 * n + 1);
    }
  }
  EXPECT_GE(ties, 1000);
}

}  // namespace
}  // namespace clearance::reference

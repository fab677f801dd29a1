// SPDX-License-Identifier: Apache-2.0
//
// Supports of core against a scan of the caller's own points (tests/support/reference): of one
// body, of a posed pair, and of a pair of which one sweeps; and a sweep against the hull of its
// doubled vertices. Heights are compared, not vertices: ties are allowed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/math/tolerance.h"
#include "core/query/distance.h"
#include "core/query/pair_solver.h"
#include "core/query/relative_motion.h"
#include "core/support/support.h"
#include "tests/support/generators.h"
#include "tests/support/motion_generators.h"
#include "tests/support/reference/gjk_loop.h"
#include "tests/support/reference/sub_solvers.h"
#include "tests/support/reference/world_points.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

using reference::DifferenceSets;
using reference::HighestByScan;
using reference::kSubSolvers;
using reference::kUnit;
using reference::Points;
using reference::Rotated;

// Random, along an axis, or across two edges of the body, where heights tie.
Vec3d SomeDirection(Random& random, const Points& points) {
  static constexpr std::array<Vec3d, 3> kAxes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const int choice = random.Below(3);
  if (choice == 0) return random.Direction();
  if (choice == 1) return random.Sign() * kAxes[random.Below(3)];
  const auto any = [&] { return points[random.Below(static_cast<int>(points.size()))]; };
  const Vec3d n = Cross(any() - any(), any() - any());
  return Norm(n) > 1e-3 ? (1 / Norm(n)) * n : random.Direction();
}

double Height(const Points& points, const Vec3d& d) {
  return Dot(d, points[HighestByScan(points, d)]);
}

Family AnyFamily(Random& random) { return static_cast<Family>(random.Below(kFamilyCount)); }

// The vertex that core answers with, in metres of the shape's frame (an exact shift and power of
// 2).
Vec3d HighestOfCore(const ConvexShape& shape, const Vec3d& d, Random& random) {
  const VertexIndex start =
      static_cast<VertexIndex>(random.Below(static_cast<int>(shape.vertex_count())));
  return shape.center() +
         std::ldexp(1.0, shape.exponent()) * shape.vertex(SupportVertex(shape, d, start));
}

TEST(Support, IsAsHighAsAnyOfTheCallersPoints) {
  Random random(RunSeed() + 20);
  for (int i = 0; i < Effort(3000, 300000); ++i) {
    const Body body = Generate(AnyFamily(random), random).a;
    const ConvexShapePtr shape = MakeShape(body);
    const double extent = Extent(DifferenceSets{body.points, {{}}});
    for (int k = 0; k < 10; ++k) {
      const Vec3d d = SomeDirection(random, body.points);
      // The error that the header of SupportVertex allows, and the rounding of the two heights.
      ASSERT_NEAR(Dot(d, HighestOfCore(*shape, d, random)), Height(body.points, d),
                  (kSupportDeficit + 8) * kUnit * extent)
          << Describe(body);
    }
  }
}

// R S(R^-1 d) + p, S being core's.
TEST(Support, OfAPosedBodyIsItsOwnTurnedBack) {
  Random random(RunSeed() + 21);
  for (int i = 0; i < Effort(3000, 300000); ++i) {
    const BodyPair pair = Generate(AnyFamily(random), random);
    const DifferenceSets sets = reference::RelativeToA(pair);
    const Vec3d d = SomeDirection(random, sets.b);
    const Quaternion& q = pair.b.pose.q_WS;
    const Vec3d d_B = Rotated({-q.x, -q.y, -q.z, q.w}, d);
    const Vec3d own = HighestOfCore(*MakeShape(pair.b), d_B, random);
    const Vec3d offset = pair.b.pose.p_WS - pair.a.pose.p_WS;
    ASSERT_NEAR(Dot(d, Rotated(q, own) + offset), Height(sets.b, d), WorldRounding(pair, sets))
        << Describe(pair);
  }
}

// The difference of a pair in motion, as core's swept support and as a scan of points see it.
struct Swept {
  explicit Swept(const MovingPair& pair)
      : a(MakeShape(pair.a.body)),
        b(MakeShape(pair.b.body)),
        motion({*a, pair.a.body.pose, pair.a.motion}, {*b, pair.b.body.pose, pair.b.motion}),
        placement(motion.Swept()),
        sets(reference::RelativeToA({pair.a.body, pair.b.body})) {
    sets.sweep = pair.b.motion.displacement - pair.a.motion.displacement;
  }

  ConvexShapePtr a;
  ConvexShapePtr b;
  RelativeMotion motion;
  Placement<double> placement;
  DifferenceSets sets;
};

Points Doubled(const Points& points, const Vec3d& sweep) {
  Points doubled = points;
  for (const Vec3d& p : points) doubled.push_back(p + sweep);
  return doubled;
}

TEST(SweptSupport, BySignOfTheSweepIsThatOfDoubledVertices) {
  Random random(RunSeed() + 22);
  int swept_higher = 0;
  const int pairs = Effort(3000, 300000);
  for (int i = 0; i < pairs; ++i) {
    const MovingPair pair = RandomTranslation(random);
    const Swept swept(pair);
    const DifferenceSets doubled = {swept.sets.a, Doubled(swept.sets.b, swept.sets.sweep), {}};
    const Vec3d d = SomeDirection(random, swept.sets.b);
    const double truth = Height(doubled.a, d) + Height(doubled.b, -d);
    const double rounding =
        WorldRounding({pair.a.body, pair.b.body}, swept.sets) +
        32 * kUnit * (Norm(pair.a.motion.displacement) + Norm(pair.b.motion.displacement));
    ASSERT_NEAR(Dot(d, swept.sets.Support(d).w), truth, rounding) << Describe(pair);
    MinkowskiDifference<double> difference(swept.motion.pair(), swept.placement);
    const Quaternion& q = pair.a.body.pose.q_WS;
    const Vec3d d_A = Rotated({-q.x, -q.y, -q.z, q.w}, d);
    const auto highest = difference.Support(d_A);
    ASSERT_NEAR(std::ldexp(Dot(d_A, highest.w), swept.motion.pair().exponent), truth,
                rounding + 2 * std::ldexp(swept.placement.error, swept.motion.pair().exponent))
        << Describe(pair);
    swept_higher += highest.is_swept ? 1 : 0;
  }
  EXPECT_GE(4 * swept_higher, pairs);
  EXPECT_LE(4 * swept_higher, 3 * pairs);
}

// Lattice bodies and displacements, so that the doubled hull is exactly what is swept: core's swept
// distance, core's distance of the doubled hull, and the loop on both kinds of support.
TEST(SweptSupport, GivesTheDistanceOfTheDoubledHull) {
  Random random(RunSeed() + 23);
  int separated = 0;
  const int pairs = Effort(3000, 300000);
  for (int i = 0; i < pairs; ++i) {
    BodyPair bodies = Generate(Family::kLatticeTouching, random);
    bodies.b.pose.p_WS.x += 1.0 * random.Below(4);
    MovingPair moving = {{bodies.a, {}}, {bodies.b, {}}, 0};
    moving.b.motion.displacement = {random.Below(7) - 3.0, random.Below(7) - 3.0,
                                    random.Below(7) - 3.0};
    const Swept swept(moving);
    MinkowskiDifference<double> difference(swept.motion.pair(), swept.placement);
    CoreAnswer core;
    const bool is_decided = SolveFast(difference, LimitsFor(swept.motion.pair(), 0.0), &core);
    Body doubled = bodies.b;
    doubled.points = Doubled(bodies.b.points, moving.b.motion.displacement);
    const ConvexShapePtr hull = MakeShape(doubled);
    const DistanceAnswer answer = Distance({*swept.a, bodies.a.pose}, {*hull, doubled.pose}, {});
    const double slack = 64 * kUnit * Extent(swept.sets);
    const auto by_sign = RunGjk(swept.sets, kSubSolvers[0].solve, BeginCold(swept.sets, 1));
    const DifferenceSets sets = reference::RelativeToA({bodies.a, doubled});
    const auto by_doubling = RunGjk(sets, kSubSolvers[0].solve, BeginCold(sets, 1));
    ASSERT_NEAR(by_sign.upper, by_doubling.upper, slack) << Describe(moving);
    ASSERT_NEAR(by_sign.upper, std::max(0.0, answer.distance), slack) << Describe(moving);
    if (!is_decided || answer.state != State::kSeparated) continue;
    ++separated;
    const Bracket bracket = BodyBracket(swept.motion.pair(), core);
    ASSERT_LE(bracket.lower, answer.bracket.upper) << Describe(moving);
    ASSERT_GE(bracket.upper, answer.bracket.lower) << Describe(moving);
    ASSERT_LE(bracket.upper - bracket.lower, slack) << Describe(moving);
  }
  EXPECT_GE(4 * separated, pairs);
}

}  // namespace
}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Depths of overlapping polytopes against the exact oracle, separating axes and closed forms, and
// their proofs against exact arithmetic.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "core/query/distance.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/depth_proof_checker.h"
#include "tests/support/generators.h"
#include "tests/support/separating_axis.h"

namespace clearance::testing {
namespace {

constexpr double kU = 0x1p-53;

DistanceAnswer Ask(const CheckedPair& pair, DepthProof* proof = nullptr) {
  DistanceOptions options;
  options.depth_proof = proof;
  return Distance(pair.PosedA(), pair.PosedB(), options);
}

class DepthOfFamily : public ::testing::TestWithParam<int> {
 protected:
  DepthOfFamily() : random_(RunSeed() * kFamilyCount + GetParam() + 1) {}

  Family family() const { return static_cast<Family>(GetParam()); }

  // A pair whose cores overlap: some families have few.
  std::unique_ptr<CheckedPair> NextOverlapping() {
    for (int i = 0; i < 200; ++i) {
      auto pair = std::make_unique<CheckedPair>(Generate(family(), random_));
      if (pair->truth.relation == CoreRelation::kInside) return pair;
    }
    return nullptr;
  }

  Random random_;
};

INSTANTIATE_TEST_SUITE_P(All, DepthOfFamily, ::testing::Range(0, kFamilyCount),
                         [](const auto& family) {
                           return Name(static_cast<Family>(family.param));
                         });

TEST_P(DepthOfFamily, IsTheExactOneToRounding) {
  const int wanted = Effort(10);
  int known = 0;
  for (int i = 0; i < 4 * wanted && known < wanted; ++i) {
    const auto pair = NextOverlapping();
    ASSERT_NE(pair, nullptr);
    pair->truth = ComputeExactSignedDistance(pair->exact);
    if (!pair->truth.is_depth_known) continue;
    ++known;
    const DistanceAnswer answer = Ask(*pair);
    ASSERT_EQ(FindFault(*pair, answer), "") << Describe(pair->bodies);
    const double slack = 64 * kU * pair->Size();
    ASSERT_NEAR(answer.distance, pair->truth.Approximate(), slack) << Describe(pair->bodies);
  }
  EXPECT_EQ(known, family() == Family::kEllipsoids ? 0 : wanted);
}

TEST_P(DepthOfFamily, ComesWithAProofOfItsLowerBound) {
  const int wanted = Effort(family() == Family::kEllipsoids ? 3 : 20);
  const auto proof = std::make_unique<DepthProof>();
  int proved = 0;
  for (int i = 0; i < wanted; ++i) {
    const auto pair = NextOverlapping();
    ASSERT_NE(pair, nullptr);
    const DistanceAnswer answer = Ask(*pair, proof.get());
    if (proof->facet_count == 0) continue;
    ++proved;
    ASSERT_EQ(FindProofFault(*pair, answer, *proof), "") << Describe(pair->bodies);
  }
  std::printf("%d of %d with a proof\n", proved, wanted);
  EXPECT_GE(2 * proved, family() == Family::kEllipsoids ? 0 : wanted);
}

// A tolerance lets a polytope stop early, and the axes of boxes tell the depth all the same.
TEST(Depth, OfBoxes_BracketIsNarrowAtAnyTolerance) {
  Random random(RunSeed() + 6);
  const int wanted = Effort(100);
  const auto proof = std::make_unique<DepthProof>();
  const auto half = [&random] {
    return Vec3d{random.Uniform(0.3, 1.3), random.Uniform(0.3, 1.3), random.Uniform(0.3, 1.3)};
  };
  int proved = 0, told = 0;
  for (int i = 0; i < wanted; ++i) {
    BodyPair bodies = {MakeBoxBody(half()), MakeBoxBody(half())};
    bodies.b.pose = {random.InCube(0.4), random.Rotation()};
    const CheckedPair pair(bodies);
    DistanceOptions options;
    options.tolerance = 0.3;
    options.depth_proof = proof.get();
    const DistanceAnswer answer = Distance(pair.PosedA(), pair.PosedB(), options);
    if (answer.state != State::kPenetrating || proof->facet_count == 0) continue;
    ++proved;
    if (answer.bracket.upper - answer.bracket.lower < 1e-9) ++told;
    ASSERT_EQ(FindProofFault(pair, answer, *proof), "") << Describe(bodies);
  }
  EXPECT_GE(proved, wanted * 8 / 10);
  EXPECT_GE(told, proved * 8 / 10);
}

TEST(Depth, IsThatOfSeparatingAxes) {
  Random random(RunSeed());
  const int wanted = Effort(120);
  int overlapping = 0;
  for (int i = 0; i < 20 * wanted && overlapping < wanted; ++i) {
    BodyPair bodies = {RandomHull(random, 4 + random.Below(24), 1),
                       RandomHull(random, 4 + random.Below(24), 1)};
    bodies.a.pose.q_WS = random.Rotation();
    bodies.b.pose = {random.InCube(0.7), random.Rotation()};
    const CheckedPair pair(bodies);
    if (pair.truth.relation != CoreRelation::kInside) continue;
    ++overlapping;
    const AxisDepth axes = ComputeDepthByAxes(pair.exact);
    const DistanceAnswer answer = Ask(pair);
    ASSERT_NEAR(-answer.distance, axes.depth, 1e-12) << Describe(bodies);
    if (answer.normal_is_unique) {
      ASSERT_GE(Dot(answer.n_AB, axes.n_AB), 1 - 1e-9) << Describe(bodies);
    }
  }
  EXPECT_EQ(overlapping, wanted);
}

TEST(Depth, OfSeparatingAxesIsTheExactOne) {
  Random random(RunSeed() + 1);
  int known = 0;
  while (known < Effort(20)) {
    CheckedPair pair(Generate(static_cast<Family>(random.Below(4)), random));
    if (pair.truth.relation != CoreRelation::kInside) continue;
    pair.truth = ComputeExactSignedDistance(pair.exact);
    if (!pair.truth.is_depth_known) continue;
    ++known;
    const double depth = ComputeDepthByAxes(pair.exact).depth + pair.exact.radii.get_d();
    ASSERT_NEAR(-pair.truth.Approximate(), depth, 1e-11 * pair.Size()) << Describe(pair.bodies);
  }
}

// Boxes with sides and offsets that are whole numbers: exact depths, and ties of two and three
// axes.
TEST(Depth, OfBoxesOnALatticeIsExactAndKnowsTies) {
  Random random(RunSeed() + 2);
  int ties = 0;
  for (int i = 0; i < Effort(1000); ++i) {
    const auto whole = [&random](int low, int count) { return double(low + random.Below(count)); };
    const Vec3d half_a = {whole(1, 4), whole(1, 4), whole(1, 4)};
    const Vec3d half_b = {whole(1, 4), whole(1, 4), whole(1, 4)};
    BodyPair bodies = {MakeBoxBody(half_a), MakeBoxBody(half_b)};
    const Vec3d p = {whole(-5, 11), whole(-5, 11), whole(-5, 11)};
    bodies.b.pose.p_WS = p;
    const Vec3d depth = {half_a.x + half_b.x - std::fabs(p.x), half_a.y + half_b.y - std::fabs(p.y),
                         half_a.z + half_b.z - std::fabs(p.z)};
    const double least = std::min({depth.x, depth.y, depth.z});
    if (least <= 0) continue;
    const CheckedPair pair(bodies);
    const DistanceAnswer answer = Ask(pair);
    ASSERT_EQ(answer.state, State::kPenetrating);
    ASSERT_EQ(answer.distance, -least) << Describe(bodies);
    const int minima = (depth.x == least ? (p.x == 0 ? 2 : 1) : 0) +
                       (depth.y == least ? (p.y == 0 ? 2 : 1) : 0) +
                       (depth.z == least ? (p.z == 0 ? 2 : 1) : 0);
    ASSERT_EQ(answer.normal_is_unique, minima == 1) << Describe(bodies);
    ties += minima > 1 ? 1 : 0;
  }
  EXPECT_GE(ties, Effort(50));
}

Body Scaled(Body body, double factor) {
  for (Vec3d& p : body.points) p = factor * p;
  body.radius *= factor;
  body.pose.p_WS = factor * body.pose.p_WS;
  return body;
}

TEST(Depth, ScalesByPowersOfTwoToTheBit) {
  Random random(RunSeed() + 3);
  for (int i = 0; i < Effort(100); ++i) {
    const BodyPair bodies = Generate(Family::kRandomHulls, random);
    const double factor = std::ldexp(1.0, random.Below(400) - 200);
    const DistanceAnswer answer = Ask(CheckedPair(bodies));
    const DistanceAnswer scaled =
        Ask(CheckedPair({Scaled(bodies.a, factor), Scaled(bodies.b, factor)}));
    if (answer.state != State::kPenetrating) continue;
    ASSERT_EQ(scaled.distance, factor * answer.distance);
    ASSERT_EQ(scaled.bracket.lower, factor * answer.bracket.lower);
    ASSERT_EQ(scaled.bracket.upper, factor * answer.bracket.upper);
    ASSERT_EQ(scaled.n_AB, answer.n_AB);
    ASSERT_EQ(scaled.p_AoA, factor * answer.p_AoA);
  }
}

TEST(Depth, IsTheSameFarFromTheWorldsOrigin) {
  Random random(RunSeed() + 4);
  int overlapping = 0;
  for (int i = 0; i < Effort(300); ++i) {
    BodyPair bodies = Generate(Family::kBoxes, random);
    const Vec3d shift = {1e8, -1e8, 1e8};
    bodies.a.pose.p_WS = shift;
    // On the grid of doubles there, so that the shift rounds nothing.
    const Vec3d far = shift + bodies.b.pose.p_WS;
    BodyPair near = bodies;
    near.a.pose.p_WS = {};
    near.b.pose.p_WS = far - shift;
    bodies.b.pose.p_WS = far;
    const DistanceAnswer answer = Ask(CheckedPair(bodies));
    const DistanceAnswer same = Ask(CheckedPair(near));
    if (same.state != State::kPenetrating) continue;
    ++overlapping;
    ASSERT_EQ(answer.distance, same.distance);
    ASSERT_EQ(answer.p_AoB, same.p_AoB);
  }
  EXPECT_GE(overlapping, Effort(30));
}

// More facets than there is room for: bounded work, and all that is said is true.
TEST(Depth, OfLargeRoundHullsEndsWithAnHonestBracket) {
  Random random(RunSeed() + 5);
  Body ball;
  for (int i = 0; i < 4000; ++i) ball.points.push_back(random.Direction());
  for (const double offset : {0.0, 1e-9, 0.01, 0.5}) {
    BodyPair bodies = {ball, ball};
    bodies.b.pose.q_WS = random.Rotation();
    bodies.b.pose.p_WS = offset * random.Direction();
    const CheckedPair pair(bodies);
    const DistanceAnswer answer = Ask(pair);
    ASSERT_EQ(answer.state, State::kPenetrating);
    EXPECT_EQ(FindBracketFault(pair.truth, answer.state, answer.bracket), "");
    EXPECT_LE(answer.bracket.lower, answer.distance);
    EXPECT_LE(answer.distance, answer.bracket.upper);
    EXPECT_NEAR(CoreGapAlong(pair.exact, answer.n_AB), answer.distance, 64 * kU * pair.Size());
    // Both hulls are balls but for 0.1 %.
    EXPECT_NEAR(answer.distance, offset - 2, 0.01);
    EXPECT_LE(answer.bracket.upper - answer.bracket.lower, 0.05);
    std::printf("offset %g: bracket %g wide\n", offset,
                answer.bracket.upper - answer.bracket.lower);
  }
}

}  // namespace
}  // namespace clearance::testing

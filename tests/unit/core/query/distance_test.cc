// SPDX-License-Identifier: Apache-2.0
//
// Distances against closed forms.

#include "core/query/distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/math/double_double.h"
#include "core/query/intersection.h"
#include "tests/support/same_bits.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

DistanceAnswer Solve(const ConvexShapePtr& a, const Pose& pose_a, const ConvexShapePtr& b,
                     const Pose& pose_b, const DistanceOptions& options = {}) {
  return Distance({*a, pose_a}, {*b, pose_b}, options);
}

void ExpectDistance(const DistanceAnswer& answer, double want) {
  EXPECT_EQ(answer.state, State::kSeparated);
  EXPECT_LE(answer.bracket.lower, want);
  EXPECT_GE(answer.bracket.upper, want);
  EXPECT_NEAR(answer.distance, want, 1e-14 * (1 + want));
  EXPECT_LE(answer.bracket.upper - answer.bracket.lower, answer.tolerance);
}

TEST(Distance, OfBoxesIsThatOfTheirFacesEdgesAndCorners) {
  const auto cube = Box(1, 1, 1);
  ExpectDistance(Solve(cube, At(0, 0, 0), cube, At(5, 0, 0)), 3);
  ExpectDistance(Solve(cube, At(0, 0, 0), cube, At(5, 6, 0)), 5);
  ExpectDistance(Solve(cube, At(0, 0, 0), cube, At(3, 4, 4)), 3);
}

TEST(Distance, GivesPointsAndNormalThatMakeIt) {
  const DistanceAnswer answer = Solve(Box(1, 1, 1), At(1, 2, 3), Sphere(0.5), At(5, 2, 3));
  ExpectDistance(answer, 2.5);
  EXPECT_EQ(answer.n_AB, (Vec3d{1, 0, 0}));
  EXPECT_EQ(answer.p_WA, (Vec3d{2, 2, 3}));
  EXPECT_EQ(answer.p_WB, (Vec3d{4.5, 2, 3}));
  EXPECT_EQ(answer.p_AoA, (Vec3d{1, 0, 0}));
}

TEST(Distance, OfSpheresAndCapsulesTakesOffTheRadii) {
  ExpectDistance(Solve(Sphere(1), At(0, 0, 0), Sphere(2), At(3, 4, 0)), 2);
  // A capsule along z, turned to lie along x: its cap's centre is 2 from the origin.
  const Pose lying = {{0, 0, 0}, {0, 0.7071067811865476, 0, 0.7071067811865476}};
  ExpectDistance(Solve(Capsule(0.5, 2), lying, Sphere(1), At(10, 0, 0)), 6.5);
}

TEST(Distance, OfARadiusThatReachesIsProvedPenetration) {
  const DistanceAnswer answer = Solve(Sphere(2), At(0, 0, 0), Sphere(2), At(3, 0, 0));
  EXPECT_EQ(answer.state, State::kPenetrating);
  EXPECT_LE(answer.bracket.lower, -1);
  EXPECT_GE(answer.bracket.upper, -1);
  EXPECT_LT(answer.bracket.upper, -0.999);
}

void ExpectDepth(const DistanceAnswer& answer, double want) {
  EXPECT_EQ(answer.state, State::kPenetrating);
  EXPECT_LE(answer.bracket.lower, -want);
  EXPECT_GE(answer.bracket.upper, -want);
  EXPECT_NEAR(answer.distance, -want, 1e-14 * (1 + want));
  EXPECT_LE(answer.bracket.upper - answer.bracket.lower, answer.tolerance);
}

TEST(Distance, OfOverlappingBoxes_IsMinusTheDepth) {
  const DistanceAnswer answer =
      Solve(Box(1, 1, 1, 0.25), At(0, 0, 0), Box(1, 1, 1), At(1.5, 0.2, 0.1));
  ExpectDepth(answer, 0.75);
  EXPECT_EQ(answer.n_AB, (Vec3d{1, 0, 0}));
  EXPECT_EQ(answer.p_WA.x, 1.25);
  EXPECT_EQ(answer.p_WB.x, 0.5);
  EXPECT_EQ(answer.p_WB.y, answer.p_WA.y);
}

// The cores cross without any depth of their own: both sides of their plane are equally deep.
TEST(Distance, OfCrossingCapsulesIsTheirRadiiAlongTheCommonNormal) {
  const auto rod = std::get<ConvexShapePtr>(MakeSegment({-1, 0, 0}, {1, 0, 0}, 0.25));
  const DistanceAnswer answer = Solve(rod, {}, rod, {{0, 0.5, 0}, kQuarterTurn});
  ExpectDepth(answer, 0.5);
  EXPECT_NEAR(std::fabs(answer.n_AB.z), 1, 1e-15);
  EXPECT_FALSE(answer.normal_is_unique);
  EXPECT_NEAR(NormSquared(answer.p_WA - Vec3d{0, 0, 0.25 * answer.n_AB.z}), 0, 1e-30);
}

TEST(Distance, OfADiscThroughADiscIsTheirRadiiOrTheWayOut) {
  // Two thin squares, crossing at right angles 0.125 from an edge of the second.
  const auto square = Points({-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}, 0.25);
  const DistanceAnswer answer =
      Solve(square, {}, square, {{0, 0, 0.875}, {0.7071067811865476, 0, 0, 0.7071067811865476}});
  ExpectDepth(answer, 0.125 + 0.5);
  EXPECT_NEAR(answer.n_AB.z, 1, 1e-14);
}

struct TouchingCase {
  const char* name;
  ConvexShapePtr a;
  ConvexShapePtr b;
  Pose pose_b;
};

TEST(Distance, OfPairsThatTouchExactlyIsTouching) {
  const TouchingCase cases[] = {
      {"face to face", Box(1, 1, 1), Box(1, 1, 1), At(2, 0.3, 0)},
      {"edge to edge", Box(1, 1, 1), Box(1, 1, 1), At(2, 2, 0.5)},
      {"corner to corner", Box(1, 1, 1), Box(1, 1, 1), At(2, 2, 2)},
      {"sphere to face", Sphere(1), Box(1, 1, 1), At(2, 0.5, 0)},
      {"coplanar polygons", Points({0, 0, 0, 1, 0, 0, 0, 1, 0}),
       Points({0, 0, 0, 1, 0, 0, 0, 1, 0}), At(0.2, 0.2, 0)},
      {"crossing segments", Points({-1, 0, 0, 1, 0, 0}), Points({0, -1, 0, 0, 1, 0}), At(0, 0, 0)},
      {"a point on itself", Points({0.1, 0.7, 0.3}), Points({0.1, 0.7, 0.3}), At(0, 0, 0)},
  };
  for (const TouchingCase& c : cases) {
    SCOPED_TRACE(c.name);
    const DistanceAnswer answer = Solve(c.a, {}, c.b, c.pose_b);
    EXPECT_EQ(answer.state, State::kTouching);
    EXPECT_LE(answer.bracket.lower, 0);
    EXPECT_GE(answer.bracket.upper, 0);
    EXPECT_LE(answer.bracket.upper - answer.bracket.lower, answer.tolerance);
    EXPECT_NEAR(NormSquared(answer.n_AB), 1, 1e-14);
  }
}

TEST(Distance, SeesAGapOfOneUnitInTheLastPlace) {
  const DistanceAnswer answer = Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(2 + 0x1p-51, 0, 0));
  EXPECT_EQ(answer.state, State::kSeparated);
  EXPECT_EQ(answer.distance, 0x1p-51);
  const DistanceAnswer overlap = Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(2 - 0x1p-51, 0, 0));
  EXPECT_EQ(overlap.state, State::kPenetrating);
}

TEST(Distance, AtAnOffsetOfAHundredMillionMetresCostsNothing) {
  Pose a = At(1e8, -1e8, 1e8), b = At(1e8 + 5, -1e8, 1e8);
  a.q_WS = b.q_WS = kQuarterTurn;
  const DistanceAnswer answer = Solve(Box(1, 1, 1), a, Box(1, 1, 1), b);
  ExpectDistance(answer, 3);
  EXPECT_NEAR(answer.p_AoA.x, 1, 1e-14);
}

TEST(Distance, FartherThanTheLimitIsBeyondItAndNothingElse) {
  DistanceOptions options;
  options.max_distance = 2;
  const DistanceAnswer beyond = Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(5, 0, 0), options);
  EXPECT_EQ(beyond.state, State::kBeyond);
  EXPECT_EQ(beyond.bracket.lower, 2);
  EXPECT_EQ(beyond.bracket.upper, std::numeric_limits<double>::infinity());
  options.max_distance = 3;
  EXPECT_EQ(Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(5, 0, 0), options).state, State::kSeparated);
  options.max_distance = 0;
  EXPECT_EQ(Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(1, 0, 0), options).state, State::kPenetrating);
}

TEST(Distance, ALooserToleranceIsReportedAndKept) {
  DistanceOptions options;
  options.tolerance = 0.25;
  const Pose b = {
      {4, 1, 2}, {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}};
  const DistanceAnswer loose = Solve(Box(1, 1, 1), {}, Box(1, 1, 1), b, options);
  const DistanceAnswer tight = Solve(Box(1, 1, 1), {}, Box(1, 1, 1), b);
  EXPECT_EQ(loose.tolerance, 0.25);
  EXPECT_LE(loose.bracket.upper - loose.bracket.lower, 0.25);
  EXPECT_LE(loose.bracket.lower, tight.bracket.upper);
  EXPECT_GE(loose.bracket.upper, tight.bracket.lower);
}

void ExpectSameBits(const DistanceAnswer& answer, const DistanceAnswer& want) {
  EXPECT_EQ(answer.state, want.state);
  EXPECT_EQ(answer.iterations, want.iterations);
  EXPECT_EQ(answer.bracket.lower, want.bracket.lower);
  EXPECT_EQ(answer.bracket.upper, want.bracket.upper);
  EXPECT_EQ(answer.p_WA, want.p_WA);
  EXPECT_EQ(answer.p_WB, want.p_WB);
  EXPECT_EQ(answer.n_AB, want.n_AB);
}

TEST(Distance, AStartIsNotUsedBesideAToleranceOrForACurvedCore) {
  const Pose b = {
      {4, 1, 2}, {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}};
  const auto box = Box(1, 1, 1);
  const auto cone = std::get<ConvexShapePtr>(MakeCone(1, 1, 0));
  // Of vertices that the answer is far from; the cone has none at all.
  Witness start;
  start.size = 2;
  start.vertices_a = {0, 1};
  start.vertices_b = {7, 6};
  DistanceOptions warm, cold;
  warm.start = &start;
  ExpectSameBits(Solve(cone, {}, box, b, warm), Solve(cone, {}, box, b, cold));
  ExpectSameBits(Solve(box, {}, cone, b, warm), Solve(box, {}, cone, b, cold));
  EXPECT_NE(Solve(box, {}, box, b, warm).iterations, Solve(box, {}, box, b, cold).iterations)
      << "elsewhere the search begins there";
  warm.tolerance = cold.tolerance = 0.25;
  ExpectSameBits(Solve(box, {}, box, b, warm), Solve(box, {}, box, b, cold));
}

// Segments of a few least doubles, farther apart than 0 by less than one of them: whether that is
// beyond 0 does not depend on the search.
TEST(Distance, IsBeyondAtTheLeastDoublesWhateverTheStartIs) {
  const double least = std::numeric_limits<double>::denorm_min();
  const auto a = std::get<ConvexShapePtr>(MakeSegment({least, 0, least}, {-least, -least, 0}, 0));
  const auto b = std::get<ConvexShapePtr>(MakeSegment({-least, 0, 0}, {least, 0, 0}, 0));
  const Pose pose_a = {{0, least, least}, {-0x1.02493e58b1da3p-14, 0, 0, 0x1.ffffffefb6849p-1}};
  const Pose pose_b = {
      {0, least, least},
      {-0x1.1a6688e4fcaccp-2, -0x1.52dd75c75e147p-1, -0x1.acec0ed8f4631p-2, -0x1.1d471b786487cp-1}};
  const Pose local_a = {{0, -least, 0}, {0, 0, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1}};
  const Pose local_b = {
      {0, least, 0},
      {-0x1.4cfe59a4581f9p-2, 0x1.c2d9f7027ad4ap-1, 0x1.5bbe4873c385cp-2, -0x1.e67b00ce494ecp-5}};
  const PosedShape posed_a = {*a, pose_a, local_a}, posed_b = {*b, pose_b, local_b};
  Witness start;
  start.size = 4;
  start.vertices_a = {0, 1, 1, 1};
  start.vertices_b = {1, 1, 1, 0};
  const DistanceAnswer cold = Distance(posed_a, posed_b, {.max_distance = 0});
  const DistanceAnswer warm = Distance(posed_a, posed_b, {.max_distance = 0, .start = &start});
  EXPECT_EQ(cold.state, State::kBeyond);
  EXPECT_EQ(warm.state, State::kBeyond);
}

TEST(Distance, AToleranceNeverHidesAnOverlap) {
  DistanceOptions options;
  options.tolerance = 10;
  EXPECT_EQ(Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(1.5, 0, 0), options).state,
            State::kPenetrating);
}

TEST(Distance, WitnessesMakeTheClosestPoints) {
  const auto a = Box(1, 1, 1);
  const DistanceAnswer answer = Solve(a, {}, Box(1, 1, 1), At(5, 0.5, 0));
  ASSERT_GE(answer.witness.size, 1);
  Vec3d point;
  double sum = 0;
  for (int i = 0; i < answer.witness.size; ++i) {
    const Vec3d v = std::ldexp(1.0, a->exponent()) * a->vertex(answer.witness.vertices_a[i]);
    point = point + answer.witness.weights[i] * v;
    sum += answer.witness.weights[i];
  }
  EXPECT_NEAR(sum, 1, 1e-15);
  EXPECT_NEAR(point.x, 1, 1e-15);
}

TEST(Distance, OfPairsOfExtremeSizeScalesExactly) {
  const DistanceAnswer one = Solve(Box(1, 2, 3), {}, Box(1, 1, 1), {{5, 1, 1}, kQuarterTurn});
  for (const int power : {-950, -300, 300, 950}) {
    const double s = std::ldexp(1.0, power);
    const DistanceAnswer scaled =
        Solve(Box(s, 2 * s, 3 * s), {}, Box(s, s, s), {{5 * s, s, s}, kQuarterTurn});
    EXPECT_EQ(scaled.distance, one.distance * s) << power;
    EXPECT_EQ(scaled.bracket.lower, one.bracket.lower * s) << power;
    EXPECT_EQ(scaled.bracket.upper, one.bracket.upper * s) << power;
    EXPECT_EQ(scaled.n_AB, one.n_AB) << power;
  }
}

TEST(Distance, AskedAgainAboutItsOwnLowerBoundIsBeyondOrComplete) {
  const Pose b = {
      {4, 1, 2}, {0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214}};
  int beyond = 0;
  for (int i = 0; i < 200; ++i) {
    Pose moved = b;
    moved.p_WS.x += i * 0.0371;
    DistanceOptions options;
    const double lower = Solve(Box(1, 1, 1), {}, Box(1, 2, 1), moved).bracket.lower;
    options.max_distance = i % 2 == 0 ? lower : lower * (1 - 1e-11);
    const DistanceAnswer answer = Solve(Box(1, 1, 1), {}, Box(1, 2, 1), moved, options);
    beyond += answer.state == State::kBeyond ? 1 : 0;
    if (answer.state == State::kSeparated) {
      EXPECT_NEAR(NormSquared(answer.n_AB), 1, 1e-14) << i;
    }
    EXPECT_TRUE(answer.state == State::kBeyond || answer.state == State::kSeparated);
  }
  EXPECT_GE(beyond, 20) << "the test must visit what it is about";
  EXPECT_LE(beyond, 180) << "the test must visit what it is about";
}

TEST(Distance, TakesTheSumOfTwoRadiiExactly) {
  // 0.1 + 0.2 is not a double: the true distance lies strictly between two.
  const auto sphere = std::get<ConvexShapePtr>(MakeSphere(0.1, 0.2));
  const DistanceAnswer answer = Solve(sphere, {}, Points({0, 0, 0}), {});
  const DoubleDouble depth = TwoSum(0.1, 0.2);
  EXPECT_LE(DoubleDouble(answer.bracket.lower), -depth);
  EXPECT_GE(DoubleDouble(answer.bracket.upper), -depth);
  EXPECT_LT(answer.bracket.lower, answer.bracket.upper);
}

TEST(Distance, NearlyEqualCentres_LargeRadii_InBracket) {
  const DistanceAnswer answer = Solve(Sphere(1), {}, Sphere(1), At(0, 1e-170, 0));
  EXPECT_LE(answer.bracket.lower, -2);
  EXPECT_GT(answer.bracket.upper, -2);
}

// The rounding of where the centres are is then more units of the pair's own size than a double
// holds: what is left is a bracket, never a NaN.
TEST(Distance, TinyBodiesFarFromTheirOrigin_InBracket) {
  const Pose local_a = {{0x1p-1009, -16.25, 0.25}, kQuarterTurn};
  const Pose local_b = {{0x1p-1009 + 0x1p-1045, -16.25, 0.25}, kQuarterTurn};
  const Pose far_a = {{0x1p1000, 0, 0}, {}};
  const Pose far_b = {{0x1p1000, 0x1p-1070, 0}, {}};
  const Pose world;
  const struct {
    const char* name;
    ConvexShapePtr shape;
    Pose local_a;
    Pose local_b;
    double distance;
  } rows[] = {
      {"points", Points({0, 0, 0}), local_a, local_b, 0x1p-1045},
      {"balls", Sphere(0x1p-1060), local_a, local_b, 0x1p-1045 - 0x1p-1059},
      {"points out there", Points({0, 0, 0}), far_a, far_b, 0x1p-1070},
      {"a ball and itself", Sphere(0x1p-1060), far_a, far_a, -0x1p-1059},
  };
  for (const auto& row : rows) {
    const PosedShape a = {*row.shape, world, row.local_a};
    const PosedShape b = {*row.shape, world, row.local_b};
    const Bracket distance = Distance(a, b, {}).bracket;
    const Bracket intersection = Intersection(a, b).bracket;
    for (const Bracket& bracket : {distance, intersection}) {
      EXPECT_LE(bracket.lower, row.distance) << row.name;
      EXPECT_GE(bracket.upper, row.distance) << row.name;
    }
  }
}

TEST(Distance, AlwaysHasANormal) {
  const double least = 5e-324;
  const DistanceAnswer tiny =
      Solve(Box(least, least, least), {}, Box(least, least, least), At(least, 0, 0));
  EXPECT_NEAR(NormSquared(tiny.n_AB), 1, 1e-14);
  const DistanceAnswer overlap = Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(1.5, 0.2, 0.1));
  EXPECT_NEAR(NormSquared(overlap.n_AB), 1, 1e-14);
}

// Pairs that do not go side by side: turned within their bodies, begun from nothing, with a face of
// more corners than lanes take, with a radius that is nothing in the units of the pair.
TEST(Distances, AreThoseOfEachAloneWhereTheyAreAskedOneByOne) {
  std::vector<double> xyz;
  for (const double x : {-2.0, -1.0, 1.0, 2.0}) {
    for (const double z : {-0.5, 0.5}) {
      for (const double side : {-1.0, 1.0})
        xyz.insert(xyz.end(), {x, side * (3 - std::fabs(x)), z});
    }
  }
  const ConvexShapePtr prism = Points(xyz), point = Points({0, 0, 0}), box = Box(1, 2, 3);
  const ConvexShapePtr least = Points({0, 0, 0}, 5e-324);
  const Pose above = {{0.1, 0.2, 2}, {}}, aside = {{5, 1, 1}, {0.5, 0.5, 0.5, 0.5}};
  const Pose turned = {{0, 0, 1}, {0.5, 0.5, 0.5, 0.5}};
  const Witness nothing;
  const std::vector<DistanceQuestion> questions = {
      {{*prism, kIdentityPose}, {*point, above}, {}},
      {{*prism, kIdentityPose, turned}, {*box, aside}, {}},
      {{*box, kIdentityPose}, {*prism, aside}, {.start = &nothing}},
      {{*least, kIdentityPose}, {*point, above}, {}}};
  std::vector<DistanceAnswer> answers(questions.size());
  Distances(questions, absl::MakeSpan(answers));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const DistanceAnswer alone = Distance(questions[i].a, questions[i].b, questions[i].options);
    EXPECT_EQ(alone.state, State::kSeparated);
    EXPECT_TRUE(testing::SameBits(answers[i], alone)) << i;
  }
  EXPECT_EQ(answers.back().p_WA.z, 5e-324);
}

TEST(IsRepresentable, RefusesWhatOverflows) {
  EXPECT_FALSE(IsRepresentable(Sphere(1)->bounding_radius(), At(1.2e308, 0, 0)));
  EXPECT_TRUE(IsRepresentable(Box(1, 1, 1)->bounding_radius(), At(1e300, 0, 0)));
  EXPECT_FALSE(IsRepresentable(Points({1e308, 0, 0, 0, 1e308, 0, 0, 0, 1e308})->bounding_radius(),
                               At(1.7e308, 0, 0)));
}

TEST(Distance, ExactModeDecidesWhatTheToleranceLeavesOpen) {
  const DistanceOptions exact = {.exact = true};
  const auto box = Box(1, 1, 1);
  const auto ask = [&](double x) { return Distance({*box, Pose{}}, {*box, At(x, 0, 0)}, exact); };
  const double beside = 0x1p-51;  // one unit in the last place of 2
  EXPECT_EQ(ask(2).state, State::kTouching);
  EXPECT_EQ(ask(2).distance, 0);
  EXPECT_EQ(ask(2).bracket.lower, 0);
  EXPECT_EQ(ask(2).bracket.upper, 0);
  EXPECT_EQ(ask(2 + beside).state, State::kSeparated);
  EXPECT_EQ(ask(2 + beside).distance, beside);
  EXPECT_EQ(ask(2 - beside).state, State::kPenetrating);
  EXPECT_LT(ask(2 - beside).distance, 0);
  // Where A - B has no interior nothing penetrates.
  const auto plate = Box(1, 1, 0);
  EXPECT_EQ(Distance({*plate, Pose{}}, {*plate, Pose{}}, exact).state, State::kTouching);
  const auto ball = Sphere(2.5);
  EXPECT_EQ(Distance({*ball, Pose{}}, {*ball, At(3, 4, 0)}, exact).state, State::kTouching);
  EXPECT_EQ(Intersection({*ball, Pose{}}, {*ball, At(3, 4, 0)}, {.exact = true}).state,
            State::kTouching);
  EXPECT_EQ(Intersection({*box, Pose{}}, {*box, At(2 - beside, 0, 0)}, {.exact = true}).state,
            State::kPenetrating);
}

}  // namespace
}  // namespace clearance

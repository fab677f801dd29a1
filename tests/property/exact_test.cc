// SPDX-License-Identifier: Apache-2.0
//
// DecideExactly against the exact oracle, which shares no code with it, over every family of pairs.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/exact/exact_contact.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

constexpr int kPairsPerFamily = 300;
constexpr int kLargePairs = 40;  // of 64 to 1000 vertices, where the oracle takes its time

ExactContact ContactOf(const ExactDistance& truth) {
  const int sign = truth.Sign();
  if (sign == 0) return ExactContact::kTouching;
  return sign > 0 ? ExactContact::kSeparated : ExactContact::kPenetrating;
}

// One sentence, or nothing.
std::string FindFault(const CheckedPair& pair, const ExactVerdict& verdict) {
  if (verdict.contact != ContactOf(pair.truth)) return "wrong contact";
  if (!pair.truth.IsAtLeast(verdict.lower)) return "lower is above the distance";
  if (!pair.truth.IsAtMost(verdict.upper)) return "upper is below the distance";
  const bool has_depth = std::isfinite(verdict.lower);
  const double width = verdict.upper - verdict.lower;
  const double distance = std::fmax(std::fabs(verdict.lower), std::fabs(verdict.upper));
  if (has_depth && width > std::ldexp(distance, -50)) return "wide bracket";
  const bool may_lack_depth = verdict.contact == ExactContact::kPenetrating &&
                              pair.truth.relation != CoreRelation::kOutside;
  return has_depth || may_lack_depth ? "" : "no lower bound";
}

class ExactOfFamily : public ::testing::TestWithParam<int> {
 protected:
  ExactOfFamily() : random_(RunSeed() * kFamilyCount + GetParam()) {}

  Family family() const { return static_cast<Family>(GetParam()); }
  int pairs() const {
    return Effort(family() == Family::kEllipsoids ? kLargePairs : kPairsPerFamily);
  }

  Random random_;
};

INSTANTIATE_TEST_SUITE_P(All, ExactOfFamily, ::testing::Range(0, kFamilyCount),
                         [](const auto& family) {
                           return Name(static_cast<Family>(family.param));
                         });

TEST_P(ExactOfFamily, IsWhatTheOracleSays) {
  std::array<int, 3> contacts = {};
  for (int i = 0; i < pairs(); ++i) {
    CheckedPair pair(Generate(family(), random_));
    if (i % 10 == 0) pair.truth = ComputeExactSignedDistance(pair.exact);
    const auto verdict = DecideExactly(pair.PosedA(), pair.PosedB());
    ASSERT_TRUE(verdict.has_value()) << Describe(pair.bodies);
    ++contacts[static_cast<std::size_t>(verdict->contact)];
    ASSERT_EQ(FindFault(pair, *verdict), "") << Describe(pair.bodies);
  }
  std::printf("separated %d touching %d penetrating %d\n", contacts[0], contacts[1], contacts[2]);
  if (family() != Family::kTwins) {
    EXPECT_GE(20 * contacts[0], pairs());
  }
  EXPECT_GE(20 * (contacts[1] + contacts[2]), pairs());
  if (family() == Family::kLatticeTouching) {
    EXPECT_GE(20 * contacts[1], pairs());
  }
}

// A motion of both bodies that no double rounds: integer coordinates times 25, a rotation by the
// angle of 7, 24 and 25 about an axis, and an integer shift.
BodyPair MovedExactly(Random& random, BodyPair pair) {
  const double s = 2457.0 / 4096, c = 3276.0 / 4096;  // 3 : 4
  const Vec3d shift = {1e8 * random.Below(2), 1.0 * random.Below(1000), -1.0 * random.Below(9)};
  const bool about_z = random.OneIn(2);
  for (Body* body : {&pair.a, &pair.b}) {
    for (Vec3d& p : body->points) p = 25.0 * p;
    const Vec3d t = body->pose.p_WS;
    body->pose.q_WS = about_z ? Quaternion{0, 0, s, c} : Quaternion{s, 0, 0, c};
    body->pose.p_WS = shift + (about_z ? Vec3d{7 * t.x - 24 * t.y, 24 * t.x + 7 * t.y, 25 * t.z}
                                       : Vec3d{25 * t.x, 7 * t.y - 24 * t.z, 24 * t.y + 7 * t.z});
  }
  return pair;
}

TEST(Exact, ContactOfLatticeBodiesSurvivesAnExactMotion) {
  Random random(RunSeed());
  int touching = 0;
  const int pairs = Effort(2000);
  for (int i = 0; i < pairs; ++i) {
    const BodyPair bodies = Generate(Family::kLatticeTouching, random);
    const BodyPair moved_bodies = MovedExactly(random, bodies);
    const CheckedPair pair(bodies), moved(moved_bodies);
    ASSERT_EQ(ContactOf(pair.truth), ContactOf(moved.truth)) << "the motion was not exact";
    const auto verdict = DecideExactly(moved.PosedA(), moved.PosedB());
    ASSERT_TRUE(verdict.has_value());
    ASSERT_EQ(verdict->contact, ContactOf(pair.truth)) << Describe(moved_bodies);
    touching += verdict->contact == ExactContact::kTouching ? 1 : 0;
  }
  EXPECT_GE(5 * touching, pairs);
}

BodyPair Scaled(BodyPair pair, int exponent) {
  const double factor = std::ldexp(1, exponent);
  for (Body* body : {&pair.a, &pair.b}) {
    for (Vec3d& p : body->points) p = factor * p;
    body->pose.p_WS = factor * body->pose.p_WS;
    body->radius *= factor;
  }
  return pair;
}

TEST(Exact, ScalingByAPowerOfTwoChangesNoBit) {
  Random random(RunSeed());
  for (int i = 0; i < Effort(600); ++i) {
    const auto family = static_cast<Family>(i % kFamilyCount);
    if (family == Family::kEllipsoids) continue;
    const BodyPair bodies = Generate(family, random);
    const int exponent = random.Below(1200) - 600;
    const BodyPair scaled_bodies = Scaled(bodies, exponent);
    const ConvexShapePtr a = MakeShape(bodies.a), b = MakeShape(bodies.b);
    const ConvexShapePtr scaled_a = MakeShape(scaled_bodies.a),
                         scaled_b = MakeShape(scaled_bodies.b);
    const auto verdict = DecideExactly({*a, bodies.a.pose}, {*b, bodies.b.pose});
    const auto scaled =
        DecideExactly({*scaled_a, scaled_bodies.a.pose}, {*scaled_b, scaled_bodies.b.pose});
    ASSERT_TRUE(verdict.has_value() && scaled.has_value());
    ASSERT_EQ(verdict->contact, scaled->contact) << Describe(bodies);
    if (verdict->contact == ExactContact::kPenetrating && !std::isfinite(verdict->lower)) continue;
    ASSERT_EQ(std::ldexp(verdict->lower, exponent), scaled->lower) << Describe(bodies);
    ASSERT_EQ(std::ldexp(verdict->upper, exponent), scaled->upper) << Describe(bodies);
  }
}

}  // namespace
}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// The oracle of planted contacts, compared with exact rationals if both know the truth, and with
// many other directions if only it does.
#include "tests/support/planted_contact.h"

#include <gmpxx.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "gtest/gtest.h"
#include "tests/support/exact_distance.h"
#include "tests/support/generators.h"
#include "tests/support/random.h"

namespace clearance::testing {
namespace {

constexpr Quad kSlack = 1e-28;

// Exactly: 113 bits are three doubles.
mpq_class Exact(Quad x) {
  mpq_class sum = 0;
  for (int i = 0; i < 3; ++i) {
    const auto part = static_cast<double>(x);
    sum += mpq_class(part);
    x -= part;
  }
  return sum;
}

mpf_class ExactlyOf(const ExactDistance& truth) {
  constexpr mp_bitcnt_t kBits = 400;
  mpf_class root = sqrt(mpf_class(truth.core_square, kBits));
  if (truth.relation == CoreRelation::kInside) root = -root;
  return root - mpf_class(truth.radii, kBits);
}

Solid Polytope(Random& random) {
  Solid solid;
  solid.body = random.OneIn(3) ? MakePointBody(0) : RandomHull(random, 4, 1);
  if (random.OneIn(2)) solid.body.radius = random.Uniform(0.2, 1);
  return solid;
}

Solid Curved(CoreKind core, Random& random) {
  const auto size = [&random] { return random.Uniform(0.3, 1.2); };
  Solid solid = {.core = core, .extents = {size(), size(), size()}, .body = {}, .offset = {}};
  if (core != CoreKind::kEllipsoid) solid.extents.y = solid.extents.x;
  if (random.OneIn(3)) solid.body.radius = random.Uniform(0.01, 0.5);
  return solid;
}

void Turn(Solid* a, Solid* b, Random& random) {
  a->body.pose = {random.InCube(1), random.Rotation()};
  b->body.pose.q_WS = random.OneIn(3) ? a->body.pose.q_WS : random.Rotation();
}

// Returns a unit vector at any angle to n.
QuadVec Beside(const QuadVec& n, Random& random) {
  const Vec3d step = random.LogUniform(1e-6, 10) * random.Direction();
  const QuadVec m = n + QuadVec{step.x, step.y, step.z};
  const Quad square = Dot(m, m);
  Quad norm = std::sqrt(static_cast<double>(square));
  for (int newton = 0; newton < 2; ++newton) norm = (norm + square / norm) / 2;
  return (1 / norm) * m;
}

TEST(PlantedContact, IsTheExactDistanceOfPolytopes) {
  Random random(RunSeed());
  int overlapping = 0;
  const int pairs = Effort(500);
  for (int i = 0; i < pairs; ++i) {
    Solid a = Polytope(random), b = Polytope(random);
    Turn(&a, &b, random);
    const Contact contact = AnyContact(a, b, random);
    const auto balls = static_cast<double>(contact.inner_radii);
    const double gap = balls > 0 ? random.Uniform(-0.9 * balls, 2) : random.Uniform(1e-3, 2);
    PlaceAcross(contact, a, gap, &b);
    const ExactDistance exact = ComputeExactSignedDistance(MakeExactPair({a.body, b.body}));
    if (!exact.is_depth_known) continue;
    overlapping += exact.Sign() < 0 ? 1 : 0;
    const PlantedTruth planted = TruthOf(contact, a, b);
    const mpf_class truth = ExactlyOf(exact);
    const mpf_class slack(1e-27);
    ASSERT_LE(mpf_class(Exact(planted.lower), 400), mpf_class(truth + slack)) << gap;
    ASSERT_GE(mpf_class(Exact(planted.upper), 400), mpf_class(truth - slack)) << gap;
    ASSERT_NEAR(exact.Approximate(), gap, 1e-14);
  }
  EXPECT_GT(10 * overlapping, pairs) << "hardly any overlap";
}

// Overlapping as deep as the balls go, and in no direction less: the balls lie within the bodies.
// In the contact's own direction both bounds meet: its points are highest.
TEST(PlantedContact, OfCurvedKindsIsTheLeastOfAllDirections) {
  static constexpr std::array kinds = {CoreKind::kCylinder, CoreKind::kCone, CoreKind::kEllipsoid};
  Random random(RunSeed() + 1);
  int with_balls = 0;
  const int pairs = Effort(3000);
  for (int i = 0; i < pairs; ++i) {
    Solid a = Curved(kinds[random.Below(3)], random);
    Solid b = random.OneIn(3) ? Polytope(random) : Curved(kinds[random.Below(3)], random);
    Turn(&a, &b, random);
    const Contact contact = AnyContact(a, b, random);
    const auto balls = static_cast<double>(contact.inner_radii);
    with_balls += balls > 0.01 ? 1 : 0;
    PlaceAcross(contact, a, random.OneIn(4) ? 1 : -0.99 * balls, &b);
    const PlantedTruth truth = TruthOf(contact, a, b);
    ASSERT_LE(truth.lower, truth.upper + kSlack);
    if (balls > 0.01) {
      ASSERT_LE(truth.upper, truth.lower + kSlack);
    }
    for (int k = 0; k < 50; ++k) {
      Contact other = contact;
      other.n_AB = k % 2 == 0 ? AnyContact(a, b, random).n_AB : Beside(contact.n_AB, random);
      ASSERT_LE(TruthOf(other, a, b).lower, truth.upper + kSlack) << "pair " << i;
    }
  }
  std::printf("%d of %d with balls\n", with_balls, pairs);
  EXPECT_GT(2 * with_balls, pairs);
}

}  // namespace
}  // namespace clearance::testing

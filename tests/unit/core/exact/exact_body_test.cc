// SPDX-License-Identifier: Apache-2.0
//
// The oracle is tests/support/exact_pair, which places points with rationals and shares no code.

#include "core/exact/exact_body.h"

#include <gtest/gtest.h>

#include <array>
#include <variant>

#include "core/shape/make_shape.h"
#include "tests/support/exact_pair.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using Rationals = std::array<mpq_class, 3>;

mpq_class PowerOfTwo(int exponent) {
  const mpz_class power = mpz_class(1) << static_cast<mp_bitcnt_t>(std::abs(exponent));
  return exponent >= 0 ? mpq_class(power) : mpq_class(1) / mpq_class(power);
}

Rationals Scaled(const mpq_class& factor, const IntegerVector& v) {
  return {factor * mpq_class(v.x), factor * mpq_class(v.y), factor * mpq_class(v.z)};
}

// By the equation in the header.
Rationals WorldPoint(const ExactBody& body, VertexIndex i) {
  const ExactPlacement& X = body.X_W;
  const int exponent = body.shape.exponent() + body.lowest_bit;
  const mpq_class unit = mpq_class(1) / mpq_class(X.denominator);
  const Rationals turned = Scaled(unit * PowerOfTwo(exponent),
                                  X.matrix * ToInteger(body.shape.vertex(i), body.lowest_bit));
  const Rationals offset = Scaled(unit * PowerOfTwo(X.exponent), X.offset);
  return {turned[0] + offset[0], turned[1] + offset[1], turned[2] + offset[2]};
}

Rationals OraclePoint(const testing::ExactPlacement& X, const Vec3d& p) {
  Rationals world;
  for (int i = 0; i < 3; ++i) {
    const auto& row = X.matrix[i];
    world[i] = (mpq_class(row[0]) * mpq_class(p.x) + mpq_class(row[1]) * mpq_class(p.y) +
                mpq_class(row[2]) * mpq_class(p.z)) /
                   mpq_class(X.denominator) +
               X.position[i];
  }
  return world;
}

Vec3d AnyPoint(testing::Random& random, double scale) {
  return scale * (random.InCube(1) + Vec3d{random.OneIn(2) ? 3.0 : 0.0, 0, 0});
}

TEST(ExactBody, PutsEveryVertexWhereRationalsPutIt) {
  testing::Random random(testing::RunSeed());
  for (int round = 0; round < 300; ++round) {
    const double scale = random.LogUniform(1e-200, 1e200);
    const std::array points = {AnyPoint(random, scale), AnyPoint(random, scale)};
    const auto made = MakeSegment(points[0], points[1], 0);
    const ConvexShapePtr shape = std::get<ConvexShapePtr>(made);
    const Pose outer = {random.InCube(random.LogUniform(1e-250, 1e250)), random.Rotation()};
    const Pose inner = {random.InCube(random.LogUniform(1e-250, 1e250)), random.Rotation()};
    const ExactBody once = MakeExactBody(*shape, {&outer});
    const ExactBody twice = MakeExactBody(*shape, {&outer, &inner});
    const testing::ExactPlacement X_WB = testing::Place(outer);
    const testing::ExactPlacement X_WS = testing::Compose(X_WB, testing::Place(inner));
    for (VertexIndex i = 0; i < shape->vertex_count(); ++i) {
      const Vec3d p = points[shape->original_index(i)];
      ASSERT_EQ(WorldPoint(once, i), OraclePoint(X_WB, p)) << round;
      ASSERT_EQ(WorldPoint(twice, i), OraclePoint(X_WS, p)) << round;
    }
  }
}

TEST(ExactBody, OfAPointAtTheOriginIsThere) {
  const auto made = MakePoint(1);
  const Pose pose;
  const ExactBody body = MakeExactBody(*std::get<ConvexShapePtr>(made), {&pose});
  EXPECT_EQ(body.lowest_bit, kNoBit);
  EXPECT_TRUE(IsZero(body.X_W.offset));
  EXPECT_EQ(body.X_W.denominator, 1);
}

}  // namespace
}  // namespace clearance

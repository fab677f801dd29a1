// SPDX-License-Identifier: Apache-2.0
//
// The oracle is tests/support/exact_pair, which places points with rationals and shares no code.

#include "core/exact/exact_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/exact_pair.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance {
namespace {

// n . w in metres, of a w that is in units of the difference.
mpq_class Height(const ExactDifference& difference, const IntegerVector& n,
                 const IntegerVector& w) {
  mpq_class height(Dot(n, w), difference.denominator());
  height.canonicalize();
  const int exponent = difference.exponent();
  if (exponent >= 0) {
    height <<= static_cast<mp_bitcnt_t>(exponent);
  } else {
    height >>= static_cast<mp_bitcnt_t>(-exponent);
  }
  return height;
}

mpq_class GreatestHeight(const testing::ExactPair& pair, const IntegerVector& n) {
  const auto height = [&](const testing::ExactVector& p) -> mpz_class {
    return n.x * p.x + n.y * p.y + n.z * p.z;
  };
  mpz_class a = height(pair.a[0]), b = height(pair.b[0]);
  for (const auto& p : pair.a) a = std::max(a, height(p));
  for (const auto& p : pair.b) b = std::min(b, height(p));
  return mpq_class(a - b) * pair.unit;
}

// The outward normal of a triangle of the points that has all of them behind it.
IntegerVector FaceNormal(const std::vector<testing::ExactVector>& p, testing::Random& random) {
  for (;;) {
    const auto any = [&] { return p[random.Below(static_cast<int>(p.size()))]; };
    const testing::ExactVector corner = any();
    const testing::ExactVector n = testing::Cross(any() - corner, any() - corner);
    const bool is_face = !testing::IsZero(n) && std::all_of(p.begin(), p.end(), [&](const auto& q) {
      return testing::Dot(n, q - corner) <= 0;
    });
    if (is_face) return {n.x, n.y, n.z};
  }
}

// Along the exact normals of faces, and along directions that are off them by less than a double
// can tell: which corner is highest hangs on the exact comparison alone.
TEST(ExactDifference, FindsTheHighestVertexWhereDoublesSeeATie) {
  testing::Random random(testing::RunSeed());
  for (int round = 0; round < 1000; ++round) {
    const testing::BodyPair bodies = testing::Generate(testing::Family::kRandomHulls, random);
    const testing::ExactPair pair = testing::MakeExactPair(bodies);
    const ConvexShapePtr a = testing::MakeShape(bodies.a);
    const ConvexShapePtr b = testing::MakeShape(bodies.b);
    ExactDifference difference(MakeExactBody(*a, {&bodies.a.pose}),
                               MakeExactBody(*b, {&bodies.b.pose}));
    const IntegerVector normal = FaceNormal(pair.a, random);
    IntegerVector n = Shifted(normal, 20);
    for (Integer* coordinate : {&n.x, &n.y, &n.z}) {
      // Up to 2^-52 to 2^-70 of the normal, and now and then nothing.
      const int shift = BitCount(n) - 55 - random.Below(19);
      if (!random.OneIn(4)) *coordinate += Shifted(Integer(random.Below(9) - 4), shift);
    }
    ASSERT_EQ(Height(difference, n, difference.Support(n)), GreatestHeight(pair, n)) << round;
  }
}

TEST(ExactDifference, AddsTheRadiiExactly) {
  const testing::Body ball = testing::MakePointBody(0.1);
  const testing::Body small = testing::MakePointBody(1e-300);
  const ConvexShapePtr a = testing::MakeShape(ball), b = testing::MakeShape(small);
  const ExactDifference difference(MakeExactBody(*a, {&ball.pose}),
                                   MakeExactBody(*b, {&small.pose}));
  const IntegerVector radii = {difference.radius_sum(), 0, 0};
  const IntegerVector x = {Integer(1), 0, 0};
  EXPECT_EQ(Height(difference, x, radii), mpq_class(mpq_class(0.1) + mpq_class(1e-300)));
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Rays against differences whose vertices are all looked at: a facet has none in front of it, and
// a miss has none on the ray's side of its plane.

#include "core/narrow/portal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;
using End = PortalResult::End;

constexpr double kSlack = 1e-12;

ConvexShapePtr HullOnBall(int points, Random& random) {
  std::vector<Vec3d> cloud;
  for (int i = 0; i < points; ++i) cloud.push_back(random.Direction());
  return HullOf(cloud);
}

// Of all vertices of A - B the greatest n . w.
double HeightAlong(const MinkowskiDifference<double>& difference, const Vec3d& n_A) {
  double height = -HUGE_VAL;
  for (VertexIndex a = 0; a < difference.pair().a.vertex_count(); ++a) {
    for (VertexIndex b = 0; b < difference.pair().b.vertex_count(); ++b) {
      height = std::fmax(height, Dot(n_A, difference.At(a, b, false).w));
    }
  }
  return height;
}

void ExpectFirstFacet(const MinkowskiDifference<double>& difference, const Vec3d& ray_A,
                      const PortalResult& cast) {
  const auto& [p, q, r] = cast.vertex;
  const Vec3d n_A = Normalized(Cross(r.w - p.w, q.w - p.w));
  EXPECT_LT(Dot(n_A, ray_A), 0);
  EXPECT_LE(HeightAlong(difference, n_A), Dot(n_A, p.w) + kSlack);
  Vec3d met;
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(cast.weight[i], 0);
    sum += cast.weight[i];
    met = met + cast.weight[i] * cast.vertex[i].w;
  }
  EXPECT_NEAR(sum, 1, kSlack);
  EXPECT_LE(Norm(Cross(met, ray_A)), kSlack * Norm(ray_A));
}

void ExpectMiss(const MinkowskiDifference<double>& difference, const Vec3d& ray_A,
                const PortalResult& cast) {
  const double height = HeightAlong(difference, cast.n_A) - kSlack;
  EXPECT_LT(height, 0);
  EXPECT_LT(height, Dot(cast.n_A, ray_A));
}

TEST(Portal, FindsTheFacetThatIsMetFirstOrADirectionThatMisses) {
  Random random(RunSeed());
  int facets = 0, misses = 0;
  const int casts = Effort(1000);
  for (int i = 0; i < casts; ++i) {
    const auto size = [&] { return 4 + static_cast<int>(random.Below(i % 10 == 0 ? 120 : 12)); };
    const auto shape = [&] {
      return random.OneIn(4) ? Cube(random.Uniform(0.3, 0.7)) : HullOnBall(size(), random);
    };
    const ConvexShapePtr a = shape(), b = shape();
    const TestPair test(a, b, {random.Uniform(1, 4) * random.Direction(), {}});
    MinkowskiDifference<double> difference(test.pair, test.coarse);
    const Vec3d ray_A =
        random.Uniform(0.2, 2) * (random.Uniform(0, 1) * random.Direction() - test.coarse.p_AB);
    const PortalResult cast = SearchPortal(difference, ray_A);
    if (cast.end == End::kFacet) ExpectFirstFacet(difference, ray_A, cast);
    if (cast.end == End::kMiss) ExpectMiss(difference, ray_A, cast);
    facets += cast.end == End::kFacet ? 1 : 0;
    misses += cast.end == End::kMiss ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(4 * facets, casts);
  EXPECT_GT(10 * misses, casts);
  EXPECT_GT(100 * (facets + misses), 99 * casts);
}

TEST(Portal, MeetsTheFaceOfCubes) {
  const TestPair test(Cube(1), Cube(1), {{5, 0.25, 0.5}, {}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  const double unit = std::ldexp(1.0, -test.pair.exponent);
  const PortalResult cast = SearchPortal(difference, unit * Vec3d{-10, 0, 0});
  ASSERT_EQ(cast.end, End::kFacet);
  for (const auto& vertex : cast.vertex) EXPECT_EQ(vertex.w.x, -3 * unit);
  EXPECT_EQ(SearchPortal(difference, unit * Vec3d{-2, 0, 0}).end, End::kMiss);  // too short
  EXPECT_EQ(SearchPortal(difference, unit * Vec3d{10, 0, 0}).end, End::kMiss);  // away
  EXPECT_EQ(SearchPortal(difference, unit * Vec3d{-10, 10, 0}).end, End::kMiss);
}

TEST(Portal, SaysSoWhereItCannotTell) {
  const TestPair test(Cube(1), Cube(1), {{5, 2, 0}, {}});
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  EXPECT_EQ(SearchPortal(difference, {}).end, End::kUnknown);
  EXPECT_EQ(SearchPortal(difference, {-1, 0, 0}).end, End::kUnknown);   // along a face
  EXPECT_EQ(SearchPortal(difference, {-1, -1, 0}).end, End::kUnknown);  // through an edge
}

}  // namespace
}  // namespace clearance

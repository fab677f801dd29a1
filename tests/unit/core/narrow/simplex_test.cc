// SPDX-License-Identifier: Apache-2.0
//
// The sub-distance solver against exact rationals (GMP): the nearest point of a simplex is the
// nearest among those of the affine hulls of its 15 faces whose weights are not negative. All small
// lattice simplices, degenerate ones too.

#include "core/narrow/simplex.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace clearance {
namespace {

constexpr unsigned kSeed = 99;

using Q = mpq_class;
using Q3 = std::array<Q, 3>;

Q Exact(double x) { return Q(x); }
Q Exact(const DoubleDouble& x) { return Q(x.hi) + Q(x.lo); }

Q DotQ(const Q3& a, const Q3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Q3 Minus(const Q3& a, const Q3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Q3 ToQ(const Vec3d& v) { return {Q(v.x), Q(v.y), Q(v.z)}; }

// Solves the k x k system by Gauss elimination; false if singular.
bool Solve(std::vector<std::vector<Q>> m, std::vector<Q>* x) {
  const std::size_t n = m.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    while (pivot < n && m[pivot][c] == 0) ++pivot;
    if (pivot == n) return false;
    std::swap(m[pivot], m[c]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const Q factor = m[r][c] / m[c][c];
      for (std::size_t k = c; k <= n; ++k) m[r][k] -= factor * m[c][k];
    }
  }
  for (std::size_t c = 0; c < n; ++c) x->push_back(m[c][n] / m[c][c]);
  return true;
}

// The squared norm of the nearest point of the affine hull of some points, if its weights are all
// non-negative.
bool NearestOfFace(const std::vector<Q3>& p, Q* norm_sq) {
  std::vector<std::vector<Q>> m;
  for (std::size_t i = 1; i < p.size(); ++i) {
    m.emplace_back();
    for (std::size_t j = 1; j < p.size(); ++j)
      m.back().push_back(DotQ(Minus(p[i], p[0]), Minus(p[j], p[0])));
    m.back().push_back(-DotQ(Minus(p[i], p[0]), p[0]));
  }
  std::vector<Q> weight;
  if (!Solve(m, &weight)) return false;
  Q rest = 1;
  Q3 v = p[0];
  for (std::size_t i = 1; i < p.size(); ++i) {
    if (weight[i - 1] < 0) return false;
    rest -= weight[i - 1];
    const Q3 edge = Minus(p[i], p[0]);
    for (int k = 0; k < 3; ++k) v[k] += weight[i - 1] * edge[k];
  }
  *norm_sq = DotQ(v, v);
  return rest >= 0;
}

Q ExactNormSquared(const std::vector<Vec3d>& points) {
  Q best = -1;
  for (unsigned mask = 1; mask < 1u << points.size(); ++mask) {
    std::vector<Q3> face;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (mask >> i & 1) face.push_back(ToQ(points[i]));
    }
    Q norm_sq;
    if (NearestOfFace(face, &norm_sq) && (best < 0 || norm_sq < best)) best = norm_sq;
  }
  return best;
}

template <class T>
void ExpectNearest(const std::vector<Vec3d>& points, double tolerance) {
  SimplexPoints<T> simplex;
  for (std::size_t i = 0; i < points.size(); ++i) simplex[i] = To<T>(points[i]);
  const NearestPoint<T> nearest = NearestOnSimplex(simplex, static_cast<int>(points.size()));
  Vec3<T> weighted;
  T sum(0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_GE(ToDouble(nearest.weight[i]), 0);
    ASSERT_TRUE(nearest.mask >> i & 1 || ToDouble(nearest.weight[i]) == 0);
    weighted = weighted + nearest.weight[i] * simplex[i];
    sum = sum + nearest.weight[i];
  }
  const Q want_sq = ExactNormSquared(points);
  ASSERT_LE(abs(Exact(NormSquared(nearest.v)) - want_sq), tolerance);
  ASSERT_LE(abs(Exact(NormSquared(weighted)) - want_sq), tolerance)
      << "the weights do not make the point";
  ASSERT_LE(abs(Exact(sum) - 1), tolerance);
}

TEST(NearestOnSimplex, SolvesEverySegmentAndTriangleOfASmallLattice) {
  std::vector<Vec3d> lattice;
  for (int i = 0; i < 27; ++i) lattice.push_back({i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0});
  for (const Vec3d& a : lattice) {
    for (const Vec3d& b : lattice) {
      ASSERT_NO_FATAL_FAILURE(ExpectNearest<double>({a, b}, 1e-14));
      for (int k = 0; k < 27; k += 2)
        ASSERT_NO_FATAL_FAILURE(ExpectNearest<double>({a, b, lattice[k]}, 1e-14));
    }
  }
}

TEST(NearestOnSimplex, SolvesLatticeTetrahedraAroundOrBesideTheOrigin) {
  std::mt19937 engine(kSeed);
  std::uniform_int_distribution<int> coordinate(-2, 2);
  const auto point = [&] {
    return Vec3d{double(coordinate(engine)), double(coordinate(engine)),
                 double(coordinate(engine))};
  };
  int enclosing = 0, degenerate = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::vector<Vec3d> p = {point(), point(), point(), point()};
    ASSERT_NO_FATAL_FAILURE(ExpectNearest<double>(p, 1e-13)) << "seed " << kSeed << " case " << i;
    if (i % 10 == 0) {
      ASSERT_NO_FATAL_FAILURE(ExpectNearest<DoubleDouble>(p, 1e-28)) << "seed " << kSeed;
    }
    SimplexPoints<double> simplex = {p[0], p[1], p[2], p[3]};
    const double volume = Dot(p[1] - p[0], Cross(p[2] - p[0], p[3] - p[0]));
    if (volume == 0) ++degenerate;
    if (!NearestOnSimplex(simplex, 4).encloses_origin) continue;
    ++enclosing;
    ASSERT_EQ(ExactNormSquared(p), 0);
    ASSERT_NE(volume, 0);
  }
  EXPECT_GT(enclosing, 200) << "the test must visit what it is about";
  EXPECT_GT(degenerate, 500);
}

// Over a sliver of a triangle the plane's normal is what rounding makes of it; the weights must
// still make a point of the triangle that is no nearer than the true one.
TEST(NearestOnSimplex, NeverMakesAPointNearerThanTheNearestOfASliver) {
  std::mt19937 engine(kSeed);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const Vec3d a = {100, unit(engine), unit(engine)};
    const Vec3d b = {-100, unit(engine), unit(engine)};
    const Vec3d c = 0.5 * (a + b) + Vec3d{0, 1e-9 * unit(engine), 1e-9 * unit(engine)};
    SimplexPoints<double> simplex = {a, b, c};
    const NearestPoint<double> nearest = NearestOnSimplex(simplex, 3);
    const Vec3d weighted = nearest.weight[0] * a + nearest.weight[1] * b + nearest.weight[2] * c;
    const Vec3d apart = weighted - nearest.v;
    ASSERT_LE(std::sqrt(NormSquared(apart)), kDoubleSimplexSlack * 101)
        << "seed " << kSeed << " case " << i;
    const double want = std::sqrt(ExactNormSquared({a, b, c}).get_d());
    ASSERT_GE(std::sqrt(NormSquared(weighted)), want - 1e-13) << "seed " << kSeed << " case " << i;
  }
}

}  // namespace
}  // namespace clearance

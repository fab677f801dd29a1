// SPDX-License-Identifier: Apache-2.0
//
// The four solvers of the sub-distance against the exact nearest point (exact_simplex.h), and so
// against each other: on every simplex of a small lattice, and on random simplices of every kind.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include "tests/support/random.h"
#include "tests/support/reference/exact_simplex.h"
#include "tests/support/reference/simplex_generators.h"
#include "tests/support/reference/sub_solvers.h"

namespace clearance::reference {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

std::string Describe(const PointSimplex& s) {
  std::string text;
  for (int i = 0; i < s.size; ++i) {
    std::array<char, 100> line{};
    std::snprintf(line.data(), line.size(), "{%a, %a, %a}\n", s.point[i].x, s.point[i].y,
                  s.point[i].z);
    text += line.data();
  }
  return text;
}

// Weights and bits agree, the sum is 1, and v is the point that the weights make, to rounding: so
// that |v| is not less than the distance.
bool IsCombination(const PointSimplex& s, const NearestPoint& nearest) {
  double sum = 0;
  Vec3d v;
  for (int i = 0; i < 4; ++i) {
    if (nearest.weight[i] < 0 || (nearest.weight[i] > 0) != HasBit(nearest.mask, i)) return false;
    if (i >= s.size && nearest.weight[i] > 0) return false;
    sum += nearest.weight[i];
    v = v + nearest.weight[i] * s.point[i];
  }
  return std::fabs(sum - 1) <= 8 * kUnit && Norm(v - nearest.v) <= 16 * kUnit * Extent(s);
}

// The plane through the lowest point along v: no point of the simplex is nearer to the origin than
// this, whatever v is.
double LowerBound(const PointSimplex& s, const Vec3d& v) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < s.size; ++i) lowest = std::min(lowest, Dot(v, s.point[i]));
  return NormSquared(v) > 0 ? std::max(0.0, lowest / Norm(v)) : 0;
}

// --- Every simplex of {-1, 0, 1}^3 ---------------------------------------------------------------

using LatticePoint = IntegerPoint<std::int64_t>;
constexpr int kLatticePoints = 27;

LatticePoint LatticePointAt(int i) { return {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}; }

Vec3d ToDouble(const LatticePoint& p) {
  return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

// Checks all solvers on one simplex; the mask of the exact answer.
unsigned CheckOnLattice(const std::array<LatticePoint, 4>& points, int size) {
  const auto exact = NearestExactly(points, size);
  const Vec3d truth = (1 / static_cast<double>(exact.denominator)) * ToDouble(exact.numerator);
  PointSimplex s;
  s.size = size;
  for (int i = 0; i < size; ++i) s.point[i] = ToDouble(points[i]);
  for (const SubSolver& solver : kSubSolvers) {
    const NearestPoint nearest = solver.solve(s);
    EXPECT_TRUE(IsCombination(s, nearest)) << solver.name << "\n" << Describe(s);
    EXPECT_LE(Norm(nearest.v - truth), solver.lattice_units * kUnit * Extent(s))
        << solver.name << "\n"
        << Describe(s);
  }
  return exact.mask;
}

TEST(SubDistance, IsExactOnEverySimplexOfALattice) {
  std::array<int, 16> masks{};
  int simplices = 0;
  for (int size = 1; size <= 4; ++size) {
    int count = 1;
    for (int i = 0; i < size; ++i) count *= kLatticePoints;
    for (int code = 0; code < count; ++code) {
      std::array<LatticePoint, 4> points;
      for (int i = 0, rest = code; i < size; ++i, rest /= kLatticePoints) {
        points[i] = LatticePointAt(rest % kLatticePoints);
      }
      ++masks[CheckOnLattice(points, size)];
      ++simplices;
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GE(simplices, 500000);
  for (unsigned mask = 1; mask < 16; ++mask) EXPECT_GT(masks[mask], 0) << mask;
}

// --- Random simplices of every kind --------------------------------------------------------------

// Returns the altitude of point number `apex` above the others; 0 if these are collinear or equal.
double Altitude(const PointSimplex& s, int apex) {
  const Vec3d& o = s.point[(apex + 1) % s.size];
  const Vec3d& p = s.point[(apex + 2) % s.size];
  const Vec3d& q = s.point[(apex + 3) % s.size];
  const Vec3d up = s.point[apex] - o;
  if (s.size == 2) return Norm(up);
  if (s.size == 3) return p == o ? 0 : Norm(Cross(up, p - o)) / Norm(p - o);
  const Vec3d n = Cross(p - o, q - o);
  return n == Vec3d{} ? 0 : std::fabs(Dot(n, up)) / Norm(n);
}

// The largest |point| over the least altitude of the tetrahedron, triangle or segment, at least 1.
double Condition(const PointSimplex& s) {
  if (s.size == 1) return 1;
  double least = std::numeric_limits<double>::infinity();
  for (int apex = 0; apex < s.size; ++apex) least = std::min(least, Altitude(s, apex));
  return least > 0 ? std::max(1.0, Extent(s) / least) : std::numeric_limits<double>::infinity();
}

// Simplices up to this condition are held to the bound of their solver's degree.
constexpr double kWellConditioned = 16;

double Bound(const SubSolver& solver, double condition) {
  return 64 * kUnit * std::pow(condition, solver.degree);
}

// In units of the simplex's extent: a third of the digits lost.
constexpr double kAccurate = 1e-9;

// Thousandths of the simplices of each kind for which a solver in doubles may be less accurate than
// that, because the simplex is thinner than the bound of its degree allows for. About one and a
// half times what was seen over several seeds; the certificate holds even of these.
constexpr std::array<int, kSimplexKindCount> kInaccurateAllowed = {
    1,    // general
    0,    // well_shaped
    1,    // near_feature
    12,   // sliver
    300,  // needle: Cramer's rule on Gram matrices loses four times the digits of the width
    3,    // far_away
    190,  // size_ratio
    8,    // repeated
    0,    // lattice
};

struct Tally {
  int bounded = 0;
  std::array<int, 4> inaccurate{};
};

// Checks one simplex: v is a point of the hull, and the bracket that it makes itself,
// [lowest v . y / |v|, |v|], holds the exact distance. (v and its products are rounded.)
void CheckCertificate(const PointSimplex& s, const NearestPoint& nearest, double distance) {
  const double rounding = 16 * kUnit * Extent(s);
  ASSERT_TRUE(IsCombination(s, nearest));
  ASSERT_LE(distance, Norm(nearest.v) + rounding);
  ASSERT_GE(distance, LowerBound(s, nearest.v) - rounding);
}

void CheckSimplex(const PointSimplex& s, Tally* tally) {
  const Vec3d truth = NearestExactly(s);
  const double condition = Condition(s);
  tally->bounded += condition <= kWellConditioned ? 1 : 0;
  for (std::size_t i = 0; i < kSubSolvers.size(); ++i) {
    const SubSolver& solver = kSubSolvers[i];
    const NearestPoint nearest = solver.solve(s);
    CheckCertificate(s, nearest, Norm(truth));
    const double error = Norm(nearest.v - truth);
    tally->inaccurate[i] += error > kAccurate * Extent(s) ? 1 : 0;
    if (condition <= kWellConditioned) {
      ASSERT_LE(error, Bound(solver, condition) * Extent(s)) << solver.name;
    }
    if (::testing::Test::HasFatalFailure()) FAIL() << solver.name << "\n" << Describe(s);
  }
}

class SubDistanceOfKind : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(All, SubDistanceOfKind, ::testing::Range(0, kSimplexKindCount),
                         [](const auto& kind) {
                           return Name(static_cast<SimplexKind>(kind.param));
                         });

TEST_P(SubDistanceOfKind, IsTheExactOneAsFarAsTheSimplexAllows) {
  Random random(RunSeed() * kSimplexKindCount + GetParam());
  const int simplices = Effort(10000, 500000);
  Tally tally;
  for (int i = 0; i < simplices; ++i) {
    CheckSimplex(Generate(static_cast<SimplexKind>(GetParam()), random), &tally);
    ASSERT_FALSE(HasFatalFailure());
  }
  if (GetParam() <= static_cast<int>(SimplexKind::kNearFeature)) {
    EXPECT_GE(10 * tally.bounded, 9 * simplices) << "hardly any well-conditioned";
  }
  for (std::size_t i = 0; i < kSubSolvers.size(); ++i) {
    EXPECT_LE(1000LL * tally.inaccurate[i], 1LL * kInaccurateAllowed[GetParam()] * simplices)
        << kSubSolvers[i].name;
  }
  std::printf("%d simplices, %d well-conditioned, off by more than 1e-9:", simplices,
              tally.bounded);
  for (std::size_t i = 0; i < kSubSolvers.size(); ++i) {
    std::printf(" %s %d", kSubSolvers[i].name, tally.inaccurate[i]);
  }
  std::printf("\n");
}

// --- The trap of the printed face test -----------------------------------------------------------

TEST(Voronoi, SeesTheOriginOutsideAFlatTetrahedron) {
  const std::array<Vec3d, 4> p = {{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
  EXPECT_FALSE(IsOutsideFaceAsPrinted(p[0], p[1], p[2], p[3]));
  EXPECT_FALSE(IsOutsideFaceAsPrinted(p[0], p[1], p[3], p[2]));
  EXPECT_FALSE(IsOutsideFaceAsPrinted(p[0], p[2], p[3], p[1]));
  EXPECT_FALSE(IsOutsideFaceAsPrinted(p[1], p[2], p[3], p[0]));
  EXPECT_EQ(NearestByVoronoi({4, p}).v, Vec3d({0, 0, 1}));
}

}  // namespace
}  // namespace clearance::reference

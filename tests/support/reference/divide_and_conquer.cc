// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/divide_and_conquer.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace clearance::reference {
namespace {

constexpr int kMaxTurns = 200;

// Rounding of a determinant relative to the product of the squares of its edges: six products of
// three rounded inner products.
constexpr double kRankError = 64 * kUnit;

// H as columns and g, of up to three edges; of fewer, the rest is the unit matrix and 0.
struct NormalEquations {
  std::array<Vec3d, 3> h = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vec3d g;
  double scale = 1;  // the product of the diagonal
};

double& Entry(Vec3d* v, int i) { return i == 0 ? v->x : i == 1 ? v->y : v->z; }

double Determinant(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return Dot(a, Cross(b, c)); }

NormalEquations MakeEquations(const PointSimplex& s, const std::vector<int>& chosen) {
  NormalEquations equations;
  const Vec3d& base = s.point[chosen[0]];
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    const Vec3d e = s.point[chosen[i]] - base;
    for (std::size_t j = 1; j < chosen.size(); ++j) {
      Entry(&equations.h[i - 1], static_cast<int>(j - 1)) = Dot(e, s.point[chosen[j]] - base);
    }
    Entry(&equations.g, static_cast<int>(i - 1)) = -Dot(e, base);
    equations.scale *= NormSquared(e);
  }
  return equations;
}

// The nearest point of the affine hull if it lies in the simplex; false if not, or if H has not
// full rank.
bool SolveInside(const PointSimplex& s, const std::vector<int>& chosen, NearestPoint* nearest) {
  const NormalEquations e = MakeEquations(s, chosen);
  const double whole = Determinant(e.h[0], e.h[1], e.h[2]);
  if (!(whole > kRankError * e.scale)) return false;
  const std::array<double, 3> t = {Determinant(e.g, e.h[1], e.h[2]),
                                   Determinant(e.h[0], e.g, e.h[2]),
                                   Determinant(e.h[0], e.h[1], e.g)};
  std::array<double, 4> share{};
  share[chosen[0]] = whole - t[0] - t[1] - t[2];
  for (std::size_t i = 1; i < chosen.size(); ++i) share[chosen[i]] = t[i - 1];
  if (std::any_of(share.begin(), share.end(), [](double x) { return x < 0; })) return false;
  unsigned mask = 0;
  for (const int i : chosen) mask |= 1U << i;
  *nearest = Combine(s, mask, share);
  return true;
}

NearestPoint Conquer(const PointSimplex& s, const std::vector<int>& chosen) {
  if (chosen.size() == 1) return AtPoint(s, chosen[0]);
  NearestPoint best;
  if (SolveInside(s, chosen, &best)) return best;
  for (std::size_t dropped = 0; dropped < chosen.size(); ++dropped) {
    std::vector<int> rest = chosen;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dropped));
    const NearestPoint nearest = Conquer(s, rest);
    best = dropped == 0 ? nearest : Nearer(best, nearest);
  }
  return best;
}

// The simplex of the loop: vertex pairs and where they stand.
using Vertices = std::vector<DifferencePoint>;

NearestPoint NearestOf(const Vertices& vertices) {
  PointSimplex s;
  for (const DifferencePoint& vertex : vertices) s.point[s.size++] = vertex.w;
  return NearestByLeastSquares(s);
}

double Reach(const Vertices& vertices, const Vec3d& d) {
  double reach = -std::numeric_limits<double>::infinity();
  for (const DifferencePoint& vertex : vertices) reach = std::max(reach, Dot(d, vertex.w));
  return reach;
}

// Drops what carries no weight.
void SetSimplex(const NearestPoint& nearest, Vertices* vertices, ClosestPair* result) {
  const Vertices all = *vertices;
  *vertices = {};
  const double lower = result->lower;
  *result = {};
  result->lower = lower;
  result->upper = Norm(nearest.v);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double weight = nearest.weight[i];
    if (weight == 0) continue;
    vertices->push_back(all[i]);
    result->simplex_a.push_back(all[i].index_a);
    result->simplex_b.push_back(all[i].index_b);
    result->weights.push_back(weight);
    result->p_a = result->p_a + weight * all[i].a;
    result->p_b = result->p_b + weight * all[i].b;
  }
}

}  // namespace

NearestPoint NearestByLeastSquares(const PointSimplex& simplex) {
  std::vector<int> all(static_cast<std::size_t>(simplex.size));
  std::iota(all.begin(), all.end(), 0);
  return Conquer(simplex, all);
}

ClosestPair ClosestByDivideAndConquer(const DifferenceSets& sets) {
  Vertices vertices = {sets.At(0, 0, false)};
  ClosestPair result;
  result.upper = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    const NearestPoint nearest = NearestOf(vertices);
    if (!(Norm(nearest.v) < result.upper)) return result;
    SetSimplex(nearest, &vertices, &result);
    if (vertices.size() == 4 || result.upper == 0) {
      result.lower = 0;
      return result;
    }
    const Vec3d d = -nearest.v;
    const DifferencePoint w = sets.Support(d);
    result.lower = std::max(result.lower, -Dot(d, w.w) / result.upper);
    if (Reach(vertices, d) >= Dot(d, w.w)) return result;
    vertices.push_back(w);
  }
  result.hit_iteration_limit = true;
  return result;
}

}  // namespace clearance::reference

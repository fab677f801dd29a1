// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exact_distance.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/exact_cone.h"

namespace clearance::testing {
namespace {

// A point numerator / denominator; the denominator is positive.
struct Fraction {
  ExactVector numerator;
  mpz_class denominator;
};

using Points = std::vector<ExactVector>;

mpz_class Determinant(const std::vector<std::vector<mpz_class>>& m) {
  if (m.empty()) return 1;
  if (m.size() == 1) return m[0][0];
  if (m.size() == 2) return m[0][0] * m[1][1] - m[0][1] * m[1][0];
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// The point of least norm of the affine hull of `p`, if it is a combination with positive weights
// only (and the points are affinely independent). Cramer's rule on the Gram matrix of the edges
// from p[0].
std::optional<Fraction> LeastNormInside(const Points& p) {
  const std::size_t n = p.size() - 1;
  Points edges;
  for (std::size_t i = 0; i < n; ++i) edges.push_back(p[i + 1] - p[0]);
  std::vector<std::vector<mpz_class>> gram(n, std::vector<mpz_class>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) gram[i][j] = Dot(edges[i], edges[j]);
  }
  const mpz_class determinant = Determinant(gram);
  if (determinant == 0) return std::nullopt;
  Fraction x = {determinant * p[0], determinant};
  mpz_class first_weight = determinant;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::vector<mpz_class>> replaced = gram;
    for (std::size_t j = 0; j < n; ++j) replaced[j][i] = -Dot(edges[j], p[0]);
    const mpz_class weight = Determinant(replaced);
    if (weight <= 0) return std::nullopt;
    first_weight -= weight;
    x.numerator = x.numerator + weight * edges[i];
  }
  if (first_weight <= 0) return std::nullopt;
  return x;
}

// x . w >= x . x, the proof that w does not improve on x.
bool IsBehind(const Fraction& x, const ExactVector& w) {
  return Dot(x.numerator, w) * x.denominator >= Dot(x.numerator, x.numerator);
}

// The point of least norm of the hull of the simplex, which is reduced to the points that carry it.
// The last point was the last to be added and takes part.
Fraction LeastNorm(Points* simplex) {
  const std::size_t last = simplex->size() - 1;
  for (std::size_t mask = 0; mask < (std::size_t{1} << last); ++mask) {
    Points chosen = {(*simplex)[last]};
    for (std::size_t i = 0; i < last; ++i) {
      if ((mask >> i & 1) != 0) chosen.push_back((*simplex)[i]);
    }
    const std::optional<Fraction> x = LeastNormInside(chosen);
    if (!x) continue;
    if (!std::all_of(simplex->begin(), simplex->end(),
                     [&](const ExactVector& w) { return IsBehind(*x, w); })) {
      continue;
    }
    *simplex = std::move(chosen);
    return *x;
  }
  std::abort();  // every simplex has a point of least norm, and exact arithmetic finds it
}

ExactVector LowestDifference(const ExactPair& pair, const ExactVector& direction) {
  return LowestAlong(pair.a, direction) - LowestAlong(pair.b, mpz_class(-1) * direction);
}

mpq_class Square(const mpq_class& x) { return x * x; }

}  // namespace

int ExactDistance::Sign() const {
  if (relation == CoreRelation::kInside) return -1;
  return sgn(mpq_class(core_square - Square(radii)));
}

bool ExactDistance::IsAtLeast(double x) const {
  if (std::isinf(x)) return x < 0;
  const mpq_class core = mpq_class(x) + radii;
  if (relation != CoreRelation::kInside) return sgn(core) <= 0 || core_square >= Square(core);
  if (!is_depth_known) return sgn(core) < 0;
  return sgn(core) <= 0 && Square(core) >= core_square;
}

bool ExactDistance::IsAtMost(double x) const {
  if (std::isinf(x)) return x > 0;
  const mpq_class core = mpq_class(x) + radii;
  if (relation != CoreRelation::kInside) return sgn(core) >= 0 && core_square <= Square(core);
  if (!is_depth_known) return true;
  return sgn(core) >= 0 || Square(core) <= core_square;
}

double ExactDistance::Approximate() const {
  mpf_class root(core_square, 2400);
  root = sqrt(root);
  if (relation == CoreRelation::kInside) root = -root;
  return mpf_class(root - mpf_class(radii, 2400)).get_d();
}

ExactDistance ComputeExactDistance(const ExactPair& pair) {
  ExactDistance result;
  result.radii = pair.radii;
  Points simplex = {pair.a[0] - pair.b[0]};
  for (;;) {
    const Fraction x = LeastNorm(&simplex);
    if (IsZero(x.numerator)) break;
    ExactVector w = LowestDifference(pair, Reduced(x.numerator));
    if (IsBehind(x, w)) {
      mpq_class square(Dot(x.numerator, x.numerator), x.denominator * x.denominator);
      square.canonicalize();
      result.core_square = square * Square(pair.unit);
      return result;
    }
    simplex.push_back(std::move(w));
  }
  const bool is_inside = simplex.size() == 4 || DifferencesSpanSpace(pair.a, pair.b);
  result.relation = is_inside ? CoreRelation::kInside : CoreRelation::kBoundary;
  result.is_depth_known = !is_inside;
  return result;
}

ExactDistance ComputeExactSignedDistance(const ExactPair& pair) {
  ExactDistance result = ComputeExactDistance(pair);
  if (result.relation == CoreRelation::kInside &&
      pair.a.size() + pair.b.size() <= kMaxDepthVertices) {
    result.core_square = ComputeExactDepthSquare(pair) * Square(pair.unit);
    result.is_depth_known = true;
  }
  return result;
}

mpz_class SmallestGap(const ExactPair& pair, const ExactVector& n) {
  return Dot(n, LowestAlong(pair.b, n)) - Dot(n, LowestAlong(pair.a, mpz_class(-1) * n));
}

}  // namespace clearance::testing

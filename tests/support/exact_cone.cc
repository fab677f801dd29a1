// SPDX-License-Identifier: Apache-2.0
//
// Non-negative least squares (Lawson and Hanson 1974) in integers: the residual of e strictly
// shrinks with every difference that is added, so the search is finite.
#include "tests/support/exact_cone.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

namespace clearance::testing {
namespace {

using Generators = std::vector<ExactVector>;

// A positive multiple of e minus its projection on the span of `c`, if the projection has positive
// weights only and the generators are independent. In space the residual of two generators lies
// along their cross product, that of one in the plane of it and e; three independent ones leave
// none.
std::optional<ExactVector> Residual(const Generators& c, const ExactVector& e) {
  if (c.empty()) return e;
  if (c.size() == 1) {
    const mpz_class along = Dot(c[0], e);
    if (along <= 0) return std::nullopt;
    return Dot(c[0], c[0]) * e - along * c[0];
  }
  if (c.size() == 2) {
    const ExactVector n = Cross(c[0], c[1]);
    if (IsZero(n) || Dot(Cross(e, c[1]), n) <= 0 || Dot(Cross(c[0], e), n) <= 0)
      return std::nullopt;
    return Dot(e, n) * n;
  }
  const mpz_class volume = Dot(c[0], Cross(c[1], c[2]));
  const std::array<mpz_class, 3> weights = {Dot(e, Cross(c[1], c[2])), Dot(c[0], Cross(e, c[2])),
                                            Dot(c[0], Cross(c[1], e))};
  for (const mpz_class& weight : weights) {
    if (sgn(weight) * sgn(volume) <= 0) return std::nullopt;
  }
  return ExactVector{0, 0, 0};
}

// The residual of e over the cone of `c`, which is reduced to the generators that carry the
// projection.
ExactVector ReduceToCarrier(Generators* c, const ExactVector& e) {
  for (std::size_t mask = 0; mask < (std::size_t{1} << c->size()); ++mask) {
    Generators chosen;
    for (std::size_t i = 0; i < c->size(); ++i) {
      if ((mask >> i & 1) != 0) chosen.push_back((*c)[i]);
    }
    std::optional<ExactVector> r = Residual(chosen, e);
    if (!r ||
        std::any_of(c->begin(), c->end(), [&](const ExactVector& g) { return Dot(*r, g) > 0; })) {
      continue;
    }
    *c = std::move(chosen);
    return Reduced(*r);
  }
  std::abort();  // the nearest point of a cone exists, and exact arithmetic finds it
}

bool IsInCone(const ExactVector& e, const std::vector<ExactVector>& a,
              const std::vector<ExactVector>& b) {
  Generators c;
  for (;;) {
    const ExactVector r = ReduceToCarrier(&c, e);
    if (IsZero(r)) return true;
    const ExactVector w = LowestAlong(a, mpz_class(-1) * r) - LowestAlong(b, r);
    if (Dot(r, w) <= 0) return false;
    c.push_back(Reduced(w));
  }
}

}  // namespace

const ExactVector& LowestAlong(const std::vector<ExactVector>& points,
                               const ExactVector& direction) {
  const ExactVector* lowest = &points[0];
  mpz_class least = Dot(direction, points[0]);
  mpz_class height;
  for (const ExactVector& p : points) {
    height = direction.x * p.x;
    height += direction.y * p.y;
    height += direction.z * p.z;
    if (height < least) {
      swap(least, height);
      lowest = &p;
    }
  }
  return *lowest;
}

bool DifferencesSpanSpace(const std::vector<ExactVector>& a, const std::vector<ExactVector>& b) {
  const std::array<ExactVector, 4> spanning = {
      ExactVector{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}};
  return std::all_of(spanning.begin(), spanning.end(),
                     [&](const ExactVector& e) { return IsInCone(e, a, b); });
}

}  // namespace clearance::testing

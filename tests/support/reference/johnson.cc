// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/johnson.h"

#include <bit>

namespace clearance::reference {
namespace {

// D_i(X) at [X][i], X as a mask.
using Cofactors = std::array<std::array<double, 4>, 16>;

Cofactors ComputeCofactors(const PointSimplex& simplex) {
  Cofactors d{};
  for (unsigned whole = 1; whole < 1U << simplex.size; ++whole) {
    for (int j = 0; j < simplex.size; ++j) {
      if (!HasBit(whole, j)) continue;
      const unsigned rest = whole & ~(1U << j);
      if (rest == 0) {
        d[whole][j] = 1;
        continue;
      }
      const Vec3d edge = simplex.point[std::countr_zero(rest)] - simplex.point[j];
      for (int i = 0; i < simplex.size; ++i) {
        if (HasBit(rest, i)) d[whole][j] += d[rest][i] * Dot(simplex.point[i], edge);
      }
    }
  }
  return d;
}

bool IsInsideItself(const Cofactors& d, unsigned subset) {
  for (int i = 0; i < 4; ++i) {
    if (HasBit(subset, i) && !(d[subset][i] > 0)) return false;
  }
  return true;
}

bool AreOthersBehind(const Cofactors& d, unsigned subset, int size) {
  for (int j = 0; j < size; ++j) {
    if (!HasBit(subset, j) && d[subset | 1U << j][j] > 0) return false;
  }
  return true;
}

}  // namespace

NearestPoint NearestByJohnson(const PointSimplex& simplex) {
  const Cofactors d = ComputeCofactors(simplex);
  NearestPoint backup = AtPoint(simplex, 0);
  for (unsigned subset = 1; subset < 1U << simplex.size; ++subset) {
    if (!IsInsideItself(d, subset)) continue;
    const NearestPoint nearest = Combine(simplex, subset, d[subset]);
    if (AreOthersBehind(d, subset, simplex.size)) return nearest;
    backup = Nearer(backup, nearest);
  }
  return backup;
}

}  // namespace clearance::reference

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/plane_sat.h"

#include <cstddef>
#include <limits>

namespace clearance::reference {
namespace {

// Along the outward normal of edge i of `of`, unscaled: how far all of `other` lies beyond it.
struct Axis {
  Vec2 n;
  double gap = 0;
};

Axis AxisOf(const Polygon& of, std::size_t i, const Polygon& other) {
  const Vec2 along = of[(i + 1) % of.size()] - of[i];
  const Vec2 n = {along.y, -along.x};
  return {n, Dot(n, other[HighestByScan(other, -n)] - of[i])};
}

}  // namespace

SatResult CompareBySeparatingAxes(const Polygon& a, const Polygon& b) {
  SatResult result;
  result.separation = -std::numeric_limits<double>::infinity();
  bool is_touching = false;
  bool is_separated = false;
  const auto look_at = [&](const Axis& axis, double sign) {
    is_separated = is_separated || axis.gap > 0;
    is_touching = is_touching || axis.gap == 0;
    const double separation = axis.gap / Norm(axis.n);
    if (separation <= result.separation) return;
    result.separation = separation;
    result.n_AB = (sign / Norm(axis.n)) * axis.n;
  };
  for (std::size_t i = 0; i < a.size(); ++i) look_at(AxisOf(a, i, b), 1);
  for (std::size_t i = 0; i < b.size(); ++i) look_at(AxisOf(b, i, a), -1);
  result.contact = is_separated  ? Contact::kSeparated
                   : is_touching ? Contact::kTouching
                                 : Contact::kOverlapping;
  return result;
}

}  // namespace clearance::reference

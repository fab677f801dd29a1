// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/difference_sets.h"

#include <algorithm>
#include <cmath>

namespace clearance::reference {
namespace {

double LargestSum(const Points& points) {
  double largest = 0;
  for (const Vec3d& p : points) {
    largest = std::max(largest, std::fabs(p.x) + std::fabs(p.y) + std::fabs(p.z));
  }
  return largest;
}

}  // namespace

int HighestByScan(const Points& points, const Vec3d& d) {
  int best = 0;
  double height = Dot(d, points[0]);
  for (int i = 1; i < static_cast<int>(points.size()); ++i) {
    const double other = Dot(d, points[i]);
    if (other <= height) continue;
    height = other;
    best = i;
  }
  return best;
}

DifferencePoint DifferenceSets::At(int index_a, int index_b, bool is_swept) const {
  const Vec3d b_now = is_swept ? b[index_b] + sweep : b[index_b];
  return {a[index_a] - b_now, a[index_a], b_now, index_a, index_b, is_swept};
}

DifferencePoint DifferenceSets::Support(const Vec3d& d) const {
  return At(HighestByScan(a, d), HighestByScan(b, -d), Dot(-d, sweep) > 0);
}

double Extent(const DifferenceSets& sets) {
  return LargestSum(sets.a) + LargestSum(sets.b) + LargestSum({sets.sweep});
}

}  // namespace clearance::reference

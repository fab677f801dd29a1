// SPDX-License-Identifier: Apache-2.0

#include "core/shape/point_cloud.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/math/assert.h"
#include "core/math/exact_predicates.h"
#include "core/math/power_of_two.h"

namespace clearance {
namespace {

constexpr double Vec3d::*kAxes[] = {&Vec3d::x, &Vec3d::y, &Vec3d::z};

double LargestMagnitude(absl::Span<const Vec3d> points, double Vec3d::*axis) {
  double largest = 0;
  for (const Vec3d& p : points) largest = std::max(largest, std::abs(p.*axis));
  return largest;
}

// The least e with value <= 2^e; 0 of 0.
int CeilLog2(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return mantissa == 0.5 ? exponent - 1 : exponent;
}

double CenterOf(double low, double high) {
  const bool is_positive = low > 0 && high <= 2 * low;
  const bool is_negative = high < 0 && low >= 2 * high;
  return is_positive || is_negative ? low + (high - low) / 2 : 0;
}

}  // namespace

DistinctPoints RemoveDuplicates(absl::Span<const Vec3d> points) {
  std::vector<std::uint32_t> order(points.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    const Vec3d &p = points[i], &q = points[j];
    if (p.x != q.x) return p.x < q.x;
    if (p.y != q.y) return p.y < q.y;
    if (p.z != q.z) return p.z < q.z;
    return i < j;
  });
  const auto end = std::unique(order.begin(), order.end(),
                               [&](auto i, auto j) { return points[i] == points[j]; });
  std::sort(order.begin(), end);
  DistinctPoints distinct;
  distinct.original_index.assign(order.begin(), end);
  distinct.points.reserve(distinct.original_index.size());
  for (const std::uint32_t i : distinct.original_index) distinct.points.push_back(points[i]);
  return distinct;
}

CenteredPoints Center(absl::Span<const Vec3d> points) {
  CLEARANCE_ASSERT(!points.empty());
  CenteredPoints centered;
  centered.offsets.assign(points.begin(), points.end());
  for (double Vec3d::*axis : kAxes) {
    const auto [low, high] =
        std::minmax_element(points.begin(), points.end(),
                            [&](const Vec3d& p, const Vec3d& q) { return p.*axis < q.*axis; });
    const double center = CenterOf((*low).*axis, (*high).*axis);
    centered.center.*axis = center;
    // Adding 0 takes the sign from a negative zero: equal points have equal bits.
    for (Vec3d& p : centered.offsets) p.*axis = (p.*axis - center) + 0.0;
  }
  return centered;
}

NormalizedPoints Normalize(absl::Span<const Vec3d> offsets) {
  NormalizedPoints normalized;
  double largest = 0;
  for (double Vec3d::*axis : kAxes) largest = std::max(largest, LargestMagnitude(offsets, axis));
  normalized.exponent = CeilLog2(largest);
  normalized.vertices.assign(offsets.begin(), offsets.end());
  for (Vec3d& v : normalized.vertices) {
    for (double Vec3d::*axis : kAxes) {
      const double offset = v.*axis;
      v.*axis = TimesPowerOfTwo(offset, -normalized.exponent);
      if (TimesPowerOfTwo(v.*axis, normalized.exponent) != offset) normalized.is_exact = false;
    }
  }
  return normalized;
}

GridPoints SnapToGrid(absl::Span<const Vec3d> offsets) {
  GridPoints grid;
  grid.points.assign(offsets.begin(), offsets.end());
  for (int i = 0; i < 3; ++i) {
    double Vec3d::*axis = kAxes[i];
    const int exponent = CeilLog2(LargestMagnitude(offsets, axis));
    grid.exponents[i] = exponent;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      double& coordinate = grid.points[k].*axis;
      coordinate = RoundToPredicateGrid(TimesPowerOfTwo(coordinate, -exponent));
      if (TimesPowerOfTwo(coordinate, exponent) != offsets[k].*axis) grid.is_exact = false;
    }
  }
  return grid;
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/shape/box_corners.h"

#include <cmath>

namespace clearance {
namespace {

bool IsPlusOrMinus(double value, double size) { return size > 0 && std::fabs(value) == size; }

}  // namespace

BoxCorners FindBoxCorners(const std::vector<double>& x, const std::vector<double>& y,
                          const std::vector<double>& z) {
  constexpr std::size_t kCorners = 8;
  if (x.size() != kCorners) return {};
  const Vec3d half = {std::fabs(x[0]), std::fabs(y[0]), std::fabs(z[0])};
  BoxCorners corners;
  corners.half = half;
  unsigned seen = 0;
  for (std::size_t i = 0; i < kCorners; ++i) {
    const bool is_corner =
        IsPlusOrMinus(x[i], half.x) && IsPlusOrMinus(y[i], half.y) && IsPlusOrMinus(z[i], half.z);
    if (!is_corner) return {};
    const std::size_t octant = BoxCorners::Octant({x[i], y[i], z[i]});
    corners.vertex[octant] = static_cast<std::uint8_t>(i);
    seen |= 1U << octant;
  }
  constexpr unsigned kAll = (1U << kCorners) - 1;
  corners.is_box = seen == kAll;
  return corners;
}

}  // namespace clearance

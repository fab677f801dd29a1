// SPDX-License-Identifier: Apache-2.0
//
// The common part of the reference solvers of the sub-distance problem: up to four points in any
// position, and the point of their hull that is nearest to the origin. Nothing in this folder uses
// code of core but the plain struct Vec3.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/math/vec3.h"

namespace clearance::reference {

// Half of the distance from 1 to the next double.
inline constexpr double kUnit = 0x1p-53;

// One to four points: they may be equal, collinear or coplanar.
struct PointSimplex {
  int size = 0;
  std::array<Vec3d, 4> point;
};

// v = sum weight[i] * point[i], the weights >= 0 with the sum 1; bit i of `mask` is set if
// weight[i] > 0.
struct NearestPoint {
  unsigned mask = 0;
  std::array<double, 4> weight{};
  Vec3d v;
};

using SubDistance = NearestPoint (*)(const PointSimplex&);

inline bool HasBit(unsigned mask, int i) { return (mask >> i & 1U) != 0; }

// The combination of the points of `mask` in proportion to `share`, all of which are > 0 there.
inline NearestPoint Combine(const PointSimplex& simplex, unsigned mask,
                            const std::array<double, 4>& share) {
  double sum = 0;
  for (int i = 0; i < simplex.size; ++i) sum += HasBit(mask, i) ? share[i] : 0;
  NearestPoint nearest;
  for (int i = 0; i < simplex.size; ++i) {
    if (!HasBit(mask, i)) continue;
    nearest.weight[i] = share[i] / sum;
    nearest.mask |= nearest.weight[i] > 0 ? 1U << i : 0U;
    nearest.v = nearest.v + nearest.weight[i] * simplex.point[i];
  }
  return nearest;
}

inline NearestPoint AtPoint(const PointSimplex& simplex, int i) {
  NearestPoint nearest;
  nearest.mask = 1U << i;
  nearest.weight[i] = 1;
  nearest.v = simplex.point[i];
  return nearest;
}

inline NearestPoint Nearer(const NearestPoint& a, const NearestPoint& b) {
  return NormSquared(b.v) < NormSquared(a.v) ? b : a;
}

// The largest |point|.
inline double Extent(const PointSimplex& simplex) {
  double square = 0;
  for (int i = 0; i < simplex.size; ++i) square = std::max(square, NormSquared(simplex.point[i]));
  return std::sqrt(square);
}

}  // namespace clearance::reference

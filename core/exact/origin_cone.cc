// SPDX-License-Identifier: Apache-2.0

#include "core/exact/origin_cone.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace clearance {
namespace {

using Vectors = std::vector<IntegerVector>;

// The cone that some vertices span from the origin.
class Cone {
 public:
  void Add(IntegerVector ray) {
    if (!IsZero(ray)) rays_.push_back(std::move(ray));
  }

  // True if no ray is in front of the plane of n through the origin.
  bool IsBehind(const IntegerVector& n) const {
    return std::all_of(rays_.begin(), rays_.end(),
                       [&](const IntegerVector& ray) { return Dot(n, ray) <= 0; });
  }

  // Returns normals with the whole cone behind them: of all facets, or, if the rays do not span
  // space, some that are orthogonal to them all. Empty only if there is none: every extreme one of
  // the cone of such normals is orthogonal to two independent rays.
  Vectors Normals() const {
    Vectors normals;
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) AppendIfValid(Cross(rays_[j], rays_[i]), &normals);
    }
    if (!AreCollinear()) return normals;
    const auto axes = IdentityMatrix<Integer>();
    for (const IntegerVector& axis : {axes.row_x, axes.row_y, axes.row_z}) {
      AppendIfValid(rays_.empty() ? axis : Cross(rays_[0], axis), &normals);
    }
    return normals;
  }

  // Returns an upper bound on the cost of Normals().
  std::int64_t Cost() const {
    int bits = 1;
    for (const IntegerVector& ray : rays_) bits = std::max(bits, BitCount(ray));
    const auto count = static_cast<std::int64_t>(rays_.size());
    return 3 * count * count * count * ProductCost(bits, 2 * bits);
  }

 private:
  bool AreCollinear() const {
    return std::all_of(rays_.begin(), rays_.end(),
                       [&](const IntegerVector& ray) { return IsZero(Cross(rays_[0], ray)); });
  }

  // Appends n, or -n, or both, if the cone is behind it.
  void AppendIfValid(const IntegerVector& n, Vectors* normals) const {
    if (IsZero(n)) return;
    if (IsBehind(n)) normals->push_back(n);
    if (IsBehind(-n)) normals->push_back(-n);
  }

  Vectors rays_;
};

// Returns the sum of the normals, each scaled to about the same length: 0, or well inside of the
// cone that they span, so that it supports A - B soon if there is room for a normal.
IntegerVector Middle(const Vectors& normals) {
  int bits = 1;
  for (const IntegerVector& n : normals) bits = std::max(bits, BitCount(n));
  IntegerVector sum;
  for (const IntegerVector& n : normals) sum = sum + Shifted(n, bits - BitCount(n));
  return sum;
}

}  // namespace

std::optional<bool> IsOriginInside(ExactDifference& difference,
                                   const std::vector<IntegerVector>& corral) {
  Cone cone;
  for (const IntegerVector& vertex : corral) cone.Add(vertex);
  for (;;) {
    difference.Charge(cone.Cost());
    if (difference.is_exhausted()) return std::nullopt;
    Vectors normals = cone.Normals();
    if (normals.empty()) return true;
    normals.insert(normals.begin(), Middle(normals));
    for (const IntegerVector& n : normals) {
      if (IsZero(n) || !cone.IsBehind(n)) continue;
      IntegerVector w = difference.Support(n);
      if (difference.is_exhausted()) return std::nullopt;
      if (Dot(n, w) == 0) return false;
      cone.Add(std::move(w));
    }
  }
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/exact/exact_nearest_point.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace clearance {
namespace {

using Points = std::vector<IntegerVector>;
using Weights = std::vector<Integer>;

Integer Determinant(const IntegerVector& a, const IntegerVector& b, const IntegerVector& c) {
  return Dot(a, Cross(b, c));
}

Integer Sum(const Weights& weights) {
  Integer sum = 0;
  for (const Integer& weight : weights) sum += weight;
  return sum;
}

// The nearest point of the points' affine hull to the origin is sum weight * point / sum weight;
// the sum is positive. Requires: 1 to 4 affinely independent points.
Weights AffineWeights(const Points& p) {
  switch (p.size()) {
    case 1:
      return {Integer(1)};
    case 2: {
      const IntegerVector edge = p[1] - p[0];
      return {Dot(p[1], edge), -Dot(p[0], edge)};
    }
    case 3: {
      const IntegerVector n = Cross(p[1] - p[0], p[2] - p[0]);
      return {Dot(Cross(p[1], p[2]), n), Dot(Cross(p[2], p[0]), n), Dot(Cross(p[0], p[1]), n)};
    }
    default:
      break;
  }
  Weights volumes = {Determinant(p[1], p[2], p[3]), Determinant(p[0], p[3], p[2]),
                     Determinant(p[0], p[1], p[3]), Determinant(p[0], p[2], p[1])};
  if (Sum(volumes) < 0) {
    for (Integer& volume : volumes) volume = -volume;
  }
  return volumes;
}

// A positive multiple of the nearest point of the points' affine hull to the origin. Requires: it
// is in the relative interior of their hull.
IntegerVector NearestDirection(const Points& p) {
  switch (p.size()) {
    case 1:
      return p[0];
    case 2: {
      const IntegerVector edge = p[1] - p[0];
      return Cross(edge, Cross(p[0], edge));
    }
    case 3: {
      const IntegerVector n = Cross(p[1] - p[0], p[2] - p[0]);
      const int side = sgn(Integer(Dot(n, p[0])));
      return Integer(side) * n;
    }
    default:
      return {};
  }
}

class Corral {
 public:
  explicit Corral(IntegerVector first) : points_{std::move(first)}, weights_{Integer(1)} {}

  // Wolfe's minor cycle. Requires: the new point is nearer to the origin along x than x.
  void Add(IntegerVector point) {
    points_.push_back(std::move(point));
    weights_.emplace_back(0);
    for (;;) {
      Weights target = AffineWeights(points_);
      const bool is_inside =
          std::all_of(target.begin(), target.end(), [](const Integer& w) { return w > 0; });
      if (is_inside) {
        weights_ = std::move(target);
        return;
      }
      MoveTowards(target);
    }
  }

  const Points& points() const { return points_; }

 private:
  // From the point of weights_ towards that of `target` until a weight gets 0 (one does: not all of
  // the target are positive), and drops the points whose weight is 0 there.
  void MoveTowards(const Weights& target) {
    const Integer from_sum = Sum(weights_);
    const Integer to_sum = Sum(target);
    Weights from, to;  // of equal sums
    for (std::size_t i = 0; i < points_.size(); ++i) {
      from.emplace_back(weights_[i] * to_sum);
      to.emplace_back(target[i] * from_sum);
    }
    Integer step = 1, whole = 1;  // the fraction of the way
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (to[i] > 0) continue;
      const Integer loss = from[i] - to[i];
      if (from[i] * whole < step * loss) {
        step = from[i];
        whole = loss;
      }
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      weights_[i] = (whole - step) * from[i] + step * to[i];
    }
    DropZeroWeights();
  }

  void DropZeroWeights() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (weights_[i] == 0) continue;
      if (kept != i) {
        std::swap(points_[kept], points_[i]);
        std::swap(weights_[kept], weights_[i]);
      }
      ++kept;
    }
    points_.resize(kept);
    weights_.resize(kept);
  }

  Points points_;
  Weights weights_;
};

}  // namespace

std::optional<ExactNearestPoint> FindNearestPoint(ExactDifference& difference) {
  Corral corral(difference.AnyVertex());
  for (;;) {
    IntegerVector direction = NearestDirection(corral.points());
    if (IsZero(direction)) return ExactNearestPoint{{}, 0, corral.points()};
    IntegerVector w = difference.Support(-direction);
    if (difference.is_exhausted()) return std::nullopt;
    Integer height = Dot(direction, corral.points()[0]);
    if (Dot(direction, w) >= height) {
      return ExactNearestPoint{std::move(direction), std::move(height), corral.points()};
    }
    corral.Add(std::move(w));
  }
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/proof/bounds.h"

#include <algorithm>
#include <optional>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

constexpr int kMaxSearchSteps = 200;
constexpr int kMaxCorral = 4;  // independent points of space
constexpr int kThinFacet = 16;

bool IsNegligible(const QuadVec& v, Quad beside) { return Length(v) <= kProofParallel * beside; }

// The point of the affine hull of a few points that is nearest to the origin, and its weights.
struct NearestOfSpan {
  bool is_independent = true;  // of the points; false: nothing else is valid
  QuadVec point;
  std::array<Quad, kMaxCorral> weight{};
};

// Uses Gram and Schmidt's method. Each edge is made orthogonal twice, because one pass leaves
// rounding if the edge is nearly in the span of those before.
NearestOfSpan ComputeNearestOfSpan(const QuadVec* points, int size) {
  NearestOfSpan nearest;
  std::array<QuadVec, kMaxCorral> basis;
  std::array<std::array<Quad, kMaxCorral>, kMaxCorral> along{};  // edge k = basis k + sum of these
  std::array<Quad, kMaxCorral> step{};
  nearest.point = points[0];
  for (int k = 1; k < size; ++k) {
    const QuadVec edge = points[k] - points[0];
    basis[k] = edge;
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 1; j < k; ++j) {
        const Quad part = Dot(basis[k], basis[j]) / Dot(basis[j], basis[j]);
        basis[k] = basis[k] - part * basis[j];
        along[k][j] += part;
      }
    }
    nearest.is_independent = !IsNegligible(basis[k], Length(edge));
    if (!nearest.is_independent) return nearest;
  }
  // If the point is much nearer than the span is wide, the first pass leaves little but rounding;
  // the next passes make the point orthogonal to its own last digit.
  for (int pass = 0; pass < 3; ++pass) {
    for (int k = 1; k < size; ++k) {
      const Quad part = -Dot(nearest.point, basis[k]) / Dot(basis[k], basis[k]);
      nearest.point = nearest.point + part * basis[k];
      step[k] += part;
    }
  }
  nearest.weight[0] = 1;
  for (int k = size - 1; k >= 1; --k) {
    for (int j = 1; j < k; ++j) step[j] -= step[k] * along[k][j];
    nearest.weight[k] = step[k];
    nearest.weight[0] -= step[k];
  }
  return nearest;
}

// Wolfe's corral: independent points with the origin's nearest point in their relative interior.
class Corral {
 public:
  const QuadVec& nearest() const { return nearest_; }
  const DifferencePoints& points() const { return points_; }

  // Returns false, and nothing more can be made of the corral, if the point leads no nearer.
  bool Add(const QuadVec& point) {
    if (points_.size == kMaxCorral) return false;
    weight_[points_.size] = points_.size == 0 ? 1 : 0;
    points_.point[points_.size++] = point;
    NearestOfSpan span;
    do {
      span = ComputeNearestOfSpan(points_.point.data(), points_.size);
      if (!span.is_independent) return false;
    } while (!MoveTowards(span));
    nearest_ = span.point;
    return true;
  }

 private:
  // Returns true if the span's nearest point lies inside, as that of a single point does. Otherwise
  // goes towards it as far as the hull reaches and drops a point that is not needed there.
  bool MoveTowards(const NearestOfSpan& span) {
    Quad part = 1;
    int leaving = -1;
    for (int i = 0; i < points_.size; ++i) {
      if (span.weight[i] > 0) continue;
      const Quad to_boundary = weight_[i] / (weight_[i] - span.weight[i]);
      if (leaving >= 0 && !(to_boundary < part)) continue;
      part = weight_[i] == 0 ? Quad(0) : to_boundary;
      leaving = i;
    }
    for (int i = 0; i < points_.size; ++i) weight_[i] += part * (span.weight[i] - weight_[i]);
    if (leaving < 0) return true;
    for (int i = leaving; i + 1 < points_.size; ++i) {
      points_.point[i] = points_.point[i + 1];
      weight_[i] = weight_[i + 1];
    }
    --points_.size;
    return false;
  }

  DifferencePoints points_;
  std::array<Quad, kMaxCorral> weight_{};
  QuadVec nearest_;
};

struct SearchGoal {
  Quad slack = 0;        // of a point's rounding
  Quad good_enough = 0;  // width of the bracket
  Quad near_enough = 0;  // distance below which no more need be known
};

// Searches for the nearest point of a convex set; `lowest(n)` is its point w with the least n.w.
// The bounds are those of the set's distance from the origin, or upper < 0 if it holds a ball of
// that radius about it.
template <class Lowest>
ProvedBounds SearchNearest(Lowest lowest, const QuadVec& start, const SearchGoal& goal) {
  Corral corral;
  ProvedBounds bounds;
  corral.Add(lowest(start));
  for (int step = 0; step < kMaxSearchSteps; ++step) {
    const QuadVec x = corral.nearest();
    const Quad length = Length(x);
    bounds.upper = std::min(bounds.upper, length + goal.slack);
    if (length <= std::max(goal.slack, goal.near_enough)) break;
    const QuadVec w = lowest(x);
    bounds.lower = std::max(bounds.lower, Dot(x, w) / length - goal.slack);
    if (bounds.upper - bounds.lower <= goal.good_enough || !corral.Add(w)) break;
  }
  const Quad inner = ComputeInnerRadius(corral.points(), goal.slack).lower;
  if (inner > 0) bounds.upper = std::min(bounds.upper, -inner);
  return bounds;
}

struct Triangle {
  const QuadVec& a;
  const QuadVec& b;
  const QuadVec& c;
};

// Returns the distance from the origin of the plane through three points of a set if it has all
// points on one side: positive if the origin is on the points' side, from both sides. Each point
// may be off by `error`. Three points that are in line except for a few errors may be passed over:
// moved so far, they are not a facet.
std::optional<InnerRadius> FacetOffset(const DifferencePoints& set, const Triangle& triangle,
                                       Quad error) {
  const auto& [a, b, c] = triangle;
  const QuadVec normal = Cross(b - a, c - a);
  const Quad length = Length(normal);
  const Quad normal_error = 4 * error * (Length(b - a) + Length(c - a));
  if (length <= kThinFacet * normal_error) return std::nullopt;
  Quad low = 0;
  Quad high = 0;
  Quad span = 0;
  for (int i = 0; i < set.size; ++i) {
    const Quad height = Dot(normal, set.point[i] - a);
    low = std::min(low, height);
    high = std::max(high, height);
    span = std::max(span, Length(set.point[i] - a));
  }
  const Quad doubt = normal_error * span + 4 * error * length;
  if (low < -doubt && high > doubt) return std::nullopt;
  if (low >= -doubt && high <= doubt) return InnerRadius{};  // all points in one plane
  const Quad offset = high <= doubt ? Dot(normal, a) : -Dot(normal, a);
  const Quad offset_error = normal_error * Length(a) / length + 32 * kThinFacet * error;
  return InnerRadius{offset / length - offset_error, offset / length + offset_error};
}

}  // namespace

Quad ProofSlack(const ProofBody& a, const ProofBody& b) {
  return kProofRoundoff * (a.reach() + b.reach());
}

Quad ProvedGap(const ProofBody& a, const ProofBody& b, const QuadVec& n) {
  const Quad gap = -b.Support(-n).height - a.Support(n).height;
  return gap / Length(n) - a.radius() - b.radius() - ProofSlack(a, b);
}

InnerRadius ComputeInnerRadius(const DifferencePoints& set, Quad error) {
  std::optional<InnerRadius> radius;
  for (int i = 0; i < set.size; ++i) {
    for (int j = i + 1; j < set.size; ++j) {
      for (int k = j + 1; k < set.size; ++k) {
        const std::optional<InnerRadius> offset =
            FacetOffset(set, {set.point[i], set.point[j], set.point[k]}, error);
        if (!offset) continue;
        if (!radius) radius = offset;
        radius->lower = std::min(radius->lower, offset->lower);
        radius->upper = std::min(radius->upper, offset->upper);
      }
    }
  }
  return radius.value_or(InnerRadius{});
}

ProvedBounds SearchBounds(const ProofBody& a, const ProofBody& b, Quad good_enough) {
  const auto lowest = [&](const QuadVec& n) { return b.Support(-n).point - a.Support(n).point; };
  QuadVec start = b.Center() - a.Center();
  if (start == QuadVec{}) start = {1, 0, 0};
  ProvedBounds bounds = SearchNearest(lowest, start, {ProofSlack(a, b), good_enough});
  bounds.lower -= a.radius() + b.radius();
  bounds.upper -= a.radius() + b.radius();
  return bounds;
}

Quad DistanceFromCore(const ProofBody& body, const QuadVec& point, Quad good_enough) {
  const auto lowest = [&](const QuadVec& n) { return body.Support(-n).point - point; };
  QuadVec start = body.Center() - point;
  if (start == QuadVec{}) start = {1, 0, 0};
  const Quad slack = kProofRoundoff * (body.reach() + Length(point));
  return std::max(SearchNearest(lowest, start, {slack, good_enough, good_enough}).upper, Quad(0));
}

}  // namespace clearance

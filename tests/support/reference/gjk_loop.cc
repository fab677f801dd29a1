// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/gjk_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clearance::reference {
namespace {

constexpr int kMaxTurns = 200;

// A product of P or V with P errs by three roundings in each of three terms, and P and V by a few
// of `extent` themselves.
constexpr double kExtremeSlack = 16 * kUnit;

// P is a combination of up to four points with rounded weights.
constexpr double kOriginSlack = 16 * kUnit;

void SetPoints(const NearestPoint& nearest, const Simplex& q, LoopResult* result) {
  result->p = nearest.v;
  result->upper = Norm(nearest.v);
  result->q = Reduce(q, nearest.mask);
  result->p_a = {};
  result->p_b = {};
  for (int i = 0; i < q.size; ++i) {
    result->p_a = result->p_a + nearest.weight[i] * q.point[i].a;
    result->p_b = result->p_b + nearest.weight[i] * q.point[i].b;
  }
}

LoopResult End(LoopResult result, LoopEnd end) {
  result.end = end;
  return result;
}

}  // namespace

PointSimplex Simplex::Points() const {
  PointSimplex points;
  points.size = size;
  for (int i = 0; i < size; ++i) points.point[i] = point[i].w;
  return points;
}

bool Simplex::Contains(const DifferencePoint& candidate) const {
  return std::any_of(point.begin(), point.begin() + size,
                     [&](const DifferencePoint& p) { return p.IsSameAs(candidate); });
}

Simplex BeginCold(const DifferenceSets& sets, int count) {
  static constexpr std::array<Vec3d, 4> kDirections = {
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}}};
  Simplex q;
  for (int i = 0; i < count; ++i) {
    const DifferencePoint added = sets.Support(kDirections[i]);
    if (!q.Contains(added)) q.Add(added);
  }
  return q;
}

Simplex BeginWarm(const DifferenceSets& sets, const Simplex& earlier) {
  Simplex q;
  for (int i = 0; i < earlier.size; ++i) {
    const DifferencePoint& p = earlier.point[i];
    q.Add(sets.At(p.index_a, p.index_b, p.is_swept));
  }
  return q;
}

bool IsOrigin(const NearestPoint& nearest, double extent) {
  return nearest.mask == 0b1111 || Norm(nearest.v) <= kOriginSlack * extent;
}

Simplex Reduce(const Simplex& q, unsigned mask) {
  Simplex reduced;
  for (int i = 0; i < q.size; ++i) {
    if (HasBit(mask, i)) reduced.Add(q.point[i]);
  }
  return reduced;
}

bool IsNoMoreExtreme(const Vec3d& v, const Vec3d& p, double extent) {
  return NormSquared(p) - Dot(p, v) <= kExtremeSlack * extent * Norm(p);
}

LoopResult RunGjk(const DifferenceSets& sets, SubDistance solver, const Simplex& start,
                  std::vector<Turn>* trace) {
  const double extent = Extent(sets);
  Simplex q = start;
  LoopResult result;
  result.upper = std::numeric_limits<double>::infinity();
  while (result.iterations < kMaxTurns) {
    const NearestPoint nearest = solver(q.Points());
    if (!(Norm(nearest.v) < result.upper)) return End(result, LoopEnd::kStalled);
    SetPoints(nearest, q, &result);
    if (trace != nullptr) trace->push_back({q, nearest.v, result.q, {}});
    if (IsOrigin(nearest, extent)) return End(result, LoopEnd::kIntersecting);
    const DifferencePoint v = sets.Support(-nearest.v);
    ++result.iterations;
    if (trace != nullptr) trace->back().v = v.w;
    result.lower = std::max(result.lower, Dot(nearest.v, v.w) / result.upper);
    if (IsNoMoreExtreme(v.w, nearest.v, extent)) return End(result, LoopEnd::kSeparated);
    if (result.q.Contains(v)) return End(result, LoopEnd::kStalled);
    q = result.q;
    q.Add(v);
  }
  return result;
}

}  // namespace clearance::reference

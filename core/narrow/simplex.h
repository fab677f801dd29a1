// SPDX-License-Identifier: Apache-2.0
//
// The sub-distance problem of GJK: which point of a simplex of one to four points is nearest to the
// origin, and which of its points does that take?
//
// Feature sets are bit masks: bit i stands for point i. A triangle is solved through its interior
// or the edges whose outer side sees the origin, a tetrahedron through the faces that see it. The
// nearest candidate wins, so that a degenerate simplex simply falls back on its lower features. The
// signs here are those of rounded arithmetic: they steer the search. Claims about the result are
// proved elsewhere, by support planes and by certified volumes.
//
// After C. Ericson, "Real-Time Collision Detection", 2004, section 5.1.

#pragma once

#include <algorithm>
#include <array>

#include "core/math/assert.h"
#include "core/math/double_double.h"
#include "core/math/tolerance.h"
#include "core/math/vec3.h"

namespace clearance {

// The point of a simplex nearest to the origin: v = sum weight[i] * point[i] over the bits of
// `mask`.
template <class T>
struct NearestPoint {
  Vec3<T> v;
  unsigned mask = 0;
  std::array<T, 4> weight{};
  bool encloses_origin =
      false;  // a tetrahedron with the origin inside; then v is 0 and mask 0b1111
};

template <class T>
using SimplexPoints = std::array<Vec3<T>, 4>;

template <class T>
inline constexpr double kSimplexSlack = kDoubleSimplexSlack;
template <>
inline constexpr double kSimplexSlack<DoubleDouble> = kDoubleDoubleSimplexSlack;

template <class T, int i>
NearestPoint<T> NearestOnPoint(const SimplexPoints<T>& points) {
  NearestPoint<T> nearest{points[i], 1U << i, {}, false};
  nearest.weight[i] = T(1);
  return nearest;
}

template <class T, int i, int j>
NearestPoint<T> NearestOnSegment(const SimplexPoints<T>& points) {
  const Vec3<T> ij = points[j] - points[i];
  const T along = -Dot(points[i], ij);
  const T length_sq = NormSquared(ij);
  if (along <= T(0)) return NearestOnPoint<T, i>(points);
  if (along >= length_sq) return NearestOnPoint<T, j>(points);
  const T fraction = along / length_sq;
  const Vec3<T> v = points[i] + fraction * ij;
  // Rounding leaves v a component along the edge, which matters once v is short: taken off again, v
  // is orthogonal to the edge to its own digits, and both ends are equally high along it.
  NearestPoint<T> nearest{v - (Dot(v, ij) / length_sq) * ij, 1U << i | 1U << j, {}, false};
  nearest.weight[i] = T(1) - fraction;
  nearest.weight[j] = fraction;
  return nearest;
}

// Returns the first of two candidates unless the second is nearer.
template <class T>
NearestPoint<T> Nearer(const NearestPoint<T>& first, const NearestPoint<T>& second) {
  return NormSquared(second.v) < NormSquared(first.v) ? second : first;
}

// True if v is the point that the weights make of the points in its mask, to rounding that does no
// harm. For a sliver it need not be: if its plane is mostly rounding, so is the place of v in it.
template <class T, unsigned mask>
bool IsMadeByWeights(const SimplexPoints<T>& points, const NearestPoint<T>& nearest) {
  Vec3<T> sum;
  double largest_sq = 0;
  for (int i = 0; i < 4; ++i) {
    if ((mask >> i & 1) == 0) continue;
    sum = sum + nearest.weight[i] * points[i];
    largest_sq = std::max(largest_sq, ToDouble(NormSquared(points[i])));
  }
  const double slack = kSimplexSlack<T> * kSimplexSlack<T>;
  return ToDouble(NormSquared(sum - nearest.v)) <= slack * largest_sq;
}

// Sets `nearest` to the foot of the origin on a triangle's plane. False if it is not inside.
template <class T, int i, int j, int k>
bool FindFootInTriangle(const SimplexPoints<T>& points, NearestPoint<T>* nearest) {
  const Vec3<T> n = Cross(points[j] - points[i], points[k] - points[i]);
  const T nn = NormSquared(n);
  // Twice the signed areas of the triangles that the projected origin makes with each edge, times
  // |n|.
  const T area_i = Dot(Cross(points[j], points[k]), n);
  const T area_j = Dot(Cross(points[k], points[i]), n);
  const T area_k = Dot(Cross(points[i], points[j]), n);
  if (!(nn > T(0) && area_i > T(0) && area_j > T(0) && area_k > T(0))) return false;
  const T sum = area_i + area_j + area_k;
  nearest->v = (Dot(points[i], n) / nn) * n;
  nearest->mask = 1U << i | 1U << j | 1U << k;
  nearest->weight[i] = area_i / sum;
  nearest->weight[j] = area_j / sum;
  nearest->weight[k] = area_k / sum;
  return true;
}

template <class T, int i, int j, int k>
NearestPoint<T> NearestOnTriangle(const SimplexPoints<T>& points) {
  NearestPoint<T> nearest;
  if (FindFootInTriangle<T, i, j, k>(points, &nearest) &&
      IsMadeByWeights<T, 1U << i | 1U << j | 1U << k>(points, nearest)) {
    return nearest;
  }
  const NearestPoint<T> first =
      Nearer(NearestOnSegment<T, i, j>(points), NearestOnSegment<T, j, k>(points));
  return Nearer(first, NearestOnSegment<T, k, i>(points));
}

// n . (0 - corner i) for the normal n of the face i, j, k of a tetrahedron that points to the side
// of its opposite corner: > 0 inside. A flat tetrahedron has no inside: 0.
template <class T, int i, int j, int k, int opposite>
T InwardHeight(const SimplexPoints<T>& points) {
  const Vec3<T>& p = points[i];
  const Vec3<T> n = Cross(points[j] - p, points[k] - p);
  const T apex = Dot(points[opposite] - p, n);
  const T origin = -Dot(p, n);
  if (apex > T(0)) return origin;
  return apex < T(0) ? -origin : T(0);
}

// The faces 012, 031, 023 and 132, each without the corner 3, 2, 1 and 0.
template <class T>
NearestPoint<T> NearestOnTetrahedron(const SimplexPoints<T>& points) {
  const std::array<T, 4> height = {
      InwardHeight<T, 0, 1, 2, 3>(points), InwardHeight<T, 0, 3, 1, 2>(points),
      InwardHeight<T, 0, 2, 3, 1>(points), InwardHeight<T, 1, 3, 2, 0>(points)};
  const bool sees_face =
      height[0] <= T(0) || height[1] <= T(0) || height[2] <= T(0) || height[3] <= T(0);
  if (!sees_face) {
    const T sum = height[0] + height[1] + height[2] + height[3];
    const NearestPoint<T> enclosing{
        {}, 0b1111, {height[3] / sum, height[2] / sum, height[1] / sum, height[0] / sum}, true};
    if (IsMadeByWeights<T, 0b1111>(points, enclosing)) return enclosing;
  }
  // The faces that the origin sees; all of them if a flat tetrahedron only seemed to enclose it.
  const auto is_visited = [&](int face) { return !sees_face || height[face] <= T(0); };
  NearestPoint<T> best;
  const auto visit = [&best](const NearestPoint<T>& candidate) {
    best = best.mask == 0 ? candidate : Nearer(best, candidate);
  };
  if (is_visited(0)) visit(NearestOnTriangle<T, 0, 1, 2>(points));
  if (is_visited(1)) visit(NearestOnTriangle<T, 0, 3, 1>(points));
  if (is_visited(2)) visit(NearestOnTriangle<T, 0, 2, 3>(points));
  if (is_visited(3)) visit(NearestOnTriangle<T, 1, 3, 2>(points));
  return best;
}

// Requires: 1 <= size <= 4.
template <class T>
NearestPoint<T> NearestOnSimplex(const SimplexPoints<T>& points, int size) {
  CLEARANCE_ASSERT(1 <= size && size <= 4);
  switch (size) {
    case 1:
      return NearestOnPoint<T, 0>(points);
    case 2:
      return NearestOnSegment<T, 0, 1>(points);
    case 3:
      return NearestOnTriangle<T, 0, 1, 2>(points);
    default:
      return NearestOnTetrahedron(points);
  }
}

}  // namespace clearance

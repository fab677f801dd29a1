// SPDX-License-Identifier: Apache-2.0
//
// The sub-distance problem of GJK: which point of a simplex of one to four points is nearest to the
// origin, and which of its points does that take?
//
// Feature sets are bit masks: bit i stands for point i. A triangle is solved through its interior
// or the edges whose outer side sees the origin, a tetrahedron through the faces that see it, and
// the nearest candidate wins, so that a degenerate simplex simply falls back on its lower features.
// The signs here are those of rounded arithmetic: they steer the search; what is claimed of the
// result is proved elsewhere, by support planes and by certified volumes.
//
// After C. Ericson, "Real-Time Collision Detection", 2004, section 5.1.

#ifndef CLEARANCE_CORE_NARROW_SIMPLEX_H_
#define CLEARANCE_CORE_NARROW_SIMPLEX_H_

#include <algorithm>
#include <array>

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

template <class T>
NearestPoint<T> NearestOnPoint(const SimplexPoints<T>& points, int i) {
  NearestPoint<T> nearest{points[i], 1u << i, {}, false};
  nearest.weight[i] = T(1);
  return nearest;
}

template <class T>
NearestPoint<T> NearestOnSegment(const SimplexPoints<T>& points, int i, int j) {
  const Vec3<T> ij = points[j] - points[i];
  const T along = -Dot(points[i], ij);
  const T length_sq = NormSquared(ij);
  if (along <= T(0)) return NearestOnPoint(points, i);
  if (along >= length_sq) return NearestOnPoint(points, j);
  const T fraction = along / length_sq;
  const Vec3<T> v = points[i] + fraction * ij;
  // Rounding leaves v a component along the edge, which matters once v is short: taken off again, v
  // is orthogonal to the edge to its own digits, and both ends are equally high along it.
  NearestPoint<T> nearest{v - (Dot(v, ij) / length_sq) * ij, 1u << i | 1u << j, {}, false};
  nearest.weight[i] = T(1) - fraction;
  nearest.weight[j] = fraction;
  return nearest;
}

template <class T>
void KeepNearer(const NearestPoint<T>& candidate, NearestPoint<T>* best) {
  if (best->mask == 0 || NormSquared(candidate.v) < NormSquared(best->v)) *best = candidate;
}

// True if v is the point that the weights make, to rounding that does no harm. Of a sliver it need
// not be: where its plane is mostly rounding, so is the place of v in it.
template <class T>
bool IsMadeByWeights(const SimplexPoints<T>& points, const NearestPoint<T>& nearest) {
  Vec3<T> sum;
  double largest_sq = 0;
  for (int i = 0; i < 4; ++i) {
    if ((nearest.mask >> i & 1) == 0) continue;
    sum = sum + nearest.weight[i] * points[i];
    largest_sq = std::max(largest_sq, ToDouble(NormSquared(points[i])));
  }
  const double slack = kSimplexSlack<T> * kSimplexSlack<T>;
  return ToDouble(NormSquared(sum - nearest.v)) <= slack * largest_sq;
}

template <class T>
NearestPoint<T> NearestOnTriangle(const SimplexPoints<T>& points,
                                  const std::array<int, 3>& corner) {
  const auto [i, j, k] = corner;
  const Vec3<T> n = Cross(points[j] - points[i], points[k] - points[i]);
  const T nn = NormSquared(n);
  // Twice the signed areas of the triangles that the projected origin makes with each edge, times
  // |n|.
  const T area_i = Dot(Cross(points[j], points[k]), n);
  const T area_j = Dot(Cross(points[k], points[i]), n);
  const T area_k = Dot(Cross(points[i], points[j]), n);
  if (nn > T(0) && area_i > T(0) && area_j > T(0) && area_k > T(0)) {
    const T sum = area_i + area_j + area_k;
    NearestPoint<T> nearest{(Dot(points[i], n) / nn) * n, 1u << i | 1u << j | 1u << k, {}, false};
    nearest.weight[i] = area_i / sum;
    nearest.weight[j] = area_j / sum;
    nearest.weight[k] = area_k / sum;
    if (IsMadeByWeights(points, nearest)) return nearest;
  }
  NearestPoint<T> best = NearestOnSegment(points, i, j);
  KeepNearer(NearestOnSegment(points, j, k), &best);
  KeepNearer(NearestOnSegment(points, k, i), &best);
  return best;
}

// Each face of a tetrahedron and the corner that it lacks.
struct TetrahedronFace {
  std::array<int, 3> corner;
  int opposite;
};
inline constexpr std::array<TetrahedronFace, 4> kTetrahedronFaces = {
    {{{0, 1, 2}, 3}, {{0, 3, 1}, 2}, {{0, 2, 3}, 1}, {{1, 3, 2}, 0}}};

// n . (0 - corner) for the normal n of a face that points to the side of its opposite corner: > 0
// inside. A flat tetrahedron has no inside: 0.
template <class T>
T InwardHeight(const SimplexPoints<T>& points, const TetrahedronFace& face) {
  const Vec3<T>& p = points[face.corner[0]];
  const Vec3<T> n = Cross(points[face.corner[1]] - p, points[face.corner[2]] - p);
  const T apex = Dot(points[face.opposite] - p, n);
  const T origin = -Dot(p, n);
  if (apex > T(0)) return origin;
  return apex < T(0) ? -origin : T(0);
}

template <class T>
NearestPoint<T> NearestOnTetrahedron(const SimplexPoints<T>& points) {
  NearestPoint<T> enclosing;
  std::array<T, 4> height;
  bool sees_face = false;
  for (int f = 0; f < 4; ++f) {
    height[f] = InwardHeight(points, kTetrahedronFaces[f]);
    sees_face = sees_face || height[f] <= T(0);
  }
  if (!sees_face) {
    enclosing.mask = 0b1111;
    enclosing.encloses_origin = true;
    const T sum = height[0] + height[1] + height[2] + height[3];
    for (int f = 0; f < 4; ++f) enclosing.weight[kTetrahedronFaces[f].opposite] = height[f] / sum;
    if (IsMadeByWeights(points, enclosing)) return enclosing;
  }
  // The faces that the origin sees; all of them where a flat tetrahedron only seemed to enclose it.
  NearestPoint<T> best;
  for (int f = 0; f < 4; ++f) {
    if (sees_face && height[f] > T(0)) continue;
    KeepNearer(NearestOnTriangle(points, kTetrahedronFaces[f].corner), &best);
  }
  return best;
}

// Requires: 1 <= size <= 4.
template <class T>
NearestPoint<T> NearestOnSimplex(const SimplexPoints<T>& points, int size) {
  switch (size) {
    case 1:
      return NearestOnPoint(points, 0);
    case 2:
      return NearestOnSegment(points, 0, 1);
    case 3:
      return NearestOnTriangle(points, {0, 1, 2});
    default:
      return NearestOnTetrahedron(points);
  }
}

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_SIMPLEX_H_

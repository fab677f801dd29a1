// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/signed_volumes.h"

namespace clearance::reference {
namespace {

bool HaveSameSign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

double At(const Vec3d& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// The axis along which v is longest.
int LongestAxis(const Vec3d& v) {
  const double x = std::fabs(v.x);
  const double y = std::fabs(v.y);
  const double z = std::fabs(v.z);
  if (x >= y && x >= z) return 0;
  return y >= z ? 1 : 2;
}

// The paper's S1D.
NearestPoint OnSegment(const PointSimplex& s, int a, int b) {
  const Vec3d t = s.point[b] - s.point[a];
  const int axis = LongestAxis(t);
  const double whole = At(s.point[a], axis) - At(s.point[b], axis);
  if (whole == 0) return AtPoint(s, a);  // both are equal
  const double along = Dot(s.point[b], t) / NormSquared(t);
  const double p = At(s.point[b], axis) - along * At(t, axis);
  std::array<double, 4> length{};
  length[a] = p - At(s.point[b], axis);
  length[b] = At(s.point[a], axis) - p;
  if (HaveSameSign(length[a], whole) && HaveSameSign(length[b], whole)) {
    length[a] = std::fabs(length[a]);
    length[b] = std::fabs(length[b]);
    return Combine(s, 1U << a | 1U << b, length);
  }
  return Nearer(AtPoint(s, a), AtPoint(s, b));
}

// Twice the signed area of the triangle p q r, seen along the axis.
double Area(const Vec3d& p, const Vec3d& q, const Vec3d& r, int axis) {
  return At(Cross(q - p, r - p), axis);
}

// The paper's S2D.
NearestPoint OnTriangle(const PointSimplex& s, const std::array<int, 3>& t) {
  const Vec3d& a = s.point[t[0]];
  const Vec3d n = Cross(s.point[t[1]] - a, s.point[t[2]] - a);
  const int axis = LongestAxis(n);
  const double whole = At(n, axis);
  const Vec3d p = whole == 0 ? Vec3d{} : (Dot(a, n) / NormSquared(n)) * n;
  NearestPoint best;
  std::array<double, 4> area{};
  bool is_inside = true;
  for (int i = 0; i < 3; ++i) {
    const int j = t[(i + 1) % 3];
    const int k = t[(i + 2) % 3];
    const double part = Area(p, s.point[j], s.point[k], axis);
    area[t[i]] = std::fabs(part);
    if (HaveSameSign(part, whole)) continue;
    const NearestPoint nearest = OnSegment(s, j, k);
    best = is_inside ? nearest : Nearer(best, nearest);
    is_inside = false;
  }
  return is_inside ? Combine(s, 1U << t[0] | 1U << t[1] | 1U << t[2], area) : best;
}

// The facet opposite to each vertex, turning such that the volume with the origin has the sign of
// the whole tetrahedron's where the origin is inside.
constexpr std::array<std::array<int, 3>, 4> kFacets = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

// The paper's S3D: the cofactors of the 4 x 4 matrix of the points, whose sum is its determinant.
NearestPoint OnTetrahedron(const PointSimplex& s) {
  std::array<double, 4> volume{};
  double whole = 0;
  for (int i = 0; i < 4; ++i) {
    const auto& [a, b, c] = kFacets[i];
    volume[i] = Dot(s.point[a], Cross(s.point[b], s.point[c]));
    whole += volume[i];
  }
  NearestPoint best;
  bool is_inside = true;
  for (int i = 0; i < 4; ++i) {
    if (HaveSameSign(volume[i], whole)) continue;
    const NearestPoint nearest = OnTriangle(s, kFacets[i]);
    best = is_inside ? nearest : Nearer(best, nearest);
    is_inside = false;
  }
  for (double& part : volume) part = std::fabs(part);
  return is_inside ? Combine(s, 0b1111, volume) : best;
}

}  // namespace

NearestPoint NearestBySignedVolumes(const PointSimplex& simplex) {
  if (simplex.size == 1) return AtPoint(simplex, 0);
  if (simplex.size == 2) return OnSegment(simplex, 0, 1);
  if (simplex.size == 3) return OnTriangle(simplex, {0, 1, 2});
  return OnTetrahedron(simplex);
}

}  // namespace clearance::reference

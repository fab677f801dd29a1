// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/voronoi.h"

namespace clearance::reference {
namespace {

// Rounding of a product of two or three differences, relative to the product of their lengths:
// each difference, product and sum adds one unit to each of three terms.
constexpr double kProductError = 16 * kUnit;

NearestPoint OnSegment(const PointSimplex& s, int a, int b) {
  const Vec3d ab = s.point[b] - s.point[a];
  const double to_b = -Dot(ab, s.point[a]);
  const double to_a = Dot(ab, s.point[b]);
  if (to_b <= 0 || to_a <= 0) return Nearer(AtPoint(s, a), AtPoint(s, b));
  std::array<double, 4> share{};
  share[a] = to_a;
  share[b] = to_b;
  return Combine(s, 1U << a | 1U << b, share);
}

NearestPoint OnNearestEdge(const PointSimplex& s, const std::array<int, 3>& t) {
  return Nearer(Nearer(OnSegment(s, t[0], t[1]), OnSegment(s, t[1], t[2])),
                OnSegment(s, t[2], t[0]));
}

bool IsThin(const Vec3d& ab, const Vec3d& ac) {
  return Norm(Cross(ab, ac)) <= kProductError * Norm(ab) * Norm(ac);
}

NearestPoint OnTriangle(const PointSimplex& s, const std::array<int, 3>& t) {
  const auto [a, b, c] = t;
  const Vec3d ab = s.point[b] - s.point[a];
  const Vec3d ac = s.point[c] - s.point[a];
  if (IsThin(ab, ac)) return OnNearestEdge(s, t);
  const double d1 = -Dot(ab, s.point[a]);
  const double d2 = -Dot(ac, s.point[a]);
  if (d1 <= 0 && d2 <= 0) return AtPoint(s, a);
  const double d3 = -Dot(ab, s.point[b]);
  const double d4 = -Dot(ac, s.point[b]);
  if (d3 >= 0 && d4 <= d3) return AtPoint(s, b);
  const double d5 = -Dot(ab, s.point[c]);
  const double d6 = -Dot(ac, s.point[c]);
  if (d6 >= 0 && d5 <= d6) return AtPoint(s, c);
  const double va = d3 * d6 - d5 * d4;
  const double vb = d5 * d2 - d1 * d6;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return OnSegment(s, a, b);
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return OnSegment(s, a, c);
  if (va <= 0 && d4 >= d3 && d5 >= d6) return OnSegment(s, b, c);
  if (va <= 0 || vb <= 0 || vc <= 0) return OnNearestEdge(s, t);  // only by rounding
  std::array<double, 4> share{};
  share[a] = va;
  share[b] = vb;
  share[c] = vc;
  return Combine(s, 1U << a | 1U << b | 1U << c, share);
}

// Volumes (times 6) that the triangle spans with the fourth vertex and with the origin, each 0
// where rounding may have made its sign.
struct Sides {
  double of_vertex = 0;
  double of_origin = 0;

  bool AreEqual() const { return of_vertex * of_origin > 0; }
};

double CertainOrZero(double volume, double scale) {
  return std::fabs(volume) > kProductError * scale ? volume : 0;
}

Sides SidesOf(const PointSimplex& s, const std::array<int, 3>& t, int vertex) {
  const Vec3d& a = s.point[t[0]];
  const Vec3d ab = s.point[t[1]] - a;
  const Vec3d ac = s.point[t[2]] - a;
  const Vec3d ad = s.point[vertex] - a;
  const Vec3d n = Cross(ab, ac);
  const double area = Norm(ab) * Norm(ac);
  // Scaled apart, so that the product of the two cannot underflow.
  const double unit = area > 0 ? 1 / area : 0;
  return {CertainOrZero(unit * Dot(n, ad), Norm(ad)), CertainOrZero(-unit * Dot(n, a), Norm(a))};
}

// Each face, the vertex opposite to it last.
constexpr std::array<std::array<int, 4>, 4> kFaces = {
    {{1, 2, 3, 0}, {0, 3, 2, 1}, {0, 1, 3, 2}, {0, 2, 1, 3}}};

NearestPoint OnTetrahedron(const PointSimplex& s) {
  NearestPoint best;
  std::array<double, 4> share{};
  bool is_inside = true;
  for (const auto& [a, b, c, opposite] : kFaces) {
    const std::array<int, 3> t = {a, b, c};
    if (SidesOf(s, t, opposite).AreEqual()) {
      share[opposite] =
          std::fabs(Dot(Cross(s.point[b] - s.point[a], s.point[c] - s.point[a]), s.point[a]));
      continue;
    }
    const NearestPoint nearest = OnTriangle(s, t);
    best = is_inside ? nearest : Nearer(best, nearest);
    is_inside = false;
  }
  return is_inside ? Combine(s, 0b1111, share) : best;
}

}  // namespace

NearestPoint NearestByVoronoi(const PointSimplex& simplex) {
  if (simplex.size == 1) return AtPoint(simplex, 0);
  if (simplex.size == 2) return OnSegment(simplex, 0, 1);
  if (simplex.size == 3) return OnTriangle(simplex, {0, 1, 2});
  return OnTetrahedron(simplex);
}

bool IsOutsideFaceAsPrinted(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const Vec3d n = Cross(b - a, c - a);
  return -Dot(a, n) * Dot(d - a, n) < 0;
}

}  // namespace clearance::reference

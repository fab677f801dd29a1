// SPDX-License-Identifier: Apache-2.0
//
// The dimension is that of the widest simplex that can be found, one corner after the other. Each
// corner is the farthest by rounded arithmetic, which keeps the simplex wide; where the exact test
// says that it adds no dimension, every point is asked before that is believed.

#include "core/shape/hull_builder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/math/assert.h"
#include "core/math/exact_predicates.h"

namespace clearance {
namespace {

using Points = absl::Span<const Vec3d>;

struct WidestSimplex {
  int dimension;
  SimplexIndices corners;  // dimension + 1 of them
};

// The point with the largest `measure`, if it passes `adds_dimension`, otherwise the first that
// does; the number of points if none does.
template <class Measure, class Test>
std::uint32_t FindCorner(Points points, Measure measure, Test adds_dimension) {
  std::uint32_t best = 0;
  double largest = -1;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const double size = measure(points[i]);
    if (size > largest) {
      largest = size;
      best = i;
    }
  }
  if (adds_dimension(points[best])) return best;
  const auto first = std::find_if(points.begin(), points.end(), adds_dimension);
  return static_cast<std::uint32_t>(first - points.begin());
}

WidestSimplex FindWidestSimplex(Points points) {
  WidestSimplex simplex{.dimension = 0, .corners = {}};
  auto& corners = simplex.corners;
  const auto is_missing = [&](std::uint32_t corner) { return corner == points.size(); };

  const Vec3d& a = points[0];
  corners[1] = FindCorner(
      points, [&](const Vec3d& p) { return NormSquared(p - a); },
      [&](const Vec3d& p) { return p != a; });
  if (is_missing(corners[1])) return simplex;
  simplex.dimension = 1;

  const Vec3d& b = points[corners[1]];
  corners[2] = FindCorner(
      points, [&](const Vec3d& p) { return NormSquared(Cross(b - a, p - a)); },
      [&](const Vec3d& p) { return !AreCollinear(a, b, p); });
  if (is_missing(corners[2])) return simplex;
  simplex.dimension = 2;

  const Vec3d& c = points[corners[2]];
  const Vec3d normal = Cross(b - a, c - a);
  corners[3] = FindCorner(
      points, [&](const Vec3d& p) { return std::abs(Dot(normal, p - a)); },
      [&](const Vec3d& p) { return Orient3d(a, b, c, p) != 0; });
  if (!is_missing(corners[3])) simplex.dimension = 3;
  return simplex;
}

bool IsBefore(const Vec3d& p, const Vec3d& q) {
  if (p.x != q.x) return p.x < q.x;
  if (p.y != q.y) return p.y < q.y;
  return p.z < q.z;
}

// On a line the order of the coordinates is the order along the line.
std::vector<std::uint32_t> EndsOfSegment(Points points) {
  const auto [first, last] = std::minmax_element(points.begin(), points.end(), IsBefore);
  return {static_cast<std::uint32_t>(first - points.begin()),
          static_cast<std::uint32_t>(last - points.begin())};
}

// Seen along one axis; of three points that are not collinear at least one such view is not either.
std::vector<Vec2d> ProjectOneToOne(Points points, const SimplexIndices& corners) {
  using View = Vec2d (*)(const Vec3d&);
  static constexpr View kViews[] = {[](const Vec3d& p) {
                                      return Vec2d{p.x, p.y};
                                    },
                                    [](const Vec3d& p) {
                                      return Vec2d{p.y, p.z};
                                    },
                                    [](const Vec3d& p) {
                                      return Vec2d{p.z, p.x};
                                    }};
  View chosen = kViews[0];
  for (const View view : kViews) {
    const bool is_one_to_one =
        Orient2d(view(points[corners[0]]), view(points[corners[1]]), view(points[corners[2]])) != 0;
    if (is_one_to_one) chosen = view;
  }
  std::vector<Vec2d> projected(points.size());
  std::transform(points.begin(), points.end(), projected.begin(), chosen);
  return projected;
}

// Andrew's monotone chain. Equal and collinear points fall out, as only left turns stay.
std::vector<std::uint32_t> ConvexRing(const std::vector<Vec2d>& points) {
  std::vector<std::uint32_t> order(points.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    if (points[i].x != points[j].x) return points[i].x < points[j].x;
    if (points[i].y != points[j].y) return points[i].y < points[j].y;
    return i < j;
  });
  std::vector<std::uint32_t> ring;
  const auto append_chain = [&](auto begin, auto end) {
    const std::size_t start = ring.size();
    for (auto it = begin; it != end; ++it) {
      while (ring.size() >= start + 2 &&
             Orient2d(points[ring[ring.size() - 2]], points[ring.back()], points[*it]) <= 0) {
        ring.pop_back();
      }
      ring.push_back(*it);
    }
    ring.pop_back();  // the first of the next chain
  };
  append_chain(order.begin(), order.end());
  append_chain(order.rbegin(), order.rend());
  return ring;
}

std::vector<std::uint32_t> VerticesOf(const Surface& surface, std::size_t point_count) {
  std::vector<bool> is_vertex(point_count, false);
  for (const SurfaceTriangle& triangle : surface) {
    for (const std::uint32_t v : triangle.vertex) is_vertex[v] = true;
  }
  std::vector<std::uint32_t> vertices;
  vertices.reserve(surface.size() / 2 + 2);  // Euler
  for (std::uint32_t v = 0; v < point_count; ++v) {
    if (is_vertex[v]) vertices.push_back(v);
  }
  return vertices;
}

}  // namespace

Hull BuildHull(Points points, Pacer* pacer) {
  CLEARANCE_ASSERT(!points.empty());
  const WidestSimplex simplex = FindWidestSimplex(points);
  Hull hull;
  hull.dimension = simplex.dimension;
  switch (simplex.dimension) {
    case 0:
      hull.vertices = {0};
      break;
    case 1:
      hull.vertices = EndsOfSegment(points);
      std::sort(hull.vertices.begin(), hull.vertices.end());
      break;
    case 2:
      hull.ring = ConvexRing(ProjectOneToOne(points, simplex.corners));
      hull.vertices = hull.ring;
      std::sort(hull.vertices.begin(), hull.vertices.end());
      break;
    default:
      hull.surface = BuildHullSurface(points, simplex.corners, pacer);
      hull.vertices = VerticesOf(hull.surface, points.size());
      break;
  }
  return hull;
}

std::vector<HullEdge> FlatEdgesOf(const Hull& hull) {
  std::vector<HullEdge> edges;
  if (hull.dimension == 1) edges.push_back({hull.vertices[0], hull.vertices[1]});
  for (std::size_t i = 0; i < hull.ring.size(); ++i) {
    edges.push_back({hull.ring[i], hull.ring[(i + 1) % hull.ring.size()]});
  }
  const std::size_t one_way = edges.size();
  for (std::size_t i = 0; i < one_way; ++i) edges.push_back({edges[i].to, edges[i].from});
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace clearance

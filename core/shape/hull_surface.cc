// SPDX-License-Identifier: Apache-2.0
//
// "Visible" means strictly in front of a facet's plane. A point in the plane of a facet sees the
// facets beside it instead, so a new triangle is never degenerate: were the point on the line of a
// horizon edge, it would lie in the plane of the visible facet there. The horizon is a simple cycle
// because the facets about a vertex that are visible follow one another. A point that sees an old
// facet and none of the new ones is inside: on a path from a facet it saw to one it still sees it
// would see both sides of a horizon edge, and so the new facet at that edge.
//
// Facets wait in a stack, and a point is given to the first that it sees: so it sees none that
// waits below its own, and adding it removes no facet but its own that has points outside.

#include "core/shape/hull_surface.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/math/exact_predicates.h"

namespace clearance {
namespace {

struct Facet {
  SurfaceTriangle triangle;
  Vec3d normal;                        // rounded: only to choose the farthest point
  std::vector<std::uint32_t> outside;  // points strictly in front, the farthest last
  double farthest = 0;
  bool is_removed = false;
};

// An edge between a visible facet, whose direction it has, and one that stays.
struct HorizonEdge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t facet_beyond;
};

class QuickHull {
 public:
  explicit QuickHull(absl::Span<const Vec3d> points)
      : points_(points), facet_from_(points.size()) {}

  Surface Build(const Simplex& simplex) {
    Start(simplex);
    while (!pending_.empty()) {
      const std::uint32_t facet = pending_.back();
      pending_.pop_back();
      if (!facets_[facet].outside.empty()) AddFarthest(facet);
    }
    return Collect();
  }

 private:
  bool Sees(std::uint32_t point, const Facet& facet) const {
    const auto& v = facet.triangle.vertex;
    return Orient3d(points_[v[0]], points_[v[1]], points_[v[2]], points_[point]) > 0;
  }

  std::uint32_t AddFacet(const std::array<std::uint32_t, 3>& v) {
    Facet facet;
    facet.triangle.vertex = v;
    facet.normal = Cross(points_[v[1]] - points_[v[0]], points_[v[2]] - points_[v[0]]);
    facets_.push_back(std::move(facet));
    return static_cast<std::uint32_t>(facets_.size() - 1);
  }

  void Start(Simplex s) {
    if (Orient3d(points_[s[0]], points_[s[1]], points_[s[2]], points_[s[3]]) > 0) {
      std::swap(s[1], s[2]);
    }
    // Facet i lies opposite to corner 3 - i.
    AddFacet({s[0], s[1], s[2]});
    AddFacet({s[0], s[3], s[1]});
    AddFacet({s[0], s[2], s[3]});
    AddFacet({s[1], s[3], s[2]});
    facets_[0].triangle.neighbor = {1, 3, 2};
    facets_[1].triangle.neighbor = {2, 3, 0};
    facets_[2].triangle.neighbor = {0, 3, 1};
    facets_[3].triangle.neighbor = {1, 2, 0};
    for (std::uint32_t point = 0; point < points_.size(); ++point) Assign(point, 0);
    for (std::uint32_t facet = 0; facet < 4; ++facet) pending_.push_back(facet);
  }

  // Gives the point to the first facet from `first_facet` on that it sees, if any.
  void Assign(std::uint32_t point, std::size_t first_facet) {
    for (std::size_t i = first_facet; i < facets_.size(); ++i) {
      Facet& facet = facets_[i];
      if (!Sees(point, facet)) continue;
      const double height = Dot(facet.normal, points_[point] - points_[facet.triangle.vertex[0]]);
      facet.outside.push_back(point);
      if (height > facet.farthest) {
        facet.farthest = height;
      } else if (facet.outside.size() > 1) {
        std::swap(facet.outside[facet.outside.size() - 1], facet.outside[facet.outside.size() - 2]);
      }
      return;
    }
  }

  // Removes the facets that the point sees, beginning with `facet`; what lies around them is left
  // in horizon_.
  void RemoveVisible(std::uint32_t point, std::uint32_t facet) {
    removed_ = {facet};
    horizon_.clear();
    facets_[facet].is_removed = true;
    for (std::size_t k = 0; k < removed_.size(); ++k) {
      const SurfaceTriangle triangle = facets_[removed_[k]].triangle;
      for (int i = 0; i < 3; ++i) {
        Facet& next = facets_[triangle.neighbor[i]];
        if (next.is_removed) continue;
        if (Sees(point, next)) {
          next.is_removed = true;
          removed_.push_back(triangle.neighbor[i]);
        } else {
          horizon_.push_back(
              {triangle.vertex[i], triangle.vertex[(i + 1) % 3], triangle.neighbor[i]});
        }
      }
    }
  }

  // Closes the surface with a fan of new facets from the horizon to the point.
  void CloseWithFan(std::uint32_t point) {
    const auto first = static_cast<std::uint32_t>(facets_.size());
    for (const HorizonEdge& edge : horizon_) {
      const std::uint32_t facet = AddFacet({edge.from, edge.to, point});
      facet_from_[edge.from] = facet;
      facets_[facet].triangle.neighbor[0] = edge.facet_beyond;
      SurfaceTriangle& beyond = facets_[edge.facet_beyond].triangle;
      for (int i = 0; i < 3; ++i) {
        if (beyond.vertex[i] == edge.to) beyond.neighbor[i] = facet;
      }
    }
    for (std::uint32_t facet = first; facet < facets_.size(); ++facet) {
      SurfaceTriangle& triangle = facets_[facet].triangle;
      const std::uint32_t next = facet_from_[triangle.vertex[1]];
      triangle.neighbor[1] = next;
      facets_[next].triangle.neighbor[2] = facet;
    }
  }

  void AddFarthest(std::uint32_t facet) {
    const std::uint32_t point = facets_[facet].outside.back();
    RemoveVisible(point, facet);
    const std::size_t first_new = facets_.size();
    CloseWithFan(point);
    const std::vector<std::uint32_t> orphans = std::move(facets_[facet].outside);
    for (const std::uint32_t orphan : orphans) {
      if (orphan != point) Assign(orphan, first_new);
    }
    for (std::size_t i = first_new; i < facets_.size(); ++i) {
      if (!facets_[i].outside.empty()) pending_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  // The facets that are left, numbered without gaps.
  Surface Collect() const {
    std::vector<std::uint32_t> number(facets_.size());
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < facets_.size(); ++i) {
      if (!facets_[i].is_removed) number[i] = count++;
    }
    Surface surface;
    surface.reserve(count);
    for (const Facet& facet : facets_) {
      if (facet.is_removed) continue;
      SurfaceTriangle triangle = facet.triangle;
      for (std::uint32_t& neighbor : triangle.neighbor) neighbor = number[neighbor];
      surface.push_back(triangle);
    }
    return surface;
  }

  absl::Span<const Vec3d> points_;
  std::vector<Facet> facets_;
  std::vector<std::uint32_t> pending_;
  std::vector<std::uint32_t> removed_;
  std::vector<HorizonEdge> horizon_;
  std::vector<std::uint32_t> facet_from_;  // by vertex: the new facet whose first corner it is
};

// At an extreme vertex at least three edges are sharp; inside a face none is, inside an edge two.
std::vector<std::uint32_t> ExtremeVertices(absl::Span<const Vec3d> points, const Surface& surface) {
  std::vector<std::uint32_t> sharp_edges(points.size(), 0);
  for (std::uint32_t t = 0; t < surface.size(); ++t) {
    for (int i = 0; i < 3; ++i) {
      if (!IsFlatEdge(points, surface, t, i)) ++sharp_edges[surface[t].vertex[i]];
    }
  }
  std::vector<std::uint32_t> extreme;
  for (std::uint32_t v = 0; v < points.size(); ++v) {
    if (sharp_edges[v] >= 3) extreme.push_back(v);
  }
  return extreme;
}

std::size_t CountVertices(absl::Span<const Vec3d> points, const Surface& surface) {
  std::vector<bool> is_vertex(points.size(), false);
  for (const SurfaceTriangle& triangle : surface) {
    for (const std::uint32_t v : triangle.vertex) is_vertex[v] = true;
  }
  return static_cast<std::size_t>(std::count(is_vertex.begin(), is_vertex.end(), true));
}

// Four of these points that are not in one plane. Requires: extreme points, of which no three are
// in one line.
Simplex SimplexOf(absl::Span<const Vec3d> extreme) {
  std::uint32_t apex = 3;
  while (Orient3d(extreme[0], extreme[1], extreme[2], extreme[apex]) == 0) ++apex;
  return {0, 1, 2, apex};
}

// The hull of the points with these indices only, which are extreme, so that all become vertices.
Surface BuildFromExtreme(absl::Span<const Vec3d> points,
                         const std::vector<std::uint32_t>& extreme) {
  std::vector<Vec3d> corners;
  corners.reserve(extreme.size());
  for (const std::uint32_t v : extreme) corners.push_back(points[v]);
  Surface surface = QuickHull(corners).Build(SimplexOf(corners));
  for (SurfaceTriangle& triangle : surface) {
    for (std::uint32_t& v : triangle.vertex) v = extreme[v];
  }
  return surface;
}

}  // namespace

bool IsFlatEdge(absl::Span<const Vec3d> points, const Surface& surface, std::uint32_t t, int i) {
  const auto& v = surface[t].vertex;
  const std::uint32_t a = v[i], b = v[(i + 1) % 3];
  const auto& across = surface[surface[t].neighbor[i]].vertex;
  std::uint32_t opposite = across[0];
  for (const std::uint32_t candidate : across) {
    if (candidate != a && candidate != b) opposite = candidate;
  }
  return Orient3d(points[v[0]], points[v[1]], points[v[2]], points[opposite]) == 0;
}

Surface BuildHullSurface(absl::Span<const Vec3d> points, const Simplex& simplex) {
  Surface surface = QuickHull(points).Build(simplex);
  const std::vector<std::uint32_t> extreme = ExtremeVertices(points, surface);
  if (extreme.size() == CountVertices(points, surface)) return surface;
  return BuildFromExtreme(points, extreme);
}

}  // namespace clearance

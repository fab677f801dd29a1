// SPDX-License-Identifier: Apache-2.0
//
// "Visible" means strictly in front of a facet's plane. A point in the plane of a facet sees the
// facets beside it instead. So a new triangle is never degenerate: if the point were on the line of
// a horizon edge, it would lie in the plane of the visible facet there. The horizon is a simple
// cycle because the visible facets about a vertex follow one another. A point that sees an old
// facet and none of the new ones is inside. Otherwise, on a path from a facet it saw to one it
// still sees, it would see both sides of a horizon edge, and so the new facet at that edge.
//
// Facets wait in a stack, and a point is given to the first that it sees. So it sees none that
// waits below its own, and adding it removes no facet but its own that has points outside.

#include "core/shape/hull_surface.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/math/exact_predicates.h"

namespace clearance {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Facet {
  SurfaceTriangle triangle;
  Vec3d normal;        // rounded
  double certain = 0;  // a height above the plane beyond this has the right sign
  // The farthest of the points strictly in front, and the others in the order in which they came.
  std::uint32_t farthest = kNone;
  std::uint32_t first_other = kNone;
  std::uint32_t last_other = kNone;
  bool is_removed = false;
  double farthest_height = 0;
};

// An edge between a visible facet, whose direction it has, and one that stays.
struct HorizonEdge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t facet_beyond;
};

class QuickHull {
 public:
  QuickHull(absl::Span<const Vec3d> points, Pacer* pacer)
      : points_(points), pacer_(pacer), next_outside_(points.size()), facet_from_(points.size()) {}

  // Returns an empty surface once the pacer has stopped.
  Surface Build(const SimplexIndices& simplex) {
    Start(simplex);
    while (!pending_.empty() && !HasStopped(pacer_)) {
      const std::uint32_t facet = pending_.back();
      pending_.pop_back();
      if (facets_[facet].farthest == kNone) continue;
      AddFarthest(facet);
      // Points in a bad order make hundreds of facets for each that stays.
      if (removed_count_ > kMinToForget && removed_count_ > facets_.size() / 2) ForgetRemoved();
    }
    MarkFlatEdges();
    return HasStopped(pacer_) ? Surface() : Collect();
  }

 private:
  // Returns the height to rounding.
  double HeightAbove(const Facet& facet, std::uint32_t point) const {
    return Dot(facet.normal, points_[point] - points_[facet.triangle.vertex[0]]);
  }

  // The sign of the point's height above the facet, of which `height` is the rounded value.
  int Side(const Facet& facet, std::uint32_t point, double height) const {
    if (std::abs(height) > facet.certain) return height > 0 ? 1 : -1;
    const auto& v = facet.triangle.vertex;
    return Orient3d(points_[v[0]], points_[v[1]], points_[v[2]], points_[point]);
  }

  bool Sees(std::uint32_t point, const Facet& facet) const {
    return Side(facet, point, HeightAbove(facet, point)) > 0;
  }

  std::uint32_t AddFacet(const std::array<std::uint32_t, 3>& v) {
    const OrientedPlane plane = PlaneOf(points_[v[0]], points_[v[1]], points_[v[2]]);
    Facet& facet = facets_.emplace_back();
    facet.triangle.vertex = v;
    facet.normal = plane.normal;
    facet.certain = plane.certain;
    return static_cast<std::uint32_t>(facets_.size() - 1);
  }

  void Start(SimplexIndices s) {
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
    for (std::size_t i = first_facet; i < facets_.size() && Spend(pacer_, kVerticesASide); ++i) {
      const double height = HeightAbove(facets_[i], point);
      if (Side(facets_[i], point, height) > 0) return Give(point, height, &facets_[i]);
    }
  }

  void Give(std::uint32_t point, double height, Facet* facet) {
    const bool is_first = facet->farthest == kNone;
    if (is_first || height > facet->farthest_height) {
      std::swap(point, facet->farthest);
      facet->farthest_height = std::max(height, facet->farthest_height);
    }
    if (is_first) return;
    next_outside_[point] = kNone;
    if (facet->first_other == kNone) {
      facet->first_other = point;
    } else {
      next_outside_[facet->last_other] = point;
    }
    facet->last_other = point;
  }

  // Removes the facets that the point sees, beginning with `facet`; leaves the edges around them in
  // horizon_.
  void RemoveVisible(std::uint32_t point, std::uint32_t facet) {
    removed_ = {facet};
    horizon_.clear();
    facets_[facet].is_removed = true;
    ++removed_count_;
    for (std::size_t k = 0; k < removed_.size(); ++k) {
      const SurfaceTriangle triangle = facets_[removed_[k]].triangle;
      for (int i = 0; i < 3; ++i) {
        Facet& next = facets_[triangle.neighbor[i]];
        if (next.is_removed) continue;
        if (Sees(point, next)) {
          next.is_removed = true;
          ++removed_count_;
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
    const std::size_t first_new = facets_.size();
    RemoveVisible(facets_[facet].farthest, facet);
    CloseWithFan(facets_[facet].farthest);
    for (std::uint32_t orphan = facets_[facet].first_other; orphan != kNone;) {
      const std::uint32_t next = next_outside_[orphan];
      Assign(orphan, first_new);
      orphan = next;
    }
    for (std::size_t i = first_new; i < facets_.size(); ++i) {
      if (facets_[i].farthest != kNone) pending_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  // Numbers the remaining facets from 0 on, in their order. Those that wait and are removed have no
  // points.
  void ForgetRemoved() {
    std::vector<std::uint32_t> number(facets_.size(), kNone);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < facets_.size(); ++i) {
      if (facets_[i].is_removed) continue;
      number[i] = count;
      facets_[count++] = facets_[i];
    }
    std::size_t waiting = 0;
    for (const std::uint32_t facet : pending_) {
      if (number[facet] != kNone) pending_[waiting++] = number[facet];
    }
    pending_.resize(waiting);
    facets_.resize(count);
    for (Facet& facet : facets_) {
      for (std::uint32_t& neighbor : facet.triangle.neighbor) neighbor = number[neighbor];
    }
    removed_count_ = 0;
  }

  // Tests each edge from one side: the four points are in one plane whichever side is tested.
  void MarkFlatEdges() {
    for (std::uint32_t f = 0; f < facets_.size() && Spend(pacer_, kVerticesAFlatEdge); ++f) {
      if (facets_[f].is_removed) continue;
      SurfaceTriangle& triangle = facets_[f].triangle;
      for (int i = 0; i < 3; ++i) {
        if (triangle.neighbor[i] < f) continue;
        SurfaceTriangle& beyond = facets_[triangle.neighbor[i]].triangle;
        int j = 0;
        while (beyond.vertex[j] != triangle.vertex[(i + 1) % 3]) ++j;
        const std::uint32_t opposite = beyond.vertex[(j + 2) % 3];
        const double height = HeightAbove(facets_[f], opposite);
        triangle.is_flat[i] = beyond.is_flat[j] = Side(facets_[f], opposite, height) == 0;
      }
    }
  }

  // Returns the remaining facets, numbered without gaps.
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

  // The costs of a point's side of a facet and of the edges of a facet, in the pacer's vertices.
  static constexpr std::uint64_t kVerticesASide = 8;
  static constexpr std::uint64_t kVerticesAFlatEdge = 256;
  static constexpr std::size_t kMinToForget = 4096;

  absl::Span<const Vec3d> points_;
  Pacer* const pacer_;

  std::vector<Facet> facets_;
  std::size_t removed_count_ = 0;            // of facets_
  std::vector<std::uint32_t> next_outside_;  // by point: the next in the list of its facet
  std::vector<std::uint32_t> pending_;
  std::vector<std::uint32_t> removed_;
  std::vector<HorizonEdge> horizon_;
  std::vector<std::uint32_t> facet_from_;  // by vertex: the new facet whose first corner it is
};

// At least three edges are sharp at an extreme vertex, none inside a face, two inside an edge.
std::vector<std::uint32_t> ExtremeVertices(std::size_t point_count, const Surface& surface) {
  std::vector<std::uint32_t> sharp_edges(point_count, 0);
  for (const SurfaceTriangle& triangle : surface) {
    for (int i = 0; i < 3; ++i) sharp_edges[triangle.vertex[i]] += triangle.is_flat[i] ? 0 : 1;
  }
  std::vector<std::uint32_t> extreme;
  extreme.reserve(point_count);
  for (std::uint32_t v = 0; v < point_count; ++v) {
    if (sharp_edges[v] >= 3) extreme.push_back(v);
  }
  return extreme;
}

std::size_t CountVertices(std::size_t point_count, const Surface& surface) {
  std::vector<bool> is_vertex(point_count, false);
  for (const SurfaceTriangle& triangle : surface) {
    for (const std::uint32_t v : triangle.vertex) is_vertex[v] = true;
  }
  return static_cast<std::size_t>(std::count(is_vertex.begin(), is_vertex.end(), true));
}

// Returns four of these points that are not in one plane. Requires: extreme points, of which no
// three are in one line.
SimplexIndices SimplexOf(absl::Span<const Vec3d> extreme) {
  std::uint32_t apex = 3;
  while (Orient3d(extreme[0], extreme[1], extreme[2], extreme[apex]) == 0) ++apex;
  return {0, 1, 2, apex};
}

// Returns the hull of the points with these indices only, which are extreme, so that all become
// vertices.
Surface BuildFromExtreme(absl::Span<const Vec3d> points, const std::vector<std::uint32_t>& extreme,
                         Pacer* pacer) {
  std::vector<Vec3d> corners;
  corners.reserve(extreme.size());
  for (const std::uint32_t v : extreme) corners.push_back(points[v]);
  Surface surface = QuickHull(corners, pacer).Build(SimplexOf(corners));
  for (SurfaceTriangle& triangle : surface) {
    for (std::uint32_t& v : triangle.vertex) v = extreme[v];
  }
  return surface;
}

}  // namespace

Surface BuildHullSurface(absl::Span<const Vec3d> points, const SimplexIndices& simplex,
                         Pacer* pacer) {
  Surface surface = QuickHull(points, pacer).Build(simplex);
  if (HasStopped(pacer)) return surface;
  const std::vector<std::uint32_t> extreme = ExtremeVertices(points.size(), surface);
  if (extreme.size() == CountVertices(points.size(), surface)) return surface;
  return BuildFromExtreme(points, extreme, pacer);
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// A convex polytope around the origin that grows by one point at a time: a closed surface of
// triangles, convex exactly. A point that is inserted takes away every facet whose front sees it,
// and is joined to the horizon around them. Which facets see it is decided without rounding, so the
// surface can neither tear nor fold, whatever the points: the failures for which expanding
// polytopes are known all begin with one wrong sign. Facets may be coplanar, and a vertex may come
// to lie inside a face or an edge of a later, larger one.
//
// After G. van den Bergen, "Proximity queries and penetration depth computation on 3D game
// objects", 2001, with the orientation tests of J. R. Shewchuk, 1997.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/math/tolerance.h"
#include "core/math/vec3.h"
#include "core/narrow/facet_planes.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/origin_certificate.h"
#include "core/narrow/static_vector.h"

namespace clearance {

// A triangle of the surface, its corners counter-clockwise as seen from outside: one line of the
// cache.
struct alignas(64) PolytopeFacet {
  std::array<std::uint16_t, 3> corner;
  std::array<std::uint16_t, 3> neighbor;  // [i] is the facet across the edge from corner i to i + 1
  bool is_thin;                           // as FacetPlanes has it
  bool is_coarse;                         // of a thin triangle that is not measured with care yet
  bool is_visible;                        // from the point that is being inserted
  Vec3d n_A;                              // outward, unit to rounding
  double offset;                          // from the origin to the plane, to rounding, units
  double error;  // at most: no point of the triangle is nearer to the origin than offset - error
  // How far n_A . p - offset is off at most, for any point p on the grid.
  double height_error;
};

// About 200 kB, on the stack.
class ExpandingPolytope {
 public:
  static constexpr int kMaxVertices = kMaxPolytopeVertices;
  static constexpr int kMaxFacets = 2 * kMaxVertices - 4;  // Euler

  // Puts w where exact predicates take it: units, |coordinate| < kMaxCoordinate, moved by less than
  // kPolytopeGrid.
  static void PutOnGrid(Vec3d* w) {
    const double least = std::min({std::fabs(w->x), std::fabs(w->y), std::fabs(w->z)});
    if (least < kOnGridAnyway) *w = Rounded(*w);
  }
  static constexpr double kMaxCoordinate = 8;

  // Begins as the hull of the set. False, and nothing done, if the set does not span space.
  // Requires: the vertices are on the grid; the polytope has none yet.
  bool Start(const EnclosingSet<double>& set);

  // True if the origin is strictly inside.
  bool HoldsOrigin() const;

  // True if the point is strictly in front of the facet. Requires: it is on the grid.
  bool Sees(int facet, const Vec3d& point) const { return SideOf(facet, point) > 0; }

  // Requires: Sees(facet, vertex.w), the vertex is on the grid, and there is room.
  void Insert(int facet, const MinkowskiVertex<double>& vertex);

  bool is_full() const { return vertices_.is_full(); }

  // The facet of least offset (the first of equal ones), measured with care. Requires: Start() was
  // true, here and below.
  int Nearest();

  // visit(facet) for each.
  template <class Visit>
  void VisitFacets(Visit visit) const {
    FindFacet([&](int facet) {
      visit(facet);
      return false;
    });
  }
  // The same only for those that may have points no farther from the origin than `limit`: all
  // measured with care.
  template <class Visit>
  void VisitNear(double limit, Visit visit) {
    for (int f = 0; f < facets_.size(); ++f) {
      if (offsets_[f] - facets_[f].error > limit || !(offsets_[f] < kNoFacet)) continue;
      if (facets_[f].is_coarse) Refine(f);
      visit(f);
    }
  }
  const PolytopeFacet& facet(int facet) const { return facets_[facet]; }
  // Returns the facet's error as tightly as possible. Requires: it is measured with care.
  double ErrorOf(int facet) const;
  // No point of the surface is nearer to the origin.
  double LeastOffset();

  int vertex_count() const { return vertices_.size(); }
  const MinkowskiVertex<double>& vertex(int i) const { return vertices_[i]; }

 private:
  using Corners = std::array<std::uint16_t, 3>;
  struct HorizonEdge {
    std::uint16_t from;
    std::uint16_t to;
    std::uint16_t outer;  // the facet that stays, beyond the edge
  };
  static constexpr double kNoFacet = std::numeric_limits<double>::infinity();
  static constexpr int kNone = -1;
  static constexpr int kOffsetBlock = 8;
  static constexpr int kMaxOffsets = (kMaxFacets + kOffsetBlock - 1) / kOffsetBlock * kOffsetBlock;

  static Vec3d Rounded(const Vec3d& point);

  // Returns the first facet with is_it(facet), kNone if there is none.
  template <class Predicate>
  int FindFacet(Predicate is_it) const {
    for (int f = 0; f < facets_.size(); ++f) {
      if (offsets_[f] < kNoFacet && is_it(f)) return f;
    }
    return kNone;
  }

  // The same as Nearest, however it is measured.
  int LeastOffsetSlot() const;
  // Measures a thin triangle with care.
  void Refine(int facet);
  // 1 in front of the facet, -1 behind, 0 in its plane: its signs are exact, as those of Orient3d.
  // The plane decides it for nearly all points.
  int SideOf(int facet, const Vec3d& point) const {
    const PolytopeFacet& plane = facets_[facet];
    const double height = Dot(plane.n_A, point) - plane.offset;
    if (!(std::fabs(height) > plane.height_error)) [[unlikely]] {
      return ExactSideOf(facet, point);
    }
    return height > 0 ? 1 : -1;
  }
  int ExactSideOf(int facet, const Vec3d& point) const;
  bool MakeTetrahedron(const EnclosingSet<double>& set);
  void InsertAnywhere(const MinkowskiVertex<double>& vertex);
  // Requires: planes_ has it as its triangle `measured`.
  int NewFacet(Corners corner, int measured);
  void AppendFacet();
  void TakeVisible(int seed, const Vec3d& point);
  void CloseHorizon(std::uint16_t apex);
  void MeasureFrom(int first, std::uint16_t apex);
  void SetPlane(int measured, const Corners& corner) {
    const auto& [i, j, k] = corner;
    planes_.Set(measured, vertices_[i].w, vertices_[j].w, vertices_[k].w);
  }

  FacetPlanes planes_;
  StaticVector<PolytopeFacet, kMaxFacets> facets_;
  // The offset of each of facets_, and some more: kNoFacet if there is none.
  StaticVector<double, kMaxOffsets> offsets_;
  StaticVector<MinkowskiVertex<double>, kMaxVertices> vertices_;
  int nearest_ = kNone;  // the result of Nearest, if that is known
  StaticVector<std::uint16_t, kMaxFacets> free_;
  StaticVector<std::uint16_t, kMaxFacets> visible_;
  StaticVector<HorizonEdge, kMaxVertices> horizon_;
};

}  // namespace clearance

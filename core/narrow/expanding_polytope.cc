// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/expanding_polytope.h"

#include <algorithm>
#include <cmath>

#include "core/math/exact_predicates.h"
#include "core/math/rounding.h"
#include "core/narrow/simplex.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// A triangle with its first corner opposite to its longest edge, where the plane is best told from.
struct Triangle {
  Vec3d a, b, c;
};

Triangle BestTold(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double ab = NormSquared(b - a), bc = NormSquared(c - b), ca = NormSquared(a - c);
  if (bc >= ab && bc >= ca) return {a, b, c};
  return ca >= ab ? Triangle{b, c, a} : Triangle{c, a, b};
}

// Of a triangle, as PolytopeFacet has it.
struct Plane {
  Vec3d n_A;
  double offset;
  double error;
};

// With e, f the edges from corner a and E = |e| |f|: the edges err by u of themselves, so n = e x f
// by 8u E, and n . a / |n| by 16u E / |n| |a| for n and |n| and 8u |a| for its own operations.
constexpr double kNormalError = 16;
constexpr double kHeightError = 8;

// Of a triangle that is hardly more than its longest edge, over which it is at most so high. The
// normal is the direction to the edge, or the triangle's own where the edge meets the origin.
Plane MeasuredByItsEdge(const Triangle& t, double height, const Vec3<Dd>& n) {
  const NearestPoint<double> nearest = NearestOnSegment<double, 0, 1>({t.b, t.c, {}, {}});
  const double distance = Norm(nearest.v);
  const double rounding = kNormalError * kRoundoff * (Norm(t.b) + Norm(t.c));
  Vec3d n_A = {1, 0, 0};
  if (distance > rounding) {
    n_A = (1 / distance) * nearest.v;
  } else if (const Dd area = Sqrt(NormSquared(n)); ToDouble(area) > 0) {
    n_A = ToDouble((Dd(1) / area) * n);
  }
  return {n_A, distance, rounding + height};
}

// Of a triangle too flat for double. The edges are exact in double-double.
Plane PreciselyMeasured(const Triangle& t) {
  const Vec3<Dd> a = To<Dd>(t.a);
  const Vec3<Dd> e = To<Dd>(t.b) - a;
  const Vec3<Dd> f = To<Dd>(t.c) - a;
  const Vec3<Dd> n = Cross(e, f);
  const double length_e = Norm(ToDouble(e));
  const double length_f = Norm(ToDouble(f));
  const double edges = length_e * length_f;
  const Dd area = Sqrt(NormSquared(n));
  const double shorter = std::fmin(length_e, length_f);
  if (edges < kThinUnderflow) return MeasuredByItsEdge(t, shorter, n);  // squares underflow
  if (!(ToDouble(area) > kThinTriangle * edges)) {
    return MeasuredByItsEdge(t, 2 * kThinTriangle * shorter, n);
  }
  const Vec3<Dd> n_A = (Dd(1) / area) * n;
  const double relative_error = kNormalError * kDoubleDoubleRoundoff * edges / ToDouble(area);
  return {ToDouble(n_A), ToDouble(Dot(n_A, a)), (relative_error + kRoundoff) * Norm(t.a)};
}

Plane Measured(const Triangle& t) {
  const Vec3d e = t.b - t.a;
  const Vec3d f = t.c - t.a;
  const Vec3d n = Cross(e, f);
  const double area = Norm(n);
  const double edges = Norm(e) * Norm(f);
  if (2 * area < edges || edges < kThinUnderflow) return PreciselyMeasured(t);
  const Vec3d n_A = (1 / area) * n;
  const double relative_error = (kNormalError * edges / area + kHeightError) * kRoundoff;
  return {n_A, Dot(n_A, t.a), relative_error * Norm(t.a)};
}

double OnGrid(double coordinate) {
  constexpr double kMax = ExpandingPolytope::kMaxCoordinate;
  return kMax * RoundToPredicateGrid(coordinate / kMax);
}

}  // namespace

DifferenceVertex<double> ExpandingPolytope::OnGrid(DifferenceVertex<double> vertex) {
  const Vec3d& w = vertex.w;
  vertex.w = {clearance::OnGrid(w.x), clearance::OnGrid(w.y), clearance::OnGrid(w.z)};
  return vertex;
}

bool ExpandingPolytope::Start(const EnclosingSet<double>& set) {
  if (!MakeTetrahedron(set)) return false;
  for (int i = 0; i < set.size; ++i) InsertAnywhere(set.vertex[i]);
  return true;
}

// Each of the four is the first of the set that spans one dimension more.
bool ExpandingPolytope::MakeTetrahedron(const EnclosingSet<double>& set) {
  std::array<int, 4> chosen = {};
  const auto corner = [&](int i) -> const Vec3d& { return set.vertex[chosen[i]].w; };
  int rank = 1;
  int side = 0;
  for (int i = 1; i < set.size && rank < 4; ++i) {
    const Vec3d& w = set.vertex[i].w;
    if (rank == 3) side = Orient3d(corner(0), corner(1), corner(2), w);
    const bool spans_more = (rank == 1 && w != corner(0)) ||
                            (rank == 2 && !AreCollinear(corner(0), corner(1), w)) || side != 0;
    if (spans_more) chosen[rank++] = i;
  }
  if (rank < 4) return false;
  if (side > 0) std::swap(chosen[1], chosen[2]);  // now the last is behind the first three
  for (const int i : chosen) vertices_.Append(set.vertex[i]);
  const std::array<std::array<int, 3>, 4> corners = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
  const std::array<std::array<std::uint16_t, 3>, 4> neighbors = {
      {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}}};
  for (int f = 0; f < 4; ++f) {
    facets_[NewFacet(corners[f][0], corners[f][1], corners[f][2])].neighbor = neighbors[f];
  }
  return true;
}

void ExpandingPolytope::InsertAnywhere(const DifferenceVertex<double>& vertex) {
  const int facet = FindFacet([&](int f) { return Sees(f, vertex.w); });
  if (facet != kNone) Insert(facet, vertex);
}

bool ExpandingPolytope::HoldsOrigin() const {
  return FindFacet([this](int f) {
           const auto& [i, j, k] = facets_[f].corner;
           return Orient3d(vertices_[i].w, vertices_[j].w, vertices_[k].w, {}) >= 0;
         }) == kNone;
}

bool ExpandingPolytope::Sees(int facet, const Vec3d& point) const {
  const auto& [i, j, k] = facets_[facet].corner;
  return Orient3d(vertices_[i].w, vertices_[j].w, vertices_[k].w, point) > 0;
}

void ExpandingPolytope::Insert(int facet, const DifferenceVertex<double>& vertex) {
  vertices_.Append(vertex);
  MarkVisible(facet, vertex.w);
  TakeVisible();
  CloseHorizon(vertices_.size() - 1);
}

int ExpandingPolytope::Nearest() const {
  int nearest = 0;
  for (int f = 1; f < offsets_.size(); ++f) {
    if (offsets_[f] < offsets_[nearest]) nearest = f;
  }
  return nearest;
}

int ExpandingPolytope::NewFacet(int i, int j, int k) {
  const Triangle triangle = BestTold(vertices_[i].w, vertices_[j].w, vertices_[k].w);
  const Plane plane = Measured(triangle);
  PolytopeFacet facet = {};
  facet.corner = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j),
                  static_cast<std::uint16_t>(k)};
  facet.n_A = plane.n_A;
  facet.offset = plane.offset;
  facet.error = plane.error;
  if (free_.size() > 0) {
    const int slot = free_.TakeLast();
    facets_[slot] = facet;
    offsets_[slot] = facet.offset;
    return slot;
  }
  facets_.Append(facet);
  offsets_.Append(facet.offset);
  return facets_.size() - 1;
}

// The facets that see a point outside of a convex surface are connected.
void ExpandingPolytope::MarkVisible(int seed, const Vec3d& point) {
  visible_.Clear();
  const auto mark = [this](int facet) {
    facets_[facet].is_visible = true;
    visible_.Append(static_cast<std::uint16_t>(facet));
  };
  mark(seed);
  for (int next = 0; next < visible_.size(); ++next) {
    for (const std::uint16_t neighbor : facets_[visible_[next]].neighbor) {
      if (!facets_[neighbor].is_visible && Sees(neighbor, point)) mark(neighbor);
    }
  }
}

// Removes the visible facets and keeps the edges around them.
void ExpandingPolytope::TakeVisible() {
  horizon_.Clear();
  for (int n = 0; n < visible_.size(); ++n) {
    const PolytopeFacet& facet = facets_[visible_[n]];
    for (int i = 0; i < 3; ++i) {
      if (facets_[facet.neighbor[i]].is_visible) continue;
      horizon_.Append({facet.corner[i], facet.corner[(i + 1) % 3], facet.neighbor[i]});
    }
  }
  for (int n = 0; n < visible_.size(); ++n) {
    offsets_[visible_[n]] = kNoFacet;
    free_.Append(visible_[n]);
  }
}

// The horizon is one closed line that meets no vertex twice: the facet that follows a new one
// around the apex is the one whose edge starts where its own ends.
void ExpandingPolytope::CloseHorizon(int apex) {
  std::array<std::uint16_t, kMaxVertices> starting_at;  // facet by the vertex its edge starts at
  for (int n = 0; n < horizon_.size(); ++n) {
    const HorizonEdge& edge = horizon_[n];
    const auto facet = static_cast<std::uint16_t>(NewFacet(edge.from, edge.to, apex));
    facets_[facet].neighbor[0] = edge.outer;
    PolytopeFacet& outer = facets_[edge.outer];
    for (int i = 0; i < 3; ++i) {
      if (outer.corner[i] == edge.to) outer.neighbor[i] = facet;
    }
    starting_at[edge.from] = facet;
  }
  for (int n = 0; n < horizon_.size(); ++n) {
    const std::uint16_t facet = starting_at[horizon_[n].from];
    const std::uint16_t next = starting_at[horizon_[n].to];
    facets_[facet].neighbor[1] = next;
    facets_[next].neighbor[2] = facet;
  }
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/expanding_polytope.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "core/math/exact_predicates.h"
#include "core/math/rounding.h"
#include "core/narrow/simplex.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// A triangle with its first corner opposite to its longest edge, where the plane is best told from.
struct Triangle {
  const Vec3d& a;
  const Vec3d& b;
  const Vec3d& c;
  double edges_sq;  // |b - a|^2 |c - a|^2
};

Triangle BestTold(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double ab = NormSquared(b - a), bc = NormSquared(c - b), ca = NormSquared(a - c);
  if (bc >= ab && bc >= ca) return {a, b, c, ab * ca};
  return ca >= ab ? Triangle{b, c, a, bc * ab} : Triangle{c, a, b, ca * bc};
}

// Of a triangle, as PolytopeFacet has it.
struct Plane {
  Vec3d n_A;
  double offset;
  double error;  // at most
  double height_error;
  bool is_coarse = false;
};

// At least |p| + |a| of two points on the grid.
constexpr double kMostReach = 4 * ExpandingPolytope::kMaxCoordinate;

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
  return {n_A, distance, rounding + height, HUGE_VAL};
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
  return {ToDouble(n_A), ToDouble(Dot(n_A, a)), (relative_error + kRoundoff) * Norm(t.a),
          (relative_error + kHeightError * kRoundoff) * kMostReach};
}

// Most triangles have a sine of a half at their best corner, so that area / edges is no less.
bool IsThin(const Triangle& t, double area) {
  return 4 * area * area < t.edges_sq || t.edges_sq < kThinUnderflow * kThinUnderflow;
}

bool IsToldCoarsely(const Triangle& t, double area) {
  return area * area > kCoarseSine * kCoarseSine * t.edges_sq &&
         t.edges_sq >= kThinUnderflow * kThinUnderflow;
}

// Of a triangle that is not thin. How far off its plane is takes a root and a quotient more than
// the plane does, and is asked of the nearest facets only.
double ErrorOf(const Triangle& t, double area) {
  const double relative_error =
      (kNormalError * std::sqrt(t.edges_sq) / area + kHeightError) * kRoundoff;
  return relative_error * Norm(t.a);
}

// Thin triangles are many, and few of them come to be among the nearest: until they do, a plane
// will do of which some digits are told.
Plane Measured(const Triangle& t) {
  const Vec3d n = Cross(t.b - t.a, t.c - t.a);
  const double area = Norm(n);
  const bool is_thin = IsThin(t, area);
  if (is_thin && !IsToldCoarsely(t, area)) return PreciselyMeasured(t);
  const Vec3d n_A = (1 / area) * n;
  const double relative_error =
      (kNormalError / (is_thin ? kCoarseSine : 0.5) + kHeightError + 1) * kRoundoff;
  const double error = relative_error * kMostReach;
  return {n_A, Dot(n_A, t.a), error, error, is_thin};
}

double OnGrid(double coordinate) {
  constexpr double kMax = ExpandingPolytope::kMaxCoordinate;
  if (std::fabs(coordinate) >= kOnGridAnyway) return coordinate;
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
  // A tetrahedron is all there is to four.
  for (int i = 0; i < set.size && set.size > 4; ++i) InsertAnywhere(set.vertex[i]);
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
  return FindFacet([this](int f) { return SideOf(f, {}) >= 0; }) == kNone;
}

// The plane tells it of nearly all points; its signs are exact, as those of Orient3d.
int ExpandingPolytope::SideOf(int facet, const Vec3d& point) const {
  const PolytopeFacet& plane = facets_[facet];
  const double height = Dot(plane.n_A, point) - plane.offset;
  if (height > plane.height_error) return 1;
  if (height < -plane.height_error) return -1;
  const auto& [i, j, k] = plane.corner;
  return Orient3d(vertices_[i].w, vertices_[j].w, vertices_[k].w, point);
}

void ExpandingPolytope::Insert(int facet, const DifferenceVertex<double>& vertex) {
  vertices_.Append(vertex);
  MarkVisible(facet, vertex.w);
  TakeVisible();
  CloseHorizon(vertices_.size() - 1);
}

int ExpandingPolytope::Nearest() {
  int nearest = LeastOffsetSlot();
  while (facets_[nearest].is_coarse) {
    Refine(nearest);
    nearest = LeastOffsetSlot();
  }
  return nearest;
}

void ExpandingPolytope::Refine(int facet) {
  PolytopeFacet& coarse = facets_[facet];
  const auto& [i, j, k] = coarse.corner;
  const Plane plane = PreciselyMeasured(BestTold(vertices_[i].w, vertices_[j].w, vertices_[k].w));
  coarse.n_A = plane.n_A;
  coarse.offset = plane.offset;
  coarse.error = plane.error;
  coarse.height_error = plane.height_error;
  coarse.is_coarse = false;
  offsets_[facet] = plane.offset;
}

int ExpandingPolytope::LeastOffsetSlot() const {
  constexpr int kBlock = 8;
  const int whole = offsets_.size() / kBlock * kBlock;
  double least = kNoFacet;
  int first = 0;  // at most the first of the least offset
  for (int block = 0; block < whole; block += kBlock) {
    const double* const at = &offsets_[block];
    const double left = std::min(std::min(at[0], at[1]), std::min(at[2], at[3]));
    const double right = std::min(std::min(at[4], at[5]), std::min(at[6], at[7]));
    if (std::min(left, right) >= least) continue;
    least = std::min(left, right);
    first = block;
  }
  for (int f = whole; f < offsets_.size(); ++f) {
    if (offsets_[f] >= least) continue;
    least = offsets_[f];
    first = f;
  }
  while (offsets_[first] != least) ++first;
  return first;
}

int ExpandingPolytope::NewFacet(int i, int j, int k) {
  const Plane plane = Measured(BestTold(vertices_[i].w, vertices_[j].w, vertices_[k].w));
  int slot = facets_.size();
  if (free_.size() > 0) {
    slot = free_.TakeLast();
  } else {
    facets_.AppendUnset();
    offsets_.AppendUnset();
  }
  // Written where it stays: reading at once what was copied in halves waits for the memory.
  new (&facets_[slot]) PolytopeFacet{
      {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j), static_cast<std::uint16_t>(k)},
      {},
      plane.n_A,
      plane.offset,
      plane.error,
      plane.height_error,
      plane.is_coarse,
      false};
  offsets_[slot] = plane.offset;
  return slot;
}

double ExpandingPolytope::LeastOffset() {
  double least = HUGE_VAL;
  const auto take = [&](int f) { least = std::fmin(least, facets_[f].offset - ErrorOf(f)); };
  take(Nearest());
  VisitNear(least, [&](int f) {
    if (facets_[f].offset - facets_[f].error < least) take(f);
  });
  return least;
}

double ExpandingPolytope::ErrorOf(int facet) const {
  const auto& [i, j, k] = facets_[facet].corner;
  const Triangle triangle = BestTold(vertices_[i].w, vertices_[j].w, vertices_[k].w);
  const double area = Norm(Cross(triangle.b - triangle.a, triangle.c - triangle.a));
  return IsThin(triangle, area) ? facets_[facet].error : clearance::ErrorOf(triangle, area);
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

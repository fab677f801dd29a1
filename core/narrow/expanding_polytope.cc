// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/expanding_polytope.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/math/assert.h"
#include "core/math/exact_predicates.h"
#include "core/math/rounding.h"
#include "core/narrow/simplex.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// A triangle with its first corner opposite to its longest edge, from which the plane is most
// accurate.
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

// The plane of a triangle, as in PolytopeFacet.
struct Plane {
  Vec3d n_A;
  double offset;
  double error;  // at most
  double height_error;
  bool is_coarse = false;
};

// At least |p| + |a| of two points on the grid.
constexpr double kMaxReach = 4 * ExpandingPolytope::kMaxCoordinate;

// Let e, f be the edges from corner a and E = |e| |f|. The edges err by u of themselves, so n = e x
// f errs by 8u E. The height n . a / |n| errs by 16u E / |n| |a| for n and |n| and 8u |a| for its
// own operations.
constexpr double kNormalError = 16;
constexpr double kHeightError = 8;

// Returns the plane of a triangle that is hardly more than its longest edge, over which it is at
// most `height` high. The normal is the direction to the edge, or the triangle's own if the edge
// meets the origin.
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

// Returns the plane of a triangle too flat for double. The edges are exact in double-double.
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
          (relative_error + kHeightError * kRoundoff) * kMaxReach};
}

// Returns the error of the plane of a triangle that is not thin. It takes a root and a quotient
// more than the plane does, and is asked of the nearest facets only.
double ErrorOf(const Triangle& t, double area) {
  const double relative_error =
      (kNormalError * std::sqrt(t.edges_sq) / area + kHeightError) * kRoundoff;
  return relative_error * Norm(t.a);
}

// Returns the error of a plane computed in double, for any point on the grid. Thin triangles are
// many, and few of them come to be among the nearest. Until they do, a plane with some correct
// digits is enough.
constexpr double ErrorInDouble(double least_sine) {
  return (kNormalError / least_sine + kHeightError + 1) * kRoundoff * kMaxReach;
}

double RoundedToGrid(double coordinate) {
  constexpr double kMax = ExpandingPolytope::kMaxCoordinate;
  if (std::fabs(coordinate) >= kOnGridAnyway) return coordinate;
  return kMax * RoundToPredicateGrid(coordinate / kMax);
}

}  // namespace

Vec3d ExpandingPolytope::Rounded(const Vec3d& point) {
  return {RoundedToGrid(point.x), RoundedToGrid(point.y), RoundedToGrid(point.z)};
}

inline int ExpandingPolytope::NewFacet(Corners corner, int measured) {
  int slot = facets_.size();
  if (free_.size() > 0) {
    slot = free_.TakeLast();
  } else {
    AppendFacet();
  }
  const double told = planes_.told(measured);
  PolytopeFacet& facet = facets_[slot];
  facet.corner = corner;
  facet.n_A = planes_.normal(measured);
  facet.offset = planes_.offset(measured);
  facet.is_thin = told > FacetPlanes::kWell;
  facet.is_coarse = facet.is_thin;
  facet.error = facet.is_thin ? ErrorInDouble(kCoarseSine) : ErrorInDouble(0.5);
  facet.height_error = facet.error;
  facet.is_visible = false;
  offsets_[slot] = facet.offset;
  if (told > FacetPlanes::kCoarsely) Refine(slot);
  return slot;
}

bool ExpandingPolytope::Start(const EnclosingSet<double>& set) {
  CLEARANCE_ASSERT(vertices_.size() == 0);
  if (!MakeTetrahedron(set)) return false;
  // Four vertices make no more than a tetrahedron.
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
  constexpr std::array<Corners, 4> kCorners = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
  constexpr std::array<Corners, 4> kNeighbors = {{{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}}};
  for (int f = 0; f < 4; ++f) SetPlane(f, kCorners[f]);
  planes_.Measure(4);
  for (int f = 0; f < 4; ++f) facets_[NewFacet(kCorners[f], f)].neighbor = kNeighbors[f];
  return true;
}

void ExpandingPolytope::InsertAnywhere(const MinkowskiVertex<double>& vertex) {
  const int facet = FindFacet([&](int f) { return Sees(f, vertex.w); });
  if (facet != kNone) Insert(facet, vertex);
}

bool ExpandingPolytope::HoldsOrigin() const {
  return FindFacet([this](int f) { return SideOf(f, {}) >= 0; }) == kNone;
}

int ExpandingPolytope::ExactSideOf(int facet, const Vec3d& point) const {
  const auto& [i, j, k] = facets_[facet].corner;
  return Orient3d(vertices_[i].w, vertices_[j].w, vertices_[k].w, point);
}

void ExpandingPolytope::Insert(int facet, const MinkowskiVertex<double>& vertex) {
  CLEARANCE_ASSERT(!vertices_.is_full() && Sees(facet, vertex.w));
  nearest_ = kNone;
  vertices_.Append(vertex);
  TakeVisible(facet, vertex.w);
  CloseHorizon(static_cast<std::uint16_t>(vertices_.size() - 1));
}

int ExpandingPolytope::Nearest() {
  while (nearest_ == kNone) {
    nearest_ = LeastOffsetSlot();
    if (facets_[nearest_].is_coarse) Refine(nearest_);
  }
  return nearest_;
}

void ExpandingPolytope::Refine(int facet) {
  nearest_ = kNone;
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
  double least = kNoFacet;
  int first = 0;  // at most the first of the least offset
  for (int block = 0; block < offsets_.size(); block += kOffsetBlock) {
    const double* const at = &offsets_[block];
    const double left = std::min(std::min(at[0], at[1]), std::min(at[2], at[3]));
    const double right = std::min(std::min(at[4], at[5]), std::min(at[6], at[7]));
    const double lesser = std::min(left, right);
    first = lesser < least ? block : first;
    least = std::min(lesser, least);
  }
  unsigned is_least = 0;
  for (int i = 0; i < kOffsetBlock; ++i) {
    is_least |= (offsets_[first + i] <= least ? 1u : 0u) << i;
  }
  return first + std::countr_zero(is_least);
}

// Offsets are looked at by blocks, in which entries without a facet are the greatest.
void ExpandingPolytope::AppendFacet() {
  if (facets_.size() == offsets_.size()) {
    for (int i = 0; i < kOffsetBlock; ++i) offsets_.Append(kNoFacet);
  }
  facets_.AppendUnset();
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
  if (facets_[facet].is_thin) return facets_[facet].error;
  const auto& [i, j, k] = facets_[facet].corner;
  const Triangle triangle = BestTold(vertices_[i].w, vertices_[j].w, vertices_[k].w);
  const double area = Norm(Cross(triangle.b - triangle.a, triangle.c - triangle.a));
  return clearance::ErrorOf(triangle, area);
}

// Removes the facets that see the point and keeps the edges around them. Such facets of a convex
// surface are connected.
void ExpandingPolytope::TakeVisible(int seed, const Vec3d& point) {
  visible_.Clear();
  horizon_.Clear();
  facets_[seed].is_visible = true;
  visible_.Append(static_cast<std::uint16_t>(seed));
  for (int next = 0; next < visible_.size(); ++next) {
    const PolytopeFacet& facet = facets_[visible_[next]];
    for (int i = 0; i < 3; ++i) {
      const std::uint16_t neighbor = facet.neighbor[i];
      if (facets_[neighbor].is_visible) continue;
      if (Sees(neighbor, point)) {
        facets_[neighbor].is_visible = true;
        visible_.Append(neighbor);
      } else {
        horizon_.Append({facet.corner[i], facet.corner[(i + 1) % 3], neighbor});
      }
    }
  }
  for (int i = 0; i < visible_.size(); ++i) {
    offsets_[visible_[i]] = kNoFacet;
    free_.Append(visible_[i]);
  }
}

// The horizon is one closed line that meets no vertex twice: the facet that follows a new one
// around the apex is the one whose edge starts where its own ends.
void ExpandingPolytope::CloseHorizon(std::uint16_t apex) {
  std::array<std::uint16_t, kMaxVertices> starting_at;  // facet by the vertex its edge starts at
  for (int n = 0; n < horizon_.size(); ++n) {
    const int measured = n % FacetPlanes::kMax;
    if (measured == 0) MeasureFrom(n, apex);
    const HorizonEdge& edge = horizon_[n];
    const auto facet = static_cast<std::uint16_t>(NewFacet({edge.from, edge.to, apex}, measured));
    facets_[facet].neighbor[0] = edge.outer;
    PolytopeFacet& outer = facets_[edge.outer];
    const int side = (outer.corner[1] == edge.to ? 1 : 0) + (outer.corner[2] == edge.to ? 2 : 0);
    outer.neighbor[side] = facet;
    starting_at[edge.from] = facet;
  }
  for (int n = 0; n < horizon_.size(); ++n) {
    const std::uint16_t facet = starting_at[horizon_[n].from];
    const std::uint16_t next = starting_at[horizon_[n].to];
    facets_[facet].neighbor[1] = next;
    facets_[next].neighbor[2] = facet;
  }
}

// Measures the facets over the edges of the horizon from `first` on, as many as are measured at
// once.
void ExpandingPolytope::MeasureFrom(int first, std::uint16_t apex) {
  const int count = std::min(horizon_.size() - first, FacetPlanes::kMax);
  for (int i = 0; i < count; ++i) {
    const HorizonEdge& edge = horizon_[first + i];
    SetPlane(i, {edge.from, edge.to, apex});
  }
  planes_.Measure(count);
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The climb to a support, for support.h. Tests and benchmarks compare other ways to begin it, which
// all end at the same vertex, and count the dot products that they take.
//
// The hierarchy. layers[k] of the shape's climb graph is the hull of one in eight vertices of the
// layer below it, chosen by a hash of their indices. The coarsest, of at most 32 vertices, is
// scanned; its highest vertex is where the next finer one is climbed from, and so on down. Ericson
// would call the edges of the coarser hulls artificial neighbours: links over long distances that a
// climb may take to come near the top quickly.
//     Of n vertices in the order of their heights, the first that was chosen has on average seven
// before it, whatever the shape and the direction; a climb that starts there meets no other than
// those, because it only rises. So each layer costs a few steps, and there are log_8(n) layers:
// rings, needles and clusters take as few steps as spheres. A step looks at the neighbours of one
// vertex: six on average, and where there are many (an apex) the bounds of climb_graph.h leave
// O(log) of them to be looked at.
//
// Why the answer is that of the scan. Let h(v) = d . v be the true heights, c(v) the computed ones
// and e a bound of |c(v) - h(v)| over all vertices. The vertices of a convex polytope above any
// height are connected along its edges. From each of them an edge leads up, or else it is a top one
// (a local maximum of a linear function on a convex set is global), and the top ones are those of a
// face. The edges that cut flat faces into triangles only add to that.
//     Take any vertex s. A vertex with c(v) >= c(s) has h(v) >= c(s) - e, and so has s. These two
// are joined by vertices with h(w) >= c(s) - e, hence with
//     c(w) >= c(s) - 2 e.                                                                    (*)
// A flood from s over the vertices with (*) therefore meets every vertex that is as high as s by
// computed height. If none of them is higher, the first of those that are equally high is the
// vertex that a scan of all finds. If no neighbour of s has (*), that is s. If one is higher, the
// climb goes on from there.
//     In double-double d differs from the d that floods by u |d|, and the heights that decide have
// almost no error. With 4 e in the place of 2 e the same flood meets every vertex whose
// double-double height is at least that of s.
//
// e: a computed height takes three roundings of its terms, |c(v) - h(v)| <= 3.01 u |d|_1 r with r
// the radius of the vertices, and three underflows of half the least number. slack() = 8 u |d|_1 r
// + 8 * least covers 2 e and the roundings of the comparison; for double-double 2 (3.01 + 1) u and
// 2^-100 are covered by 16 u.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "core/math/assert.h"
#include "core/math/double_double.h"
#include "core/math/tolerance.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/support/cell_support.h"
#include "core/support/support.h"
#include "core/support/vertex_scan.h"

namespace clearance::support_search {

// Steps from the start before the hierarchy is used instead: a good start is nearer than that.
inline constexpr int kFewSteps = 6;
inline constexpr int kAnySteps = std::numeric_limits<int>::max();

// A scan costs less than a flood of a triangle if there are fewer vertices than kFloodThreshold,
// and less than a flood of more than one in kScanShare of all, or of more than kMaxTies.
inline constexpr std::uint32_t kFloodThreshold = 128;
inline constexpr std::uint32_t kScanShare = 8;
inline constexpr std::uint32_t kMaxTies = 255;

// Floods that end on a higher vertex before a scan takes over: they come from vertices so near to
// one another that rounding reorders them.
inline constexpr int kMaxFloods = 4;

inline constexpr VertexIndex kNoVertex = std::numeric_limits<VertexIndex>::max();

struct Candidate {
  VertexIndex vertex = kNoVertex;
  double height = -HUGE_VAL;
};

// The hull that is climbed: the shape itself or a layer.
struct Hill {
  const double* x;
  const double* y;
  const double* z;
  const Adjacency& adjacency;
  const std::vector<LongRow>& long_rows;
};

inline Hill HillOf(const ConvexShape& shape) {
  return {shape.x(), shape.y(), shape.z(), shape.adjacency(), shape.climb_graph().long_rows};
}

inline Hill HillOf(const ClimbLayer& layer) {
  return {layer.x.data(), layer.y.data(), layer.z.data(), layer.adjacency, layer.long_rows};
}

struct Direction {
  Direction(const Vec3d& along, double core_radius)
      : d(along),
        length(std::fabs(d.x) + std::fabs(d.y) + std::fabs(d.z)),
        slack(kSupportDeficit *
              (kRoundoff * length * core_radius + std::numeric_limits<double>::denorm_min())) {}

  Vec3d d;
  double length;  // at least |d|
  double slack;   // at least 2 e
};

// The end of a climb, and how far it is above the highest neighbour; a negative lead if the climb
// was cut short.
struct Summit {
  Candidate top;
  double lead;
};

// A hill seen along a direction.
template <class Count>
class Slope {
 public:
  // Keeps references to all but `hill`.
  Slope(const Hill& hill, const Direction& direction, Count* count)
      : hill_(hill), direction_(direction), count_(*count) {}

  Candidate At(VertexIndex i) const {
    count_.Add(1);
    const Vec3d& d = direction_.d;
    return {i, d.x * hill_.x[i] + d.y * hill_.y[i] + d.z * hill_.z[i]};
  }

  // Returns the first of the highest of `size` vertices.
  Candidate Scan(std::uint32_t size) const {
    count_.Add(size);
    const ScannedVertex top = HighestOfAll({hill_.x, hill_.y, hill_.z, size}, direction_.d);
    return {top.vertex, top.height};
  }

  // Steepest ascent: every step strictly raises the height, so it ends.
  Summit Climb(Candidate here, int most_steps) const {
    for (int step = 0;; ++step) {
      const Candidate next = HighestNeighbor(here);
      if (!(next.height > here.height)) return {here, here.height - next.height};
      here = next;
      if (step == most_steps) return {here, -1};
    }
  }

  // Calls visit(neighbor) for every neighbour with a height of at least `floor`, which `visit` may
  // raise, and perhaps for lower ones.
  template <class Visit>
  void VisitNeighbors(VertexIndex vertex, const double& floor, const Visit& visit) const {
    const RowPart row = RowOf(vertex);
    if (IsLong(row)) return VisitLongRow(vertex, row, floor, visit);
    for (std::uint32_t k = row.first; k <= row.last; ++k) visit(Entry(k));
  }

 private:
  // A part of a long row with the heights of its ends.
  struct PartEnds {
    RowPart part;
    Candidate first;
    Candidate last;

    double Height() const { return std::max(first.height, last.height); }
  };

  RowPart RowOf(VertexIndex vertex) const {
    const std::uint32_t* offset = &hill_.adjacency.offsets[vertex];
    return {offset[0], offset[1] - 1};
  }

  static bool IsLong(const RowPart& row) { return row.last - row.first >= kLongRow; }

  // Returns the highest neighbour; nothing or any other one if all are lower than `here` by more
  // than is ever asked for.
  Candidate HighestNeighbor(const Candidate& here) const {
    const RowPart row = RowOf(here.vertex);
    if (IsLong(row)) return HighestOfLongRow(here, row);
    Candidate best;
    for (std::uint32_t k = row.first; k <= row.last; ++k) {
      const Candidate neighbor = Entry(k);
      if (neighbor.height > best.height) best = neighbor;
    }
    return best;
  }

  Candidate HighestOfLongRow(const Candidate& here, const RowPart& row) const {
    Candidate best;
    double floor = here.height - 4 * direction_.slack;
    VisitLongRow(here.vertex, row, floor, [&](const Candidate& neighbor) {
      if (neighbor.height <= best.height) return;
      best = neighbor;
      floor = std::max(floor, best.height);
    });
    return best;
  }

  Candidate Entry(std::uint32_t k) const { return At(hill_.adjacency.neighbors[k]); }

  template <class Visit>
  void VisitLongRow(VertexIndex vertex, const RowPart& row, const double& floor,
                    const Visit& visit) const {
    const auto found =
        std::lower_bound(hill_.long_rows.begin(), hill_.long_rows.end(), vertex,
                         [](const LongRow& a, VertexIndex b) { return a.vertex < b; });
    VisitPart({row, Entry(row.first), Entry(row.last)}, *found, floor, visit);
  }

  // Visits the higher half first, and nothing of a part whose bound says that all of it is below
  // the floor. Twice the slack is for the two ends and for the bound itself.
  template <class Visit>
  void VisitPart(const PartEnds& ends, const LongRow& row, const double& floor,
                 const Visit& visit) const {
    const RowPart& part = ends.part;
    const double reach = row.sag[part.number] * direction_.length + 2 * direction_.slack;
    if (ends.Height() + reach < floor) return;
    if (part.IsLeaf()) {
      visit(ends.first);
      for (std::uint32_t k = part.first + 1; k < part.last; ++k) visit(Entry(k));
      visit(ends.last);
      return;
    }
    const RowPart left = part.FirstHalf();
    const RowPart right = part.SecondHalf();
    const PartEnds halves[] = {{left, ends.first, Entry(left.last)},
                               {right, Entry(right.first), ends.last}};
    const bool is_left_higher = halves[0].Height() > halves[1].Height();
    VisitPart(halves[is_left_higher ? 0 : 1], row, floor, visit);
    VisitPart(halves[is_left_higher ? 1 : 0], row, floor, visit);
  }

  const Hill hill_;
  const Direction& direction_;
  Count& count_;
};

// Vertices in the order in which they were met, each once.
class TieSet {
 public:
  explicit TieSet(std::uint32_t most) : most_(most) { slots_.fill(0); }

  // False if there is no room.
  bool Add(VertexIndex vertex) {
    std::uint32_t slot = vertex * kMultiplier >> (32 - kSlotBits);
    while (slots_[slot] != 0) {
      if (members_[slots_[slot] - 1U] == vertex) return true;
      slot = (slot + 1) % kSlots;
    }
    if (size_ == most_) return false;
    members_[size_++] = vertex;
    slots_[slot] = static_cast<std::uint8_t>(size_);
    return true;
  }

  std::uint32_t size() const { return size_; }
  VertexIndex operator[](std::uint32_t i) const { return members_[i]; }

 private:
  static constexpr int kSlotBits = 9;
  static constexpr std::uint32_t kSlots = 1U << kSlotBits;
  static constexpr std::uint32_t kMultiplier = 2654435769;  // Knuth: 2^32 over the golden ratio
  static_assert(kSlots > kMaxTies && kMaxTies <= std::numeric_limits<std::uint8_t>::max());

  const std::uint32_t most_;
  std::uint32_t size_ = 0;
  std::array<VertexIndex, kMaxTies> members_;
  std::array<std::uint8_t, kSlots> slots_;  // number of the member + 1
};

// The first of the highest that were offered.
template <class T>
struct FirstHighest {
  VertexIndex vertex = kNoVertex;
  T height{};

  void Offer(VertexIndex candidate, const T& candidate_height) {
    if (vertex != kNoVertex && candidate_height < height) return;
    if (vertex != kNoVertex && candidate_height == height && candidate > vertex) return;
    vertex = candidate;
    height = candidate_height;
  }
};

// The search of one support. T is double or DoubleDouble; count->Add(n) is told of n dot products.
template <class T, class Count>
class Search {
 public:
  // Keeps references.
  Search(const ConvexShape& shape, const Vec3<T>& d, Count* count)
      : shape_(shape),
        d_(d),
        direction_(ToDouble(d), shape.core_radius()),
        margin_(sizeof(T) == sizeof(double) ? direction_.slack : 2 * direction_.slack),
        slope_(HillOf(shape), direction_, count),
        count_(*count) {}

  VertexIndex Scan() const {
    const Candidate top = slope_.Scan(shape_.vertex_count());
    if constexpr (sizeof(T) == sizeof(double)) return top.vertex;
    FirstHighest<T> best;
    for (VertexIndex i = 0; i < shape_.vertex_count(); ++i) {
      if (slope_.At(i).height >= top.height - margin_) best.Offer(i, Height(i));
    }
    return best.vertex;
  }

  // Looks at the candidates of the direction's cell. If it has none, climbs.
  VertexIndex Find(VertexIndex start) const {
    if (!shape_.has_adjacency()) return Scan();
    const absl::Span<const VertexIndex> candidates = CellCandidates(shape_, direction_.d);
    if (candidates.empty()) return Finish(Approach(start));
    count_.Add(candidates.size());
    return HighestOf(candidates, shape_, d_);
  }

  // The parts of a climb: where it may begin, and how it ends from where it came to.
  const Slope<Count>& slope() const { return slope_; }

  VertexIndex CubeStart() const {
    const CubeMap& map = shape_.climb_graph().cube_map;
    return map.vertex[map.CellOf(direction_.d)];
  }

  // Descends from the coarsest layer to a vertex of the shape. Requires: there are layers.
  Candidate Descend() const {
    CLEARANCE_ASSERT(!layers().empty());
    const ClimbLayer& coarsest = layers().back();
    const auto size = static_cast<std::uint32_t>(coarsest.x.size());
    Candidate top = Slope<Count>(HillOf(coarsest), direction_, &count_).Scan(size);
    for (std::size_t k = layers().size() - 1; k > 0; --k) {
      top.vertex = layers()[k].below[top.vertex];
      const Slope<Count> finer(HillOf(layers()[k - 1]), direction_, &count_);
      top = finer.Climb(top, kAnySteps).top;
    }
    top.vertex = layers()[0].below[top.vertex];
    return top;
  }

  VertexIndex Finish(Summit summit) const {
    for (int flood = 0; flood < kMaxFloods; ++flood) {
      if (summit.lead > margin_) return summit.top.vertex;
      if (shape_.vertex_count() < kFloodThreshold) break;
      Candidate higher;
      const std::optional<VertexIndex> first = Flood(summit.top, &higher);
      if (first) return *first;
      if (higher.vertex == kNoVertex) break;
      summit = slope_.Climb(higher, kAnySteps);
    }
    return Scan();
  }

 private:
  T Height(VertexIndex i) const {
    count_.Add(1);
    return Dot(d_, To<T>(shape_.vertex(i)));
  }

  // A few steps from the higher of the start and the cube map's vertex, then the hierarchy.
  Summit Approach(VertexIndex start) const {
    Candidate foot = slope_.At(CubeStart());
    const Candidate hint = slope_.At(start);
    if (hint.height > foot.height) foot = hint;
    const Summit near = slope_.Climb(foot, layers().empty() ? kAnySteps : kFewSteps);
    if (near.lead >= 0) return near;
    const Candidate other = Descend();
    return slope_.Climb(other.height > near.top.height ? other : near.top, kAnySteps);
  }

  // Returns the scan's vertex by (*); nothing if a vertex is higher than the summit, or if the ties
  // are too many.
  std::optional<VertexIndex> Flood(const Candidate& summit, Candidate* higher) const {
    TieSet ties(std::min(kMaxTies, shape_.vertex_count() / kScanShare));
    const double floor = summit.height - margin_;
    bool has_room = ties.Add(summit.vertex);
    FirstHighest<T> best;
    for (std::uint32_t i = 0; i < ties.size(); ++i) {
      best.Offer(ties[i], Height(ties[i]));
      slope_.VisitNeighbors(ties[i], floor, [&](const Candidate& neighbor) {
        if (neighbor.height > higher->height) *higher = neighbor;
        if (neighbor.height >= floor && has_room) has_room = ties.Add(neighbor.vertex);
      });
      if (higher->height > summit.height) return std::nullopt;
      if (!has_room) break;
    }
    *higher = {};
    if (!has_room) return std::nullopt;
    return best.vertex;
  }

  const std::vector<ClimbLayer>& layers() const { return shape_.climb_graph().layers; }

  const ConvexShape& shape_;
  const Vec3<T>& d_;
  const Direction direction_;
  const double margin_;  // how far below the summit a flood must go: 2 e, or 4 e
  const Slope<Count> slope_;
  Count& count_;
};

}  // namespace clearance::support_search

// SPDX-License-Identifier: Apache-2.0
//
// Searches of many pairs side by side, one in a lane, from support point to support point: what
// those of gjk_batch.cc and portal_batch.cc share. How to include it: core/math/lanes-inl.h.

#if defined(CLEARANCE_CORE_NARROW_LANE_SEARCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_NARROW_LANE_SEARCH_INL_H_
#undef CLEARANCE_CORE_NARROW_LANE_SEARCH_INL_H_
#else
#define CLEARANCE_CORE_NARROW_LANE_SEARCH_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "core/math/lanes-inl.h"
#include "core/shape/convex_shape.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A vertex of A - B of every lane: the difference and the names of its vertices. The names are
// spared if they are not needed.
template <class L, bool kIsNamed>
struct LaneCorner {
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  struct Row {
    typename L::Row3 w;
    typename L::Row a, b;
  };

  V3 w;
  V a, b;

  static LaneCorner Unnamed(const V3& w) { return {w, L::Set(0), L::Set(0)}; }
  static LaneCorner Load(const Row& row) {
    if constexpr (!kIsNamed) return Unnamed(L::Load(row.w));
    return {L::Load(row.w), L::Load(row.a), L::Load(row.b)};
  }
  void Store(Row* row) const {
    L::Store(w, &row->w);
    if constexpr (!kIsNamed) return;
    L::Store(a, &row->a);
    L::Store(b, &row->b);
  }
  static LaneCorner Select(Mask mask, const LaneCorner& yes, const LaneCorner& no) {
    if constexpr (!kIsNamed) return Unnamed(L::Select(mask, yes.w, no.w));
    return {L::Select(mask, yes.w, no.w), L::Select(mask, yes.a, no.a),
            L::Select(mask, yes.b, no.b)};
  }
};

// The shape A, or B, of every lane.
template <class L>
struct LaneSide {
  using V3 = typename L::V3;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;

  const ConvexShape* shape[L::kSize];
  bool is_box[L::kSize];
  VertexIndex last[L::kSize];  // of other shapes, where a climb begins
  Row3 half;                   // of boxes: the coordinates of the corner that has no negative one
  Row scale;
  Row3 d;      // where the newest corner is looked for, axes of the shape
  Row3 point;  // the newest corner, normalised
  Row newest;  // its name: of a box its octant, else its vertex

  // BoxCorners::Towards of all lanes; in lanes without a box the result is not used.
  template <bool kIsNamed>
  void FindBoxCorners() {
    const V3 along = L::Load(d), corner = L::Load(half);
    const auto zero = L::Set(0);
    const auto x = hn::Gt(along.x, zero), y = hn::Gt(along.y, zero), z = hn::Gt(along.z, zero);
    L::Store({L::Select(x, corner.x, hn::Neg(corner.x)), L::Select(y, corner.y, hn::Neg(corner.y)),
              L::Select(z, corner.z, hn::Neg(corner.z))},
             &point);
    if constexpr (!kIsNamed) return;
    const auto octant =
        hn::Add(hn::IfThenElseZero(x, L::Set(1)),
                hn::Add(hn::IfThenElseZero(y, L::Set(2)), hn::IfThenElseZero(z, L::Set(4))));
    L::Store(octant, &newest);
  }

  // The vertex of such a name.
  VertexIndex VertexOf(std::size_t lane, const Row& names) const {
    const auto name = static_cast<std::uint32_t>(names.at[lane]);
    return is_box[lane] ? shape[lane]->box_corners().vertex[name] : name;
  }
};

// The differences of the newest corners. B's axes are the rows of R_BA.
template <class L>
typename L::V3 NewestDifference(const LaneSide<L>& a, const LaneSide<L>& b,
                                const typename L::Row3* R_BA, const typename L::Row3& p_AB) {
  using V3 = typename L::V3;
  const V3 a_A = L::Times(L::Load(a.scale), L::Load(a.point));
  const V3 b_B = L::Times(L::Load(b.scale), L::Load(b.point));
  const V3 x = L::Times(b_B.x, L::Load(R_BA[0]));
  const V3 y = L::Times(b_B.y, L::Load(R_BA[1]));
  const V3 z = L::Times(b_B.z, L::Load(R_BA[2]));
  return L::Sub(a_A, L::Add(L::Add(L::Add(x, y), z), L::Load(p_AB)));
}

// Tasks that no group has begun yet.
template <class Task, class Found>
struct LaneQueue {
  absl::Span<const Task> tasks;
  absl::Span<Found> found;
  std::size_t next = 0;
};

template <class Group, class Queue>
void RunOneGroup(Queue queue) {
  Group group(&queue);
  while (group.IsActive()) {
    group.FindCorners();
    group.TakeCorners();
  }
}

// One group computes while the other waits.
template <class Group, class Queue>
void RunTwoGroups(Queue queue) {
  Group first(&queue), second(&queue);
  while (first.IsActive() || second.IsActive()) {
    if (first.IsActive()) first.FindCorners();
    if (second.IsActive()) second.FindCorners();
    if (first.IsActive()) first.TakeCorners();
    if (second.IsActive()) second.TakeCorners();
  }
}

// Runs groups of as many tasks as there are lanes, each on the next of the queue when one ends. A
// single task has its lane to itself: no vector waits for numbers that are written one by one.
template <template <class> class Group, class Queue>
void RunGroups(Queue queue) {
  using Wide = Lanes<8>;
  constexpr std::size_t kFewTasks = 2;
  if (queue.tasks.size() <= kFewTasks) return RunOneGroup<Group<Lanes<1>>>(queue);
  if (queue.tasks.size() <= Wide::kSize) return RunOneGroup<Group<Wide>>(queue);
  RunTwoGroups<Group<Wide>>(queue);
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_NARROW_LANE_SEARCH_INL_H_

// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/portal_batch.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/math/assert.h"
#include "core/math/tolerance.h"
#include "core/support/support.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/portal_batch.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "core/narrow/lane_search-inl.h"
#include "core/support/block_scan-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// The role of the vertex that is looked for next: the portal's first or second one, a third around
// the ray, one beyond the portal, and the same with care. Or how a cast has ended. In a lane
// without a ray there is nothing to be found.
constexpr double kNothing = -1, kFirst = 0, kSecond = 1, kAround = 2, kBeyond = 3, kHighest = 4;
constexpr double kInFace = 5, kMissed = 6, kLost = 7;

using PortalQueue = LaneQueue<PortalTask, PortalResult>;

// As many rays at once as there are lanes; when one ends the next of the queue begins.
template <class L>
class PortalGroup {
 public:
  // Keeps a reference.
  explicit PortalGroup(PortalQueue* queue) : queue_(*queue) {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) Refill(lane);
  }

  bool IsActive() const { return active_ > 0; }

  // One step after the other, each for all rays.
  void FindCorners() {
    Aim();
    a_.template FindBoxCorners<true>();
    b_.template FindBoxCorners<true>();
    if (scanned_ == 0) return;
    MeasureDirection(&a_);
    MeasureDirection(&b_);
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      if (task_[lane] == kIdle || !IsScanned(lane)) continue;
      FindCorner(lane, &a_);
      FindCorner(lane, &b_);
    }
  }
  void TakeCorners() {
    if (Step()) ConcludeEnded();
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;

  static constexpr std::size_t kIdle = std::numeric_limits<std::size_t>::max();

  using Corner = LaneCorner<L, true>;
  using CornerRow = typename Corner::Row;

  struct Side : LaneSide<L> {
    Row fits;  // not 0: single precision has room for d
  };

  // Sets numbers that do no harm, so that an idle lane costs nothing but its room.
  void Clear(std::size_t lane) {
    task_[lane] = kIdle;
    phase_.at[lane] = kNothing;
    for (Row3* row : {&ray_, &along_, &p_AB_, &R_BA_[0], &R_BA_[1], &R_BA_[2], &p_.w, &q_.w, &r_.w})
      row->Set(lane, {});
    for (Row* row : {&steps_, &noise_sq_, &is_boxes_}) row->at[lane] = 0;
    for (Side* side : {&a_, &b_}) {
      side->is_box[lane] = true;
      side->scale.at[lane] = 1;
      side->newest.at[lane] = 0;
      side->half.Set(lane, {});
      side->point.Set(lane, {});
    }
  }

  static void SetShape(std::size_t lane, const ConvexShape& shape, double scale, Side* side) {
    const BoxCorners& corners = shape.box_corners();
    side->shape[lane] = &shape;
    side->is_box[lane] = corners.is_box;
    side->last[lane] = 0;
    side->scale.at[lane] = scale;
    side->half.Set(lane, corners.is_box ? corners.half : Vec3d{});
  }
  bool IsScanned(std::size_t lane) const { return !a_.is_box[lane] || !b_.is_box[lane]; }

  void Refill(std::size_t lane) {
    for (; queue_.next < queue_.tasks.size(); ++queue_.next) {
      const PortalTask& task = queue_.tasks[queue_.next];
      const double length = Norm(task.ray_A);
      if (length > 0) return Begin(lane, *task.difference, length);
      queue_.found[queue_.next].end = PortalResult::End::kUnknown;
    }
    Clear(lane);
  }

  void Begin(std::size_t lane, const MinkowskiDifference<double>& difference, double length) {
    const ShapePair& pair = difference.pair();
    const Vec3d& ray_A = queue_.tasks[queue_.next].ray_A;
    const double noise = kPortalNoise * kRoundoff * difference.extent();
    SetShape(lane, pair.a, pair.scale_a, &a_);
    SetShape(lane, pair.b, pair.scale_b, &b_);
    ray_.Set(lane, ray_A);
    along_.Set(lane, (1 / length) * ray_A);
    noise_sq_.at[lane] = noise * noise;
    p_AB_.Set(lane, difference.placement().p_AB);
    R_BA_[0].Set(lane, difference.rotation_BA().row_x);
    R_BA_[1].Set(lane, difference.rotation_BA().row_y);
    R_BA_[2].Set(lane, difference.rotation_BA().row_z);
    phase_.at[lane] = kFirst;
    steps_.at[lane] = 0;
    is_boxes_.at[lane] = difference.HasBoxesOnly() ? 1 : 0;
    ++active_;
    scanned_ += IsScanned(lane) ? 1 : 0;
    task_[lane] = queue_.next++;
  }

  Mask IsIn(double phase) const { return hn::Eq(L::Load(phase_), L::Set(phase)); }

  // Sets the directions in which the next corners are looked for.
  void Aim() {
    const V3 p = L::Load(p_.w), q = L::Load(q_.w), r = L::Load(r_.w);
    const V3 along = L::Load(along_);
    const V3 edge = L::Sub(q, p);
    // The normal of a portal that is whole.
    V3 d = L::Cross(L::Sub(r, p), edge);
    d = L::Select(IsIn(kAround), L::Cross(along, edge), d);
    d = L::Select(IsIn(kSecond), L::Sub(L::Times(L::Dot(p, along), along), p), d);
    d = L::Select(IsIn(kFirst), L::Load(p_AB_), d);
    L::Store(d, &a_.d);
    L::Store({hn::Neg(L::Dot(L::Load(R_BA_[0]), d)), hn::Neg(L::Dot(L::Load(R_BA_[1]), d)),
              hn::Neg(L::Dot(L::Load(R_BA_[2]), d))},
             &b_.d);
  }

  // As RoughSupportVertex does.
  static void MeasureDirection(Side* side) {
    const V3 d = L::Load(side->d);
    const V size = hn::Add(hn::Add(hn::Abs(d.x), hn::Abs(d.y)), hn::Abs(d.z));
    const Mask fits =
        hn::And(hn::Gt(size, L::Set(kMinFloatDirection)), hn::Lt(size, L::Set(kMaxFloatDirection)));
    L::StoreMask(fits, &side->fits);
  }

  HWY_INLINE void FindCorner(std::size_t lane, Side* side) {
    const bool is_careful = phase_.at[lane] == kHighest;
    if (side->is_box[lane] && !is_careful) return;
    const ConvexShape& shape = *side->shape[lane];
    const VertexIndex found = is_careful ? SupportVertex(shape, side->d.Get(lane), side->last[lane])
                                         : RoughSupport(lane, *side);
    const Vec3d point = shape.vertex(found);
    side->last[lane] = found;
    side->point.Set(lane, point);
    side->newest.at[lane] =
        side->is_box[lane] ? static_cast<double>(BoxCorners::Octant(point)) : found;
  }

  // RoughSupportVertex of a shape that is not a box.
  static HWY_INLINE VertexIndex RoughSupport(std::size_t lane, const Side& side) {
    const ConvexShape& shape = *side.shape[lane];
    const Vec3d d = side.d.Get(lane);
    if (shape.vertex_count() == 1) return 0;
    const bool is_scanned = !shape.scan_blocks().empty() && side.fits.at[lane] != 0;
    return is_scanned ? HighestInFloats(shape, d) : SupportVertex(shape, d, side.last[lane]);
  }

  // MinkowskiDifference::At of the newest corners.
  Corner Newest() const {
    const V3 w = NewestDifference<L>(a_, b_, R_BA_, p_AB_);
    return {w, L::Load(a_.newest), L::Load(b_.newest)};
  }

  // Twice the signed area of the triangle that p and q make with the ray, as portal.cc has it.
  static HWY_INLINE V Area(const V3& along, const V3& p, const V3& q) {
    return L::Dot(along, L::Cross(p, L::Sub(q, p)));
  }

  struct Portal {
    Corner p, q, r;
    V phase, steps;
  };

  // Takes the newest corner into the portals. Returns whether a cast has ended.
  bool Step() {
    const Corner w = Newest();
    const V3 d = L::Load(a_.d);
    const V height = L::Dot(d, w.w);
    const Mask is_careful = IsIn(kHighest);
    const Mask is_past =
        hn::Not(hn::Or(hn::Ge(height, L::Set(0)), hn::Le(L::Dot(d, L::Load(ray_)), height)));
    const Mask is_missed = hn::AndNot(is_careful, is_past);
    Portal portal = {Corner::Load(p_), Corner::Load(q_), Corner::Load(r_), L::Load(phase_),
                     L::Load(steps_)};
    const Mask is_portal = hn::Or(IsIn(kBeyond), is_careful);
    const Mask is_finding =
        hn::And(hn::Ge(portal.phase, L::Set(kFirst)), hn::Lt(portal.phase, L::Set(kBeyond)));
    if (!L::IsNowhere(is_finding)) Find(w, height, &portal);
    if (!L::IsNowhere(is_portal)) Refine(w, d, is_portal, &portal);
    const V limit = L::Set(kMaxPortalSteps);
    portal.phase = L::Select(hn::Ge(portal.steps, limit), L::Set(kLost), portal.phase);
    portal.phase = L::Select(is_missed, L::Set(kMissed), portal.phase);
    portal.p.Store(&p_);
    portal.q.Store(&q_);
    portal.r.Store(&r_);
    L::Store(portal.phase, &phase_);
    L::Store(portal.steps, &steps_);
    return !hn::AllTrue(L::kTag, hn::Le(portal.phase, L::Set(kHighest)));
  }

  // Does with a vertex the same as FindPortal.
  HWY_INLINE void Find(const Corner& w, V height, Portal* portal) const {
    const V zero = L::Set(0), one = L::Set(1);
    const V3 along = L::Load(along_);
    const Corner p = portal->p, q = portal->q;
    const Mask is_first = IsIn(kFirst), is_second = IsIn(kSecond), is_around = IsIn(kAround);
    const Mask turns_right = hn::Lt(Area(along, p.w, w.w), zero);
    const Mask is_swapped = hn::And(is_second, turns_right);
    const Mask is_left = hn::Gt(height, zero);
    const Mask is_past_q = hn::And(is_around, hn::Lt(Area(along, q.w, w.w), zero));
    const Mask is_past_p =
        hn::AndNot(is_past_q, hn::And(is_around, hn::Lt(Area(along, w.w, p.w), zero)));
    portal->p = Corner::Select(hn::Or(is_first, hn::Or(is_swapped, is_past_q)), w, p);
    portal->q = Corner::Select(is_swapped, p, Corner::Select(hn::Or(is_second, is_past_p), w, q));
    portal->r = Corner::Select(is_around, w, portal->r);
    const Mask goes_on = hn::Or(is_past_q, is_past_p);
    portal->phase = L::Select(is_first, L::Set(kSecond), portal->phase);
    portal->phase = L::Select(is_second, L::Set(kAround), portal->phase);
    portal->phase = L::Select(hn::AndNot(goes_on, is_around), L::Set(kBeyond), portal->phase);
    portal->phase = L::Select(hn::AndNot(is_left, is_around), L::Set(kLost), portal->phase);
    portal->steps = L::Select(is_around, hn::Add(portal->steps, one), portal->steps);
    portal->steps = L::Select(hn::AndNot(goes_on, is_around), zero, portal->steps);
  }

  // Does with a vertex the same as Refine.
  HWY_INLINE void Refine(const Corner& w, const V3& n, Mask is_portal, Portal* portal) const {
    const V zero = L::Set(0), one = L::Set(1);
    const V3 along = L::Load(along_);
    const V gain = L::Dot(n, L::Sub(w.w, portal->p.w));
    const V least_sq = hn::Mul(L::Load(noise_sq_), L::Dot(n, n));
    const Mask is_beyond =
        hn::And(is_portal, hn::And(hn::Gt(gain, zero), hn::Gt(hn::Mul(gain, gain), least_sq)));
    const V of_p = Area(along, w.w, portal->p.w);
    const V of_q = Area(along, w.w, portal->q.w);
    const V of_r = Area(along, w.w, portal->r.w);
    const Mask is_for_r = hn::And(hn::Ge(of_p, zero), hn::Le(of_q, zero));
    const Mask is_for_p = hn::AndNot(is_for_r, hn::And(hn::Ge(of_q, zero), hn::Le(of_r, zero)));
    const Mask is_for_q = hn::Not(hn::Or(is_for_r, is_for_p));
    portal->p = Corner::Select(hn::And(is_beyond, is_for_p), w, portal->p);
    portal->q = Corner::Select(hn::And(is_beyond, is_for_q), w, portal->q);
    portal->r = Corner::Select(hn::And(is_beyond, is_for_r), w, portal->r);
    const Mask is_done = hn::Or(IsIn(kHighest), hn::Ne(L::Load(is_boxes_), zero));
    const V end = L::Select(is_done, L::Set(kInFace), L::Set(kHighest));
    portal->phase = L::Select(hn::AndNot(is_beyond, is_portal), end, portal->phase);
    portal->phase = L::Select(is_beyond, L::Set(kBeyond), portal->phase);
    portal->steps = L::Select(is_beyond, hn::Add(portal->steps, one), portal->steps);
  }

  void ConcludeEnded() {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      if (task_[lane] != kIdle && phase_.at[lane] > kHighest) Conclude(lane);
    }
  }

  // Writes the result of a cast that has ended.
  void Conclude(std::size_t lane) {
    const PortalTask& task = queue_.tasks[task_[lane]];
    PortalResult& cast = queue_.found[task_[lane]];
    cast.end = PortalResult::End::kUnknown;
    if (phase_.at[lane] == kMissed) {
      cast.end = PortalResult::End::kMiss;
      cast.n_A = a_.d.Get(lane);
    } else if (phase_.at[lane] == kInFace) {
      const ShapePair& pair = task.difference->pair();
      SetVertex(lane, pair, p_, &cast.vertex[0]);
      SetVertex(lane, pair, q_, &cast.vertex[1]);
      SetVertex(lane, pair, r_, &cast.vertex[2]);
      const bool is_inside = WeighPortal(along_.Get(lane), task.difference->extent(), &cast);
      if (is_inside) cast.end = PortalResult::End::kFacet;
    }
    task.difference->StartAt(a_.last[lane], b_.last[lane]);
    --active_;
    scanned_ -= IsScanned(lane) ? 1 : 0;
    Refill(lane);
  }

  void SetVertex(std::size_t lane, const ShapePair& pair, const CornerRow& corner,
                 MinkowskiVertex<double>* vertex) const {
    vertex->w = corner.w.Get(lane);
    vertex->a = a_.VertexOf(lane, corner.a);
    vertex->b = b_.VertexOf(lane, corner.b);
    vertex->p_A = pair.scale_a * pair.a.vertex(vertex->a);
    vertex->is_swept = false;
  }

  PortalQueue& queue_;
  std::size_t active_ = 0;
  std::size_t scanned_ = 0;  // lanes with a shape that is not a box

  // For every lane: the pair and its ray, and the state of its cast.
  std::size_t task_[L::kSize];
  Side a_ = {}, b_ = {};
  Row3 ray_, along_;
  Row noise_sq_, is_boxes_;
  Row3 R_BA_[3];
  Row3 p_AB_;
  CornerRow p_ = {}, q_ = {}, r_ = {};
  Row phase_, steps_;
};

void SearchPortalsHere(absl::Span<const PortalTask> tasks, absl::Span<PortalResult> casts) {
  RunGroups<PortalGroup>(PortalQueue{tasks, casts});
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {
HWY_EXPORT(SearchPortalsHere);
}  // namespace

void SearchPortals(absl::Span<const PortalTask> tasks, absl::Span<PortalResult> casts) {
  CLEARANCE_ASSERT(tasks.size() == casts.size());
  HWY_DYNAMIC_DISPATCH(SearchPortalsHere)(tasks, casts);
}

}  // namespace clearance

#endif  // HWY_ONCE

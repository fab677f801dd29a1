// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/gjk_batch.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "core/math/assert.h"
#include "core/math/tolerance.h"
#include "core/support/support.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/gjk_batch.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "core/narrow/lane_search-inl.h"
#include "core/narrow/lane_simplex-inl.h"
#include "core/support/block_scan-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// The state of a pair in its lane: one of FeatureGuess::End, or not ended yet.
constexpr double kGoesOn = -1;
constexpr double Code(FeatureGuess::End end) { return static_cast<double>(end); }

// Returns the highest vertex of a shape that is not a box.
inline VertexIndex Support(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  return shape.scan_blocks().empty() ? SupportVertex(shape, d, start) : HighestInFloats(shape, d);
}

// The parts of a task that a search reads.
struct SearchedPair {
  const ConvexShape& a;
  const ConvexShape& b;
  double scale_a, scale_b;
  const Mat3<double>& R_AB;
  const Vec3d& p_AB;
  double extent;
  double stop_above;
  const ShapePair* paced;  // null: no clock is looked at
};
inline SearchedPair PairOf(const GuessTask& task) {
  const ShapePair& pair = task.difference->pair();
  const Placement<double>& placement = task.difference->placement();
  return {pair.a,
          pair.b,
          pair.scale_a,
          pair.scale_b,
          placement.R_AB,
          placement.p_AB,
          task.difference->extent(),
          task.stop_above,
          pair.pacer == nullptr ? nullptr : &pair};
}
inline SearchedPair PairOf(const SignTask& task) {
  return {*task.a,   *task.b,     task.scale_a,    task.scale_b, task.R_AB,
          task.p_AB, task.extent, task.stop_above, nullptr};
}

// As many pairs at once as there are lanes; when one ends the next of the queue begins.
template <class L, class Task, class Found>
class GjkGroup {
 public:
  // Keeps a reference.
  explicit GjkGroup(LaneQueue<Task, Found>* queue) : queue_(*queue) {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) Refill(lane);
  }

  bool IsActive() const { return active_ > 0; }

  // One step after the other, each for all pairs.
  void FindCorners() {
    Aim();
    a_.template FindBoxCorners<!kIsForSign>();
    b_.template FindBoxCorners<!kIsForSign>();
    if (scanned_ == 0) return;
    VisitActive([this](std::size_t lane) {
      FindCorner(lane, &a_);
      FindCorner(lane, &b_);
    });
  }
  void TakeCorners() {
    const bool has_stopped = paced_count_ > 0 && HasStopped();
    if (!Step() && !has_stopped) return;
    VisitActive([this](std::size_t lane) { Conclude(lane); });
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;
  using End = FeatureGuess::End;

  // True if only the sign of the distance is looked for.
  static constexpr bool kIsForSign = std::is_same_v<Found, SignGuess>;

  static constexpr std::size_t kIdle = std::numeric_limits<std::size_t>::max();
  static constexpr int kCorners = 3;  // a fourth ends the search

  using Corner = LaneCorner<L, !kIsForSign>;
  using Side = LaneSide<L>;

  template <class Visit>
  void VisitActive(Visit visit) {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      if (task_[lane] != kIdle) visit(lane);
    }
  }

  // Sets numbers that do no harm, so that an idle lane costs nothing but its room.
  void Clear(std::size_t lane) {
    task_[lane] = kIdle;
    paced_[lane] = nullptr;
    v_.Set(lane, {1, 0, 0});
    for (Row3& row : R_BA_) row.Set(lane, {});
    p_AB_.Set(lane, {});
    for (Side* side : {&a_, &b_}) {
      side->scale.at[lane] = 1;
      side->half.Set(lane, {});
      side->point.Set(lane, {});
      side->newest.at[lane] = 0;
    }
    for (Row* row : {&extent_, &distance_sq_}) row->at[lane] = 1;
    for (Row* row : {&size_, &is_cold_, &least_sq_, &stop_above_, &steps_}) row->at[lane] = 0;
  }

  static void SetShape(std::size_t lane, const ConvexShape& shape, double scale, Side* side) {
    const BoxCorners& corners = shape.box_corners();
    side->shape[lane] = &shape;
    side->is_box[lane] = corners.is_box;
    side->last[lane] = 0;
    side->scale.at[lane] = scale;
    side->half.Set(lane, corners.is_box ? PointOf(shape, corners.Towards({1, 1, 1})) : Vec3d{});
  }
  bool IsScanned(std::size_t lane) const { return !a_.is_box[lane] || !b_.is_box[lane]; }

  void Refill(std::size_t lane) {
    if (queue_.next == queue_.tasks.size()) return Clear(lane);
    ++active_;
    const SearchedPair pair = PairOf(queue_.tasks[queue_.next]);
    SetShape(lane, pair.a, pair.scale_a, &a_);
    SetShape(lane, pair.b, pair.scale_b, &b_);
    scanned_ += IsScanned(lane) ? 1 : 0;
    paced_[lane] = pair.paced;
    paced_count_ += pair.paced == nullptr ? 0 : 1;
    const Mat3<double> R_BA = Transpose(pair.R_AB);
    R_BA_[0].Set(lane, R_BA.row_x);
    R_BA_[1].Set(lane, R_BA.row_y);
    R_BA_[2].Set(lane, R_BA.row_z);
    p_AB_.Set(lane, pair.p_AB);
    extent_.at[lane] = pair.extent;
    least_sq_.at[lane] = kGuessNearest * kGuessNearest * pair.extent * pair.extent;
    stop_above_.at[lane] = pair.stop_above;
    // Cold: from the side of A that looks towards B.
    Vec3d towards_a = -pair.p_AB;
    if (!(NormSquared(towards_a) > least_sq_.at[lane])) towards_a = {1, 0, 0};
    v_.Set(lane, towards_a);
    distance_sq_.at[lane] = NormSquared(towards_a);
    is_cold_.at[lane] = 1;
    size_.at[lane] = 0;
    steps_.at[lane] = 0;
    task_[lane] = queue_.next++;
  }

  // Tells the pacers of this step. Returns whether one has stopped.
  bool HasStopped() const {
    bool has_stopped = false;
    for (const ShapePair* const pair : paced_) {
      if (pair == nullptr) continue;
      pair->SpendSearch();
      has_stopped = has_stopped || pair->HasStopped();
    }
    return has_stopped;
  }

  // Sets the directions in which the next corners are looked for.
  void Aim() {
    const V over_norm = hn::Div(L::Set(1), hn::Sqrt(L::Load(distance_sq_)));
    const V3 towards_a = L::Times(over_norm, L::Load(v_));
    L::Store(L::Times(L::Set(-1), towards_a), &a_.d);
    L::Store({L::Dot(L::Load(R_BA_[0]), towards_a), L::Dot(L::Load(R_BA_[1]), towards_a),
              L::Dot(L::Load(R_BA_[2]), towards_a)},
             &b_.d);
  }

  static void FindCorner(std::size_t lane, Side* side) {
    if (side->is_box[lane]) return;
    const ConvexShape& shape = *side->shape[lane];
    const VertexIndex highest = Support(shape, side->d.Get(lane), side->last[lane]);
    side->last[lane] = highest;
    side->point.Set(lane, PointOf(shape, highest));
    if constexpr (kIsForSign) return;
    side->newest.at[lane] = highest;
  }

  // For the sign single precision is enough, and the scan has just read it.
  static Vec3d PointOf(const ConvexShape& shape, VertexIndex i) {
    if constexpr (kIsForSign) {
      if (!shape.scan_blocks().empty()) {
        return shape.scan_blocks()[i / ScanBlock::kSize].vertex(i % ScanBlock::kSize);
      }
    }
    return shape.vertex(i);
  }

  Corner Newest() const {
    const V3 w = NewestDifference(a_, b_, R_BA_, p_AB_);
    if constexpr (kIsForSign) return Corner::Unnamed(w);
    return {w, L::Load(a_.newest), L::Load(b_.newest)};
  }

  // Takes the newest corner into the simplexes, or tells why not. Returns whether a search has
  // ended.
  bool Step() {
    const Corner newest = Newest();
    const V size = L::Load(size_);
    Corner corner[kCorners];
    V3 points[kCorners];
    Mask has[kCorners];
    Mask is_known = L::Nowhere();
    for (int i = 0; i < kCorners; ++i) {
      corner[i] = Corner::Load(corners_[i]);
      points[i] = corner[i].w;
      has[i] = hn::Gt(size, L::Set(i));
      is_known = hn::Or(is_known, hn::And(has[i], L::IsEqual(points[i], newest.w)));
    }
    const V distance_sq = L::Load(distance_sq_);
    const V height = L::Dot(L::Load(v_), newest.w);
    const Mask is_cold = hn::Gt(L::Load(is_cold_), L::Set(0));
    const V stop_height = hn::Mul(L::Load(stop_above_), hn::Sqrt(distance_sq));
    // While it is cold, v is not a point of A - B, but still a direction.
    const Mask is_above = hn::Gt(height, stop_height);
    Mask is_beyond = is_above;
    if constexpr (!kIsForSign) is_beyond = hn::AndNot(is_cold, is_above);
    const Mask is_closed = hn::Ge(height, hn::Mul(L::Set(1 - kGuessGap), distance_sq));
    const LaneSimplex<L> next(newest.w, points, has);
    const Mask is_nearer = hn::Or(hn::Lt(next.distance_sq(), distance_sq), next.encloses());
    const Mask is_nearest =
        hn::AndNot(is_cold, hn::Or(hn::Or(is_known, is_closed), hn::Not(is_nearer)));
    V end = L::Set(kGoesOn);
    const Mask is_lost = hn::Le(next.distance_sq(), L::Load(least_sq_));
    end = L::Select(is_lost, L::Set(Code(End::kLost)), end);
    end = L::Select(next.encloses(), L::Set(Code(End::kEncloses)), end);
    end = L::Select(is_nearest, L::Set(Code(End::kNearest)), end);
    end = L::Select(is_beyond, L::Set(Code(End::kBeyond)), end);
    L::Store(end, &end_);
    L::Store(L::Set(0), &is_cold_);
    if constexpr (kIsForSign) {
      if (!L::IsNowhere(hn::Or(is_beyond, next.encloses()))) {
        L::Store(hn::Div(height, hn::Sqrt(distance_sq)), &plane_);
        StoreTetrahedron(newest.w, points, has);
      }
    }
    const Mask stays = hn::Or(hn::Or(is_nearest, is_beyond), next.encloses());
    Replace(next, stays, newest, corner);
    const Mask goes_on = hn::Eq(end, L::Set(kGoesOn));
    const V steps = hn::Add(L::Load(steps_), hn::IfThenElseZero(goes_on, L::Set(1)));
    L::Store(steps, &steps_);
    return !hn::AllTrue(L::kTag, hn::And(goes_on, hn::Lt(steps, L::Set(kMaxGuessSteps))));
  }

  // Stores how far the nearest of the newest corner and the others is, and how large a ball about
  // the origin they hold.
  //
  // Let E be the extent. With edges e_i from the newest corner p the four faces have the normals
  // n_01 = e_0 x e_1, n_12, n_20 and their sum. No rounding puts these off by more than 64u E^2 (an
  // edge is no longer than 2 E). The origin is inside of a face by t / |n|, where t is one of -n_ij
  // . p and n . (p + e_0), all times the sign of e_0 . n_12: off by less than 512u E^3. Less and
  // more by 8192u, a t that is still positive proves a distance from its face. If all four are,
  // their sum |e_0 . n_12| is above its own rounding too, so that the sign is right.
  void StoreTetrahedron(const V3& newest, const V3* points, const Mask* has) {
    V nearest_sq = L::Dot(newest, newest);
    V3 edge[kCorners];
    for (int i = 0; i < kCorners; ++i) {
      edge[i] = L::Sub(points[i], newest);
      const V norm_sq = L::Dot(points[i], points[i]);
      nearest_sq = L::Select(has[i], hn::Min(nearest_sq, norm_sq), nearest_sq);
    }
    L::Store(hn::Sqrt(nearest_sq), &nearest_);
    const V3 n_01 = L::Cross(edge[0], edge[1]);
    const V3 n_12 = L::Cross(edge[1], edge[2]);
    const V3 n_20 = L::Cross(edge[2], edge[0]);
    const V3 n = L::Add(L::Add(n_01, n_12), n_20);
    const V volume = L::Dot(edge[0], n_12);
    const V outward = hn::Neg(hn::CopySign(L::Set(1), volume));
    V ball = DepthInside(n, hn::Neg(hn::Mul(outward, L::Dot(n, points[0]))));
    ball = hn::Min(ball, DepthInside(n_01, hn::Mul(outward, L::Dot(n_01, newest))));
    ball = hn::Min(ball, DepthInside(n_12, hn::Mul(outward, L::Dot(n_12, newest))));
    ball = hn::Min(ball, DepthInside(n_20, hn::Mul(outward, L::Dot(n_20, newest))));
    L::Store(ball, &ball_);
  }

  // Returns a lower bound on how far the origin is inside of a face with the normal n; t is |n|
  // times that distance.
  V DepthInside(const V3& n, V t) const {
    const V extent = L::Load(extent_);
    const V extent_sq = hn::Mul(extent, extent);
    const V rounding = L::Set(kTetrahedronRounding);
    const V area = hn::Add(hn::Sqrt(L::Dot(n, n)), hn::Mul(rounding, extent_sq));
    return hn::Div(hn::Sub(t, hn::Mul(rounding, hn::Mul(extent, extent_sq))), area);
  }

  // The corners that the nearest point takes, the newest last.
  void Replace(const LaneSimplex<L>& next, Mask stays, const Corner& newest, const Corner* corner) {
    const Corner behind_first = Corner::Select(next.keeps(1), corner[1], corner[2]);
    const Corner first = Corner::Select(next.keeps(0), corner[0], behind_first);
    const Mask keeps_two = hn::And(next.keeps(0), next.keeps(1));
    const Corner second = Corner::Select(keeps_two, corner[1], corner[2]);
    V kept = L::Set(0);
    for (int i = 0; i < kCorners; ++i) {
      kept = hn::Add(kept, hn::IfThenElseZero(next.keeps(i), L::Set(1)));
    }
    const Corner corner_0 = Corner::Select(hn::Lt(kept, L::Set(1)), newest, first);
    const Corner corner_1 = Corner::Select(hn::Gt(kept, L::Set(1)), second, newest);
    Corner::Select(stays, corner[0], corner_0).Store(&corners_[0]);
    Corner::Select(stays, corner[1], corner_1).Store(&corners_[1]);
    Corner::Select(stays, corner[2], newest).Store(&corners_[2]);
    L::Store(L::Select(stays, L::Load(size_), hn::Add(kept, L::Set(1))), &size_);
    L::Store(L::Select(stays, L::Load(distance_sq_), next.distance_sq()), &distance_sq_);
    L::Store(L::Select(stays, L::Load(v_), next.v()), &v_);
  }

  // Writes the result of a search that has ended.
  void Conclude(std::size_t lane) {
    const bool goes_on = end_.at[lane] == kGoesOn;
    const bool has_stopped = paced_[lane] != nullptr && paced_[lane]->HasStopped();
    if (goes_on && steps_.at[lane] < kMaxGuessSteps && !has_stopped) return;
    Found& found = queue_.found[task_[lane]];
    found.end = goes_on ? End::kLost : static_cast<End>(static_cast<int>(end_.at[lane]));
    found.iterations = static_cast<std::uint32_t>(steps_.at[lane]);
    if constexpr (kIsForSign) {
      found.plane = plane_.at[lane];
      found.ball = ball_.at[lane];
      found.nearest = nearest_.at[lane];
      if (found.end == End::kBeyond) found.direction = v_.Get(lane);
    } else {
      SetPairs(lane, found.end == End::kEncloses, &found.pairs);
    }
    --active_;
    scanned_ -= IsScanned(lane) ? 1 : 0;
    paced_count_ -= paced_[lane] == nullptr ? 0 : 1;
    Refill(lane);
  }

  void SetPairs(std::size_t lane, bool has_newest, VertexPairs* pairs) const {
    pairs->size = static_cast<int>(size_.at[lane]);
    for (int i = 0; i < pairs->size; ++i) {
      pairs->a[i] = a_.VertexOf(lane, corners_[i].a);
      pairs->b[i] = b_.VertexOf(lane, corners_[i].b);
    }
    if (!has_newest) return;
    pairs->a[pairs->size] = a_.VertexOf(lane, a_.newest);
    pairs->b[pairs->size++] = b_.VertexOf(lane, b_.newest);
  }

  LaneQueue<Task, Found>& queue_;
  std::size_t active_ = 0;
  std::size_t scanned_ = 0;      // lanes with a shape that is not a box
  std::size_t paced_count_ = 0;  // lanes with a pacer

  // For every lane: the pair, and the state of its search.
  std::size_t task_[L::kSize];
  const ShapePair* paced_[L::kSize];  // null: it has no pacer
  Side a_, b_;
  Row steps_;
  Row3 R_BA_[3];
  Row3 p_AB_;
  Row extent_;
  Row least_sq_;  // of v: below it nothing can be told
  Row stop_above_;
  typename Corner::Row corners_[kCorners] = {};
  Row size_;         // of the simplex
  Row3 v_;           // its point nearest to the origin; while it is cold, any direction
  Row distance_sq_;  // |v|^2
  Row is_cold_;
  Row end_;
  Row plane_ = {}, ball_ = {}, nearest_ = {};  // as SignGuess has them
};

template <class L>
using GuessGroup = GjkGroup<L, GuessTask, FeatureGuess>;
template <class L>
using SignGroup = GjkGroup<L, SignTask, SignGuess>;

void GjkBatchHere(absl::Span<const GuessTask> tasks, absl::Span<FeatureGuess> found) {
  RunGroups<GuessGroup>(LaneQueue<GuessTask, FeatureGuess>{tasks, found});
}

void GjkSignBatchHere(absl::Span<const SignTask> tasks, absl::Span<SignGuess> found) {
  RunGroups<SignGroup>(LaneQueue<SignTask, SignGuess>{tasks, found});
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {
HWY_EXPORT(GjkBatchHere);
HWY_EXPORT(GjkSignBatchHere);
}  // namespace

void GjkBatch(absl::Span<const GuessTask> tasks, absl::Span<FeatureGuess> found) {
  CLEARANCE_ASSERT(tasks.size() == found.size());
  HWY_DYNAMIC_DISPATCH(GjkBatchHere)(tasks, found);
}

void GjkSignBatch(absl::Span<const SignTask> tasks, absl::Span<SignGuess> found) {
  CLEARANCE_ASSERT(tasks.size() == found.size());
  HWY_DYNAMIC_DISPATCH(GjkSignBatchHere)(tasks, found);
}

}  // namespace clearance

#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/scout.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "core/math/tolerance.h"
#include "core/support/support.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/scout.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "core/narrow/lane_simplex-inl.h"
#include "core/support/block_scan-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// Of a pair in its lane: one of Scouted::End, or not yet.
constexpr double kGoesOn = -1;
constexpr double Code(Scouted::End end) { return static_cast<double>(end); }

inline VertexIndex Highest(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  const std::vector<ScanBlock>& blocks = shape.scan_blocks();
  return blocks.empty() ? HighestVertex(shape, d, start) : HighestInBlocks(blocks, d);
}

// As many pairs at once as there are lanes; where one ends the next begins.
template <class L>
class ScoutGroup {
 public:
  ScoutGroup(absl::Span<const ScoutTask> tasks, absl::Span<Scouted> found)
      : tasks_(tasks), found_(found) {}

  void Run() {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) Refill(lane);
    while (active_ > 0) {
      Aim();
      VisitActive([this](std::size_t lane) { FindCorner(lane); });
      Step();
      VisitActive([this](std::size_t lane) { Conclude(lane); });
    }
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;
  using End = Scouted::End;

  static constexpr std::size_t kIdle = std::numeric_limits<std::size_t>::max();
  static constexpr int kCorners = 3;  // a fourth ends the search

  // A vertex pair of every lane: its difference and the names of its vertices.
  struct Corner {
    V3 w;
    V a, b;
  };
  struct CornerRow {
    Row3 w;
    Row a, b;
  };

  static Corner Load(const CornerRow& row) {
    return {L::Load(row.w), L::Load(row.a), L::Load(row.b)};
  }
  static void Store(const Corner& corner, CornerRow* row) {
    L::Store(corner.w, &row->w);
    L::Store(corner.a, &row->a);
    L::Store(corner.b, &row->b);
  }
  static Corner Select(Mask mask, const Corner& yes, const Corner& no) {
    return {L::Select(mask, yes.w, no.w), L::Select(mask, yes.a, no.a),
            L::Select(mask, yes.b, no.b)};
  }

  template <class Visit>
  void VisitActive(Visit visit) {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      if (task_[lane] != kIdle) visit(lane);
    }
  }

  // Numbers that do no harm, so that an idle lane costs nothing but its room.
  void Clear(std::size_t lane) {
    task_[lane] = kIdle;
    v_.Set(lane, {1, 0, 0});
    for (Row3& row : R_BA_) row.Set(lane, {});
    for (Row3* row : {&p_AB_, &point_a_, &point_b_}) row->Set(lane, {});
    for (Row* row : {&scale_a_, &scale_b_, &distance_sq_}) row->at[lane] = 1;
    for (Row* row : {&size_, &is_cold_, &least_sq_, &stop_above_}) row->at[lane] = 0;
    for (Row* row : {&newest_a_, &newest_b_}) row->at[lane] = 0;
  }

  void Refill(std::size_t lane) {
    if (next_ == tasks_.size()) return Clear(lane);
    ++active_;
    const Difference<double>& difference = *tasks_[next_].difference;
    const Placement<double>& placement = difference.placement();
    const Mat3<double> R_BA = Transpose(placement.R_AB);
    R_BA_[0].Set(lane, R_BA.row_x);
    R_BA_[1].Set(lane, R_BA.row_y);
    R_BA_[2].Set(lane, R_BA.row_z);
    p_AB_.Set(lane, placement.p_AB);
    scale_a_.at[lane] = difference.pair().scale_a;
    scale_b_.at[lane] = difference.pair().scale_b;
    least_sq_.at[lane] = kScoutNearest * kScoutNearest * difference.extent() * difference.extent();
    stop_above_.at[lane] = tasks_[next_].stop_above;
    // Cold: from the side of A that looks towards B.
    Vec3d towards_a = -placement.p_AB;
    if (!(NormSquared(towards_a) > least_sq_.at[lane])) towards_a = {1, 0, 0};
    v_.Set(lane, towards_a);
    distance_sq_.at[lane] = NormSquared(towards_a);
    is_cold_.at[lane] = 1;
    size_.at[lane] = 0;
    steps_[lane] = 0;
    last_a_[lane] = last_b_[lane] = 0;
    task_[lane] = next_++;
  }

  // Where the next corner is looked for.
  void Aim() {
    const V over_norm = hn::Div(L::Set(1), hn::Sqrt(L::Load(distance_sq_)));
    const V3 towards_a = L::Times(over_norm, L::Load(v_));
    L::Store(L::Times(L::Set(-1), towards_a), &d_A_);
    L::Store({L::Dot(L::Load(R_BA_[0]), towards_a), L::Dot(L::Load(R_BA_[1]), towards_a),
              L::Dot(L::Load(R_BA_[2]), towards_a)},
             &d_B_);
  }

  void FindCorner(std::size_t lane) {
    const ShapePair& pair = tasks_[task_[lane]].difference->pair();
    last_a_[lane] = Highest(pair.a, d_A_.Get(lane), last_a_[lane]);
    last_b_[lane] = Highest(pair.b, d_B_.Get(lane), last_b_[lane]);
    point_a_.Set(lane, pair.a.vertex(last_a_[lane]));
    point_b_.Set(lane, pair.b.vertex(last_b_[lane]));
    newest_a_.at[lane] = last_a_[lane];
    newest_b_.at[lane] = last_b_[lane];
  }

  V3 NewestDifference() const {
    const V3 a_A = L::Times(L::Load(scale_a_), L::Load(point_a_));
    const V3 b_B = L::Times(L::Load(scale_b_), L::Load(point_b_));
    const V3 x = L::Times(b_B.x, L::Load(R_BA_[0]));
    const V3 y = L::Times(b_B.y, L::Load(R_BA_[1]));
    const V3 z = L::Times(b_B.z, L::Load(R_BA_[2]));
    return L::Sub(a_A, L::Add(L::Add(L::Add(x, y), z), L::Load(p_AB_)));
  }

  // Takes the newest corner into the simplexes, or tells why not.
  void Step() {
    const Corner newest = {NewestDifference(), L::Load(newest_a_), L::Load(newest_b_)};
    const V size = L::Load(size_);
    Corner corner[kCorners];
    V3 points[kCorners];
    Mask has[kCorners];
    Mask is_known = L::Nowhere();
    for (int i = 0; i < kCorners; ++i) {
      corner[i] = Load(corners_[i]);
      points[i] = corner[i].w;
      has[i] = hn::Gt(size, L::Set(i));
      is_known = hn::Or(is_known, hn::And(has[i], L::IsEqual(points[i], newest.w)));
    }
    const V distance_sq = L::Load(distance_sq_);
    const V height = L::Dot(L::Load(v_), newest.w);
    const Mask is_cold = hn::Gt(L::Load(is_cold_), L::Set(0));
    const V stop_height = hn::Mul(L::Load(stop_above_), hn::Sqrt(distance_sq));
    const Mask is_beyond = hn::AndNot(is_cold, hn::Gt(height, stop_height));
    const Mask is_closed = hn::Ge(height, hn::Mul(L::Set(1 - kScoutGap), distance_sq));
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
    const Mask stays = hn::Or(hn::Or(is_nearest, is_beyond), next.encloses());
    Replace(next, stays, newest, corner);
  }

  // The corners that the nearest point takes, the newest last.
  void Replace(const LaneSimplex<L>& next, Mask stays, const Corner& newest, const Corner* corner) {
    const Corner first =
        Select(next.keeps(0), corner[0], Select(next.keeps(1), corner[1], corner[2]));
    const Corner second = Select(hn::And(next.keeps(0), next.keeps(1)), corner[1], corner[2]);
    V kept = L::Set(0);
    for (int i = 0; i < kCorners; ++i) {
      kept = hn::Add(kept, hn::IfThenElseZero(next.keeps(i), L::Set(1)));
    }
    const Corner corner_0 = Select(hn::Lt(kept, L::Set(1)), newest, first);
    const Corner corner_1 = Select(hn::Gt(kept, L::Set(1)), second, newest);
    Store(Select(stays, corner[0], corner_0), &corners_[0]);
    Store(Select(stays, corner[1], corner_1), &corners_[1]);
    Store(Select(stays, corner[2], newest), &corners_[2]);
    L::Store(L::Select(stays, L::Load(size_), hn::Add(kept, L::Set(1))), &size_);
    L::Store(L::Select(stays, L::Load(distance_sq_), next.distance_sq()), &distance_sq_);
    L::Store(L::Select(stays, L::Load(v_), next.v()), &v_);
  }

  // Writes down what has ended.
  void Conclude(std::size_t lane) {
    const bool goes_on = end_.at[lane] == kGoesOn;
    if (goes_on && ++steps_[lane] < kMostScoutSteps) return;
    Scouted& found = found_[task_[lane]];
    found.end = goes_on ? End::kLost : static_cast<End>(static_cast<int>(end_.at[lane]));
    found.iterations = steps_[lane];
    VertexPairs& pairs = found.pairs;
    pairs.size = static_cast<int>(size_.at[lane]);
    for (int i = 0; i < pairs.size; ++i) {
      pairs.a[i] = static_cast<VertexIndex>(corners_[i].a.at[lane]);
      pairs.b[i] = static_cast<VertexIndex>(corners_[i].b.at[lane]);
    }
    if (found.end == End::kEncloses) {
      pairs.a[pairs.size] = last_a_[lane];
      pairs.b[pairs.size++] = last_b_[lane];
    }
    --active_;
    Refill(lane);
  }

  const absl::Span<const ScoutTask> tasks_;
  const absl::Span<Scouted> found_;
  std::size_t next_ = 0;
  std::size_t active_ = 0;

  // Of every lane: the pair, and how far its search is.
  std::size_t task_[L::kSize];
  std::uint32_t steps_[L::kSize];
  VertexIndex last_a_[L::kSize];
  VertexIndex last_b_[L::kSize];
  Row3 R_BA_[3];
  Row3 p_AB_;
  Row scale_a_, scale_b_;
  Row least_sq_;  // of v: below it there is nothing to be told
  Row stop_above_;
  CornerRow corners_[kCorners] = {};
  Row size_;         // of the simplex
  Row3 v_;           // its point nearest to the origin; while it is cold, any direction
  Row distance_sq_;  // |v|^2
  Row is_cold_;
  Row3 d_A_, d_B_;  // where the newest corner is looked for in A, in B
  Row3 point_a_, point_b_;
  Row newest_a_, newest_b_;
  Row end_;
};

// A single pair has its lane to itself: no vector waits for numbers that are written one by one.
void ScoutHere(absl::Span<const ScoutTask> tasks, absl::Span<Scouted> found) {
  constexpr std::size_t kFew = 2;
  if (tasks.size() <= kFew) return ScoutGroup<Lanes<1>>(tasks, found).Run();
  ScoutGroup<Lanes<8>>(tasks, found).Run();
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {
HWY_EXPORT(ScoutHere);
}  // namespace

void Scout(absl::Span<const ScoutTask> tasks, absl::Span<Scouted> found) {
  HWY_DYNAMIC_DISPATCH(ScoutHere)(tasks, found);
}

}  // namespace clearance

#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0

#include "core/query/closest_features_batch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <new>

#include "core/math/assert.h"
#include "core/math/power_of_two.h"
#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/narrow/placement.h"
#include "core/narrow/static_vector.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/query/closest_features_batch.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "core/narrow/lane_features-inl.h"
#include "hwy/highway.h"

#ifndef CLEARANCE_CORE_QUERY_CLOSEST_FEATURES_BATCH_ONCE_
#define CLEARANCE_CORE_QUERY_CLOSEST_FEATURES_BATCH_ONCE_
namespace clearance {

// By their corners: a point of A and a point of B, and so on.
enum class FeatureKind : std::uint8_t { kPoint, kSegment, kTriangle, kQuad, kEdges, kOther };
inline constexpr std::size_t kFeatureKinds = 5;  // without kOther
inline constexpr int kMaxCorners = 4;

// A task with its features, whole.
struct FeatureCase {
  const FeatureTask* task = nullptr;
  FeaturePair pair;
  Features whole;
  FeatureKind kind = FeatureKind::kOther;
  FeatureOutcome* outcome = nullptr;

  // The vertices that corner k of A - B is made of: all pairs of both features.
  VertexIndex vertex_a(int k) const {
    return whole.a[static_cast<std::size_t>(IsEdges() ? k / 2 : whole.a.size() > 1 ? k : 0)];
  }
  VertexIndex vertex_b(int k) const {
    return whole.b[static_cast<std::size_t>(IsEdges() ? k % 2 : whole.b.size() > 1 ? k : 0)];
  }
  bool IsEdges() const { return kind == FeatureKind::kEdges; }
};

struct CasesByKind {
  std::array<std::array<const FeatureCase*, kDistancesAtOnce>, kFeatureKinds> of_kind;
  std::array<std::size_t, kFeatureKinds> counts = {};
};

}  // namespace clearance
#endif  // CLEARANCE_CORE_QUERY_CLOSEST_FEATURES_BATCH_ONCE_

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// Pairs with features of one kind, that of the first, one in a lane.
template <class L>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): numbers of one vector stand together
class FeatureGroup {
 public:
  // Requires: at least one case; those of the first are answered that have lanes.
  void Answer(absl::Span<const FeatureCase* const> cases) {
    cases_ = cases.first(std::min(cases.size(), L::kSize));
    kind_ = cases_[0]->kind;
    corners_ = kind_ == FeatureKind::kEdges ? kMaxCorners : static_cast<int>(kind_) + 1;
    vertices_ = kind_ == FeatureKind::kQuad ? 3 : corners_;
    for (std::size_t lane = 0; lane < cases_.size(); ++lane) SetLane(lane, *cases_[lane]);
    AnswerLanes();
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;

  void AnswerLanes() {
    FindNearest();
    if (!IsUnique() || !IsTight()) return;
    FindPoints();
    for (std::size_t lane = 0; lane < cases_.size(); ++lane) {
      if (is_answered_.at[lane] != 0) Put(lane, *cases_[lane]);
    }
  }

  // A or B of every lane, normalised, with what its own axes need.
  struct Side {
    Row3 corner[kMaxCorners];
    Row3 half;  // of a box
    Row scale;
    Row size;  // of the feature
    bool is_box[L::kSize];
  };

  static void SetSide(std::size_t lane, const ConvexShape& shape, double scale, Side* side) {
    const BoxCorners& corners = shape.box_corners();
    side->is_box[lane] = corners.is_box;
    side->half.Set(lane, corners.half);
    side->scale.at[lane] = scale;
  }

  void SetLane(std::size_t lane, const FeatureCase& one) {
    const PosedPair& posed = *one.task->posed;
    const MinkowskiDifference<double>& difference = posed.difference();
    const ShapePair& pair = posed.pair();
    const Placement<double>& placement = difference.placement();
    SetSide(lane, pair.a, pair.scale_a, &a_);
    SetSide(lane, pair.b, pair.scale_b, &b_);
    a_.size.at[lane] = static_cast<double>(one.whole.a.size());
    b_.size.at[lane] = static_cast<double>(one.whole.b.size());
    for (int k = 0; k < corners_; ++k) {
      a_.corner[k].Set(lane, pair.a.vertex(one.vertex_a(k)));
      b_.corner[k].Set(lane, pair.b.vertex(one.vertex_b(k)));
    }
    R_AB_[0].Set(lane, placement.R_AB.row_x);
    R_AB_[1].Set(lane, placement.R_AB.row_y);
    R_AB_[2].Set(lane, placement.R_AB.row_z);
    p_AB_.Set(lane, placement.p_AB);
    extent_.at[lane] = difference.extent();
    error_.at[lane] = difference.rounding_error();
    radius_a_.at[lane] = pair.radius_a;
    radius_b_.at[lane] = pair.radius_b;
    size_sum_.at[lane] = one.task->limits->size_sum;
    decide_at_.at[lane] = one.task->limits->decide_at.hi;
    metres_.at[lane] = NormalPowerOfTwo(pair.exponent);
    max_distance_.at[lane] = one.task->max_distance;
    SetWorld(lane, posed);
  }

  void SetWorld(std::size_t lane, const PosedPair& posed) {
    const Mat3<double>& R_AW = posed.rotation_AW();
    column_WA_[0].Set(lane, R_AW.row_x);
    column_WA_[1].Set(lane, R_AW.row_y);
    column_WA_[2].Set(lane, R_AW.row_z);
    const PosedShape& a = posed.shape_a();
    center_a_.Set(lane, a.shape.center());
    origin_a_.Set(lane, LocalOrigin(a));
    p_WA_.Set(lane, a.pose.p_WS);
  }

  void FindNearest() {
    const V scale_a = L::Load(a_.scale), scale_b = L::Load(b_.scale);
    const V3 p_AB = L::Load(p_AB_);
    for (int k = 0; k < corners_; ++k) {
      a_A_[k] = L::Times(scale_a, L::Load(a_.corner[k]));
      const V3 b_A = L::Add(L::Times(R_AB_, L::Times(scale_b, L::Load(b_.corner[k]))), p_AB);
      w_[k] = L::Sub(a_A_[k], b_A);
    }
    nearest_ = NearestOf(kind_, w_);
    if (kind_ != FeatureKind::kQuad) return;
    for (int k = 1; k < vertices_; ++k) {
      w_[k] = L::Select(nearest_.is_second, w_[k + 1], w_[k]);
      a_A_[k] = L::Select(nearest_.is_second, a_A_[k + 1], a_A_[k]);
    }
    L::StoreMask(nearest_.is_second, &is_second_);
  }

  static LaneNearest<L> NearestOf(FeatureKind kind, const V3* w) {
    switch (kind) {
      case FeatureKind::kSegment:
        return LaneNearest<L>::Segment(w);
      case FeatureKind::kTriangle:
        return LaneNearest<L>::Triangle(w);
      case FeatureKind::kQuad:
        return LaneNearest<L>::Quad(w);
      case FeatureKind::kEdges:
        return LaneNearest<L>::Edges(w);
      case FeatureKind::kPoint:
      case FeatureKind::kOther:  // never put into lanes
        break;
    }
    return LaneNearest<L>::Point(w);
  }

  // IsUnique of closest_features.cc, in lanes as far as shapes are boxes. False if it is of no
  // lane.
  bool IsUnique() {
    const V3& v = nearest_.v;
    const V extent = L::Load(extent_);
    distance_ = LaneNorm<L>(v);
    const Mask is_apart = hn::Gt(distance_, hn::Mul(L::Set(kMinFeatureDistance), extent));
    const V least_sq = hn::Mul(hn::Mul(L::Set(kFeatureMargin * kFeatureMargin), distance_), extent);
    is_unique_ =
        hn::And(hn::And(nearest_.is_inside, is_apart), hn::Gt(nearest_.inside_sq, least_sq));
    const V margin =
        hn::Mul(hn::Mul(L::Set(kFeatureMargin), extent), hn::Sqrt(hn::Div(extent, distance_)));
    n_A_ = L::Times(hn::Div(L::Set(-1), distance_), v);
    const V3 n_B = L::TransposedTimes(R_AB_, L::Neg(n_A_));
    const auto of_a = [this](std::size_t lane, const Vec3d& d, double least) {
      const FeatureCase& one = *cases_[lane];
      return StandsOut(one.task->posed->pair().a, one.whole.a, d, least);
    };
    const auto of_b = [this](std::size_t lane, const Vec3d& d, double least) {
      const FeatureCase& one = *cases_[lane];
      return StandsOut(one.task->posed->pair().b, one.whole.b, d, least);
    };
    const std::size_t count = cases_.size();
    is_unique_ = LanesStandingOut<L>({is_unique_, count, n_A_, margin}, a_, corners_, of_a);
    is_unique_ = LanesStandingOut<L>({is_unique_, count, n_B, margin}, b_, corners_, of_b);
    return !L::IsNowhere(is_unique_);
  }

  // SetBracket, IsTight where plain numbers say so, and the bracket of the bodies. False if it is
  // of no lane.
  bool IsTight() {
    const V zero = L::Set(0);
    V3 sum = {zero, zero, zero};
    V3 miss = L::Neg(nearest_.v);
    V lower = L::Set(HUGE_VAL);
    for (int k = 0; k < vertices_; ++k) {
      const V3 part = L::Times(nearest_.weight[k], w_[k]);
      sum = L::Add(sum, part);
      miss = L::Add(miss, part);
      lower = LaneMin<L>(lower, L::Dot(nearest_.v, w_[k]));
    }
    w_A_norm_ = LaneNorm<L>(sum);
    const V upper = w_A_norm_;
    lower = hn::Div(lower, distance_);
    const V error = L::Load(error_), size_sum = L::Load(size_sum_);
    const V two_errors = hn::Mul(L::Set(2), error);
    const V decide_at = L::Load(decide_at_);
    const V gap = hn::Sub(upper, lower);
    const V width = hn::Add(gap, two_errors);
    const Mask decides =
        hn::Gt(hn::Sub(hn::Sub(lower, error), hn::Mul(L::Set(2), width)), decide_at);
    const V rounding = hn::Mul(L::Set(kRoundingTolerance * kRoundoff), hn::Add(size_sum, upper));
    const Mask is_made = hn::Le(LaneNorm<L>(miss), rounding);
    const Mask is_within = hn::Le(width, Tolerance(size_sum, hn::Sub(upper, decide_at)));
    const V extent = hn::Add(hn::Add(upper, L::Load(radius_a_)), L::Load(radius_b_));
    const Mask is_narrow = hn::Le(gap, hn::Mul(L::Set(kFastGap * kRoundoff), extent));
    is_unique_ =
        hn::And(hn::And(is_unique_, decides), hn::And(is_made, hn::And(is_within, is_narrow)));
    SetBracket(lower, upper);
    return !L::IsNowhere(is_unique_);
  }

  // BodyBracket without radii, and that it is SEPARATED and not beyond. Lengths are in a range in
  // which powers of two change no digit.
  void SetBracket(V lower_units, V upper_units) {
    const V metres = L::Load(metres_), error = L::Load(error_);
    const V lower = hn::Mul(metres, RoundedSum<false>(lower_units, hn::Neg(error)));
    const V upper = hn::Mul(metres, RoundedSum<true>(upper_units, error));
    const V distance = hn::Mul(metres, upper_units);
    const V size_sum = L::Load(size_sum_);
    L::Store(hn::Mul(metres, Tolerance(size_sum, upper_units)), &tolerance_);
    distance_m_ = hn::Min(hn::Max(distance, lower), upper);
    L::Store(distance_m_, &out_distance_);
    L::Store(lower, &lower_);
    L::Store(upper, &upper_);
    const Mask is_not_beyond = hn::Not(hn::Gt(lower, L::Load(max_distance_)));
    const Mask is_normal =
        hn::And(hn::Gt(lower, L::Set(1 / kMaxPairLength)),
                hn::Lt(hn::Mul(metres, L::Load(extent_)), L::Set(kMaxPairLength)));
    is_unique_ = hn::And(is_unique_, hn::And(is_not_beyond, is_normal));
    L::StoreMask(is_unique_, &is_answered_);
  }

  // Tolerance of core_distance.h.
  static V Tolerance(V size_sum, V distance) {
    const V rounding =
        hn::Mul(L::Set(kRoundingTolerance * kRoundoff), hn::Add(size_sum, hn::Abs(distance)));
    return hn::Max(hn::Mul(L::Set(kRelativeTolerance), size_sum), rounding);
  }

  // RoundUp, or RoundDown, of SumOf(a, b), where the sum is positive.
  template <bool kIsUp>
  static V RoundedSum(V a, V b) {
    const V sum = hn::Add(a, b);
    const V b_part = hn::Sub(sum, a);
    const V a_part = hn::Sub(sum, b_part);
    const V rest = hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part));
    const hn::RebindToSigned<typename L::Tag> bits;
    const V next = hn::BitCast(
        L::kTag, hn::Add(hn::BitCast(bits, sum), hn::Set(bits, std::int64_t{kIsUp ? 1 : -1})));
    const V zero = L::Set(0);
    return L::Select(kIsUp ? hn::Gt(rest, zero) : hn::Lt(rest, zero), next, sum);
  }

  // SetPoints of distance.cc.
  void FindPoints() {
    const V zero = L::Set(0);
    V3 p_A = {zero, zero, zero};
    for (int k = 0; k < vertices_; ++k) {
      p_A = L::Add(p_A, L::Times(nearest_.weight[k], a_A_[k]));
      L::Store(nearest_.weight[k], &weight_[k]);
    }
    const V3 core_point = L::Add(L::Times(L::Load(metres_), p_A), L::Load(center_a_));
    const V3 n_AB = LaneNormalized<L>(L::TransposedTimes(column_WA_, n_A_));
    const V3 p_AoA = L::Add(L::Add(L::Load(origin_a_), L::TransposedTimes(column_WA_, core_point)),
                            L::Times(zero, n_AB));
    const V3 p_AoB = L::Add(p_AoA, L::Times(distance_m_, n_AB));
    const V3 p_WA = L::Load(p_WA_);
    L::Store(n_AB, &n_AB_);
    L::Store(p_AoA, &p_AoA_);
    L::Store(p_AoB, &p_AoB_);
    L::Store(L::Add(p_WA, p_AoA), &p_WAa_);
    L::Store(L::Add(p_WA, p_AoB), &p_WAb_);
  }

  void Put(std::size_t lane, const FeatureCase& one) const {
    DistanceAnswer& answer = *std::construct_at(one.task->answer);
    answer.state = State::kSeparated;
    answer.iterations = one.task->iterations;
    answer.bracket = {lower_.at[lane], upper_.at[lane]};
    answer.tolerance = std::max(tolerance_.at[lane], kMinTolerance);
    answer.distance = out_distance_.at[lane];
    answer.p_WA = p_WAa_.Get(lane);
    answer.p_WB = p_WAb_.Get(lane);
    answer.p_AoA = p_AoA_.Get(lane);
    answer.p_AoB = p_AoB_.Get(lane);
    answer.n_AB = n_AB_.Get(lane);
    answer.witness.size = vertices_;
    for (int k = 0; k < vertices_; ++k) {
      const bool is_next = kind_ == FeatureKind::kQuad && k > 0 && is_second_.at[lane] != 0;
      const int corner = is_next ? k + 1 : k;
      answer.witness.vertices_a[k] = one.vertex_a(corner);
      answer.witness.vertices_b[k] = one.vertex_b(corner);
      answer.witness.weights[k] = weight_[k].at[lane];
    }
    *one.outcome = FeatureOutcome::kAnswered;
  }

  absl::Span<const FeatureCase* const> cases_;
  FeatureKind kind_ = FeatureKind::kOther;
  int corners_ = 0;
  int vertices_ = 0;  // of the simplex that is reported: of a quad a triangle

  // Read. Lanes without a case keep what they had before, or nothing.
  Side a_ = {}, b_ = {};
  Row3 R_AB_[3] = {};
  Row3 p_AB_ = {};
  Row extent_ = {}, error_ = {}, radius_a_ = {}, radius_b_ = {}, size_sum_ = {};
  Row decide_at_ = {}, metres_ = {}, max_distance_ = {};
  Row3 column_WA_[3] = {};
  Row3 center_a_ = {}, origin_a_ = {}, p_WA_ = {};

  // Found.
  V3 a_A_[kMaxCorners];
  V3 w_[kMaxCorners];
  LaneNearest<L> nearest_;
  V distance_;
  V w_A_norm_;
  V distance_m_;
  V3 n_A_;
  Mask is_unique_;

  // Written.
  Row is_answered_, lower_, upper_, tolerance_, out_distance_, is_second_;
  Row weight_[kMaxCorners];
  Row3 n_AB_, p_AoA_, p_AoB_, p_WAa_, p_WAb_;
};

void AnswerCasesHere(const CasesByKind& all) {
  FeatureGroup<Lanes<8>> group;
  for (std::size_t kind = 0; kind < kFeatureKinds; ++kind) {
    auto cases = absl::MakeConstSpan(all.of_kind[kind]).first(all.counts[kind]);
    for (; !cases.empty(); cases.remove_prefix(std::min(cases.size(), Lanes<8>::kSize))) {
      group.Answer(cases);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(AnswerCasesHere);

FeatureKind KindOf(const Features& whole) {
  const std::size_t a = whole.a.size(), b = whole.b.size();
  if (a == 2 && b == 2) return FeatureKind::kEdges;
  const std::size_t corners = std::max(a, b);
  if (std::min(a, b) != 1 || corners > kMaxCorners) return FeatureKind::kOther;
  return static_cast<FeatureKind>(corners - 1);
}

}  // namespace

bool IsForFeatureAnswers(const ShapePair& pair, const CoreLimits& limits) {
  return !pair.is_curved() && !pair.is_rounded() && limits.good_enough == 0 &&
         IsNormalPower(pair.exponent);
}

void AnswerFromFeatures(absl::Span<const FeatureTask> tasks, absl::Span<FeatureOutcome> outcomes) {
  CLEARANCE_ASSERT(tasks.size() == outcomes.size() && tasks.size() <= kDistancesAtOnce);
  StaticVector<FeatureCase, static_cast<int>(kDistancesAtOnce)> cases;
  CasesByKind all;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    // Construct in place: a copy followed by a wider load defeats store-to-load forwarding.
    FeatureCase& one = *new (cases.AppendRoom()) FeatureCase{
        &tasks[i], FeaturesOf(tasks[i].guess), {}, FeatureKind::kOther, &outcomes[i]};
    one.whole = Whole(tasks[i].posed->pair(), one.pair);
    one.kind = KindOf(one.whole);
    const bool is_tried = one.kind != FeatureKind::kOther;
    outcomes[i] = is_tried ? FeatureOutcome::kRefused : FeatureOutcome::kNotTried;
    const auto kind = static_cast<std::size_t>(one.kind);
    if (is_tried) all.of_kind[kind][all.counts[kind]++] = &one;
  }
  HWY_DYNAMIC_DISPATCH(AnswerCasesHere)(all);
}

}  // namespace clearance

#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0

#include "core/query/facet_contacts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "core/math/assert.h"
#include "core/math/power_of_two.h"
#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/narrow/closest_features.h"
#include "core/narrow/static_vector.h"
#include "core/query/relative_motion.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/query/facet_contacts.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lane_double_double-inl.h"
#include "core/math/lanes-inl.h"
#include "core/narrow/lane_features-inl.h"
#include "hwy/highway.h"

#ifndef CLEARANCE_CORE_QUERY_FACET_CONTACTS_ONCE_
#define CLEARANCE_CORE_QUERY_FACET_CONTACTS_ONCE_
namespace clearance {

// A task with its features. The first side is A, or for a vertex and a face that of the face.
struct FacetCase {
  struct Side {
    const ConvexShape* shape = nullptr;
    const Quaternion* q = nullptr;
    double scale = 1;
    const FeatureVertices* feature = nullptr;
    absl::Span<const VertexIndex> whole;  // of a shape that is not a box
    std::size_t whole_size = 0;
    VertexIndex last = 0;  // of a box's face the corner that is not among the feature's
  };

  const FacetTask* task = nullptr;
  FeaturePair pair;
  Side first, second;
  bool is_swapped = false;  // the first side is B
  bool* is_answered = nullptr;
};

struct FacetCases {
  std::array<const FacetCase*, kTimesOfCollisionAtOnce> faces, edges;
  std::size_t face_count = 0, edge_count = 0;
};

}  // namespace clearance
#endif  // CLEARANCE_CORE_QUERY_FACET_CONTACTS_ONCE_

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// Pairs of one kind, one in a lane.
template <class L>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): numbers of one vector stand together
class FacetGroup {
 public:
  // Answers the first cases, as many as there are lanes. Requires: at least one case.
  void Answer(absl::Span<const FacetCase* const> cases, bool is_edges) {
    cases_ = cases.first(std::min(cases.size(), L::kSize));
    is_edges_ = is_edges;
    for (std::size_t lane = 0; lane < L::kSize; ++lane)
      SetLane(lane, *cases_[std::min(lane, cases_.size() - 1)]);
    FindPlane();
    if (!IsFreeUntilContact() || !IsAheadOfAll() || !IsContact()) return;
    FindPoints();
    for (std::size_t lane = 0; lane < cases_.size(); ++lane) {
      if (is_hit_row_.at[lane] != 0) Put(lane, *cases_[lane]);
    }
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;
  using Dd = LaneDd<L>;
  using Dd3 = LaneDd3<L>;
  using Split = LaneDoubleDouble<L, false>;

  static constexpr int kMaxCorners = 4;

  // One side of every lane.
  struct Side {
    Row q[4];                  // x, y, z, w
    Row3 corner[kMaxCorners];  // of the feature, normalised, and a face's fourth
    Row3 half;                 // of a box
    Row scale;
    Row size;  // of the whole feature
    bool is_box[L::kSize];
  };

  // A rotation times the square of its quaternion's length, by columns.
  struct Turn {
    Dd3 x, y, z;
    Dd length_sq;
  };

  static void SetSide(std::size_t lane, const FacetCase::Side& one, Side* side) {
    const ConvexShape& shape = *one.shape;
    side->q[0].at[lane] = one.q->x;
    side->q[1].at[lane] = one.q->y;
    side->q[2].at[lane] = one.q->z;
    side->q[3].at[lane] = one.q->w;
    side->scale.at[lane] = one.scale;
    side->size.at[lane] = static_cast<double>(one.whole_size);
    side->is_box[lane] = shape.box_corners().is_box;
    side->half.Set(lane, shape.box_corners().half);
    const FeatureVertices& feature = *one.feature;
    for (int k = 0; k < kMaxCorners - 1; ++k)
      side->corner[k].Set(lane, shape.vertex(feature.vertex[k < feature.size ? k : 0]));
    side->corner[kMaxCorners - 1].Set(lane, shape.vertex(one.last));
  }

  static void SetMatrix(std::size_t lane, const Mat3<double>& m, Row3* rows) {
    rows[0].Set(lane, m.row_x);
    rows[1].Set(lane, m.row_y);
    rows[2].Set(lane, m.row_z);
  }

  void SetLane(std::size_t lane, const FacetCase& one) {
    const FacetTask& task = *one.task;
    const TranslatingPair& moving = *task.moving;
    SetSide(lane, one.first, &first_);
    SetSide(lane, one.second, &second_);
    sign_.at[lane] = one.is_swapped ? -1 : 1;
    offset_high_.Set(lane, ToDouble(moving.offset));
    offset_low_.Set(lane, {moving.offset.x.lo, moving.offset.y.lo, moving.offset.z.lo});
    offset_error_.at[lane] = moving.offset_error;
    way_a_.Set(lane, moving.displacement_a);
    way_b_.Set(lane, moving.displacement_b);
    radii_.at[lane] = moving.pair.radius_a + moving.pair.radius_b;
    extent_.at[lane] = task.difference->extent();
    error_.at[lane] = task.difference->rounding_error();
    tolerance_.at[lane] = task.tolerance;
    metres_.at[lane] = NormalPowerOfTwo(moving.pair.exponent);
    SetMatrix(lane, *task.R_AW, R_AW_);
    SetMatrix(lane, task.difference->placement().R_AB, R_AB_);
    for (std::size_t i = 0; i < 3; ++i) {
      w_[i].Set(lane, task.cast->vertex[i].w);
      p_A_[i].Set(lane, task.cast->vertex[i].p_A);
      weight_[i].at[lane] = task.cast->weight[i];
    }
    ray_.Set(lane, task.ray_A);
    displacement_.Set(lane, task.displacement_a);
    center_.Set(lane, task.center_a);
    origin_.Set(lane, moving.start_a.pose.p_WS);
  }

  // In units.
  static V3 CornerOf(const Side& side, int i) {
    return L::Times(L::Load(side.scale), L::Load(side.corner[i]));
  }

  // Finds in each lane the plane in which the two features meet, with the bits of FindContactPlane
  // (contact_plane.h). Sets what a ContactPlane has: n_W_, gap_, speed_, their errors and scale_.
  // Sets is_hit_ to the lanes in which there is such a plane.
  //
  // Fused multiply-adds are faster. They give the same bits if no part of a product underflows.
  void FindPlane() {
#if HWY_NATIVE_FMA
    if (IsFarFromUnderflow()) {
      FindPlaneBy<true>();
      return;
    }
#endif
    FindPlaneBy<false>();
  }

  // Returns true if no part of a product of FindPlaneBy underflows in any lane.
  //
  // A double of at least 2^e is a multiple of 2^(e - 52). So quaternions and corners are multiples
  // of g = 2^-74 (kMinFused is 2^-22), offsets and displacements of h = 2^-272 (kMinFusedOffset
  // is 2^-220). The parts of a product are multiples of the product of its factors' units, and so
  // are sums of such parts. The smallest unit is that of the slope between edges, with ten factors
  // of the first kind and one of the second: g^10 h = 2^-1012. The least double is 2^-1074.
  bool IsFarFromUnderflow() const {
    Mask is_small = L::Nowhere();
    const auto look = [&is_small](V v, V least) {
      const V size = hn::Abs(v);
      is_small = hn::Or(is_small, hn::And(hn::Gt(size, L::Set(0)), hn::Lt(size, least)));
    };
    const auto look_at_all = [&look](const V3& v, V least) {
      look(v.x, least);
      look(v.y, least);
      look(v.z, least);
    };
    const V least = L::Set(kMinFused), least_way = L::Set(kMinFusedOffset);
    for (const Side* side : {&first_, &second_}) {
      for (const Row& row : side->q) look(L::Load(row), least);
    }
    const int of_first = is_edges_ ? 2 : 3, of_second = is_edges_ ? 2 : 1;
    for (int k = 0; k < of_first; ++k) look_at_all(CornerOf(first_, k), least);
    for (int k = 0; k < of_second; ++k) look_at_all(CornerOf(second_, k), least);
    for (const Row3* row : {&offset_high_, &offset_low_, &way_a_, &way_b_})
      look_at_all(L::Load(*row), least_way);
    return L::IsNowhere(is_small);
  }

  template <bool kIsFused>
  CLEARANCE_LANE_INLINE void FindPlaneBy() {
    if (is_edges_) {
      FindBetweenEdges<kIsFused>();
    } else {
      FindOnFace<kIsFused>();
    }
    SetPlane();
  }

  // TurnOf of contact_plane.cc.
  template <bool kIsFused>
  static CLEARANCE_LANE_INLINE Turn TurnOf(const Side& side) {
    using D = LaneDoubleDouble<L, kIsFused>;
    const V x = L::Load(side.q[0]), y = L::Load(side.q[1]), z = L::Load(side.q[2]);
    const V w = L::Load(side.q[3]);
    const V two = L::Set(2);
    const Dd xx = D::TwoProduct(x, x), yy = D::TwoProduct(y, y), zz = D::TwoProduct(z, z);
    const Dd ww = D::TwoProduct(w, w);
    const Dd xy = D::TwoProduct(x, y), xz = D::TwoProduct(x, z), yz = D::TwoProduct(y, z);
    const Dd wz = D::TwoProduct(w, z), wy = D::TwoProduct(w, y), wx = D::TwoProduct(w, x);
    const Dd sum_wx = D::Add(ww, xx), sum_yz = D::Add(yy, zz);
    const Dd rest_wx = D::Sub(ww, xx), rest_yz = D::Sub(yy, zz);
    const auto twice = [two](const Dd& a) { return D::Times(two, a); };
    return {{D::Sub(sum_wx, sum_yz), twice(D::Add(xy, wz)), twice(D::Sub(xz, wy))},
            {twice(D::Sub(xy, wz)), D::Add(rest_wx, rest_yz), twice(D::Add(yz, wx))},
            {twice(D::Add(xz, wy)), twice(D::Sub(yz, wx)), D::Sub(rest_wx, rest_yz)},
            D::Add(sum_wx, sum_yz)};
  }

  template <bool kIsFused>
  static CLEARANCE_LANE_INLINE Dd3 Turned(const Turn& turn, const Dd3& v) {
    using D = LaneDoubleDouble<L, kIsFused>;
    return {D::Dot({turn.x.x, turn.y.x, turn.z.x}, v), D::Dot({turn.x.y, turn.y.y, turn.z.y}, v),
            D::Dot({turn.x.z, turn.y.z, turn.z.z}, v)};
  }

  template <bool kIsFused>
  static CLEARANCE_LANE_INLINE Dd3 Turned(const Turn& turn, const V3& v) {
    using D = LaneDoubleDouble<L, kIsFused>;
    const auto along = [&v](const Dd& x, const Dd& y, const Dd& z) {
      return D::Add(D::Add(D::TimesDouble(x, v.x), D::TimesDouble(y, v.y)), D::TimesDouble(z, v.z));
    };
    return {along(turn.x.x, turn.y.x, turn.z.x), along(turn.x.y, turn.y.y, turn.z.y),
            along(turn.x.z, turn.y.z, turn.z.z)};
  }

  Dd3 OffsetOfCenters() const {
    const V3 high = L::Load(offset_high_), low = L::Load(offset_low_);
    return {{high.x, low.x}, {high.y, low.y}, {high.z, low.z}};
  }
  Dd3 Closing() const { return Split::Between(L::Load(way_a_), L::Load(way_b_)); }

  // |e| |f|
  static V Lengths(const V3& e, const V3& f) {
    return hn::Sqrt(hn::Mul(L::Dot(e, e), L::Dot(f, f)));
  }

  template <bool kIsFused>
  CLEARANCE_LANE_INLINE void FindBetweenEdges() {
    using D = LaneDoubleDouble<L, kIsFused>;
    const Turn a = TurnOf<kIsFused>(first_), b = TurnOf<kIsFused>(second_);
    const V3 corner_a = CornerOf(first_, 0), corner_b = CornerOf(second_, 0);
    const Dd3 e_W = Turned<kIsFused>(a, D::Between(corner_a, CornerOf(first_, 1)));
    const Dd3 f_W = Turned<kIsFused>(b, D::Between(corner_b, CornerOf(second_, 1)));
    const Dd3 n_W = D::Cross(e_W, f_W);
    const Dd lengths_sq = D::Mul(a.length_sq, b.length_sq);
    const Dd height_a = D::Mul(D::Dot(n_W, Turned<kIsFused>(a, corner_a)), b.length_sq);
    const Dd height_b = D::Mul(D::Dot(n_W, Turned<kIsFused>(b, corner_b)), a.length_sq);
    direction_ = D::High(n_W);
    edges_ = Lengths(D::High(e_W), D::High(f_W));
    gap_ = D::Add(D::Mul(D::Dot(n_W, OffsetOfCenters()), lengths_sq), D::Sub(height_b, height_a));
    slope_ = D::Mul(D::Dot(n_W, Closing()), lengths_sq);
    factor_ = lengths_sq.hi;
  }

  template <bool kIsFused>
  CLEARANCE_LANE_INLINE void FindOnFace() {
    using D = LaneDoubleDouble<L, kIsFused>;
    const Turn face = TurnOf<kIsFused>(first_), vertex = TurnOf<kIsFused>(second_);
    const V3 corner = CornerOf(first_, 0);
    const Dd3 e = D::Between(corner, CornerOf(first_, 1));
    const Dd3 f = D::Between(corner, CornerOf(first_, 2));
    const Dd3 n = D::Cross(e, f);
    const Dd3 n_W = Turned<kIsFused>(face, n);
    const Dd height = D::Add(D::Add(D::TimesDouble(n.x, corner.x), D::TimesDouble(n.y, corner.y)),
                             D::TimesDouble(n.z, corner.z));
    const V sign = L::Load(sign_);
    const Dd of_face = D::Mul(D::Times(hn::Neg(sign), height), face.length_sq);
    const Dd3 corner_W = Turned<kIsFused>(vertex, CornerOf(second_, 0));
    const Dd of_vertex = D::Times(sign, D::Dot(n_W, corner_W));
    const Dd between = D::Add(D::Dot(n_W, OffsetOfCenters()), of_face);
    direction_ = D::High(n_W);
    edges_ = Lengths(D::High(e), D::High(f));
    gap_ = D::Add(D::Mul(between, vertex.length_sq), of_vertex);
    slope_ = D::Mul(D::Dot(n_W, Closing()), vertex.length_sq);
    factor_ = vertex.length_sq.hi;
  }

  // Finder::Set of contact_plane.cc.
  void SetPlane() {
    const V zero = L::Set(0), one = L::Set(1);
    const V area = LaneNorm<L>(direction_);
    const V least_sq = hn::Mul(hn::Mul(L::Set(kMinSineSquared), edges_), edges_);
    const Mask is_wide =
        hn::And(hn::Gt(hn::Mul(area, area), least_sq), hn::Gt(area, L::Set(kThinUnderflow)));
    is_hit_ = hn::And(is_wide, hn::Ne(slope_.hi, zero));
    const V sense = L::Select(hn::Lt(slope_.hi, zero), one, hn::Neg(one));
    n_W_ = LaneNormalized<L>(L::Times(sense, direction_));
    gap_ = Split::Times(sense, gap_);
    speed_ = Split::Times(hn::Neg(sense), slope_);
    scale_ = hn::Mul(area, factor_);
    const V rounding = hn::Mul(L::Set(kPlaneRoundoff), edges_);
    const V extent = hn::Add(L::Load(radii_), LaneNorm<L>(L::Load(offset_high_)));
    gap_error_ = hn::Add(hn::Mul(rounding, extent),
                         hn::Mul(hn::Mul(L::Set(1.125), area), L::Load(offset_error_)));
    ways_ = hn::Add(LaneNorm<L>(L::Load(way_a_)), LaneNorm<L>(L::Load(way_b_)));
    speed_error_ = hn::Mul(rounding, ways_);
  }

  // ContactPlane::FreeUntil, if it is within the motion. False if it is in no lane.
  bool IsFreeUntilContact() {
    const V zero = L::Set(0);
    const Dd gap = Split::Sub(gap_, Split::Of(hn::Mul(L::Set(1.125), gap_error_)));
    const Dd speed = Split::Add(speed_, Split::Of(speed_error_));
    const Dd t = Split::Div(gap, speed);
    const hn::RebindToSigned<typename L::Tag> bits;
    const V before =
        hn::BitCast(L::kTag, hn::Add(hn::BitCast(bits, t.hi), hn::Set(bits, std::int64_t{-1})));
    t_ = L::Select(hn::Lt(t.lo, zero), before, t.hi);
    const Mask is_inside = hn::And(Split::IsLess(Split::Of(zero), gap), Split::IsLess(gap, speed));
    const Mask is_on_way =
        hn::And(hn::Gt(t.hi, zero), hn::And(hn::Gt(t_, zero), hn::Lt(t_, L::Set(1))));
    is_hit_ = hn::And(is_hit_, hn::And(is_inside, is_on_way));
    return !L::IsNowhere(is_hit_);
  }

  // In lanes as far as shapes are boxes. False if it is of no lane.
  bool IsAheadOfAll() {
    const V margin = hn::Mul(L::Set(kPlaneMargin), L::Load(extent_));
    const V3 n_A = L::Times(R_AW_, n_W_);
    const V3 n_B = L::TransposedTimes(R_AB_, L::Neg(n_A));
    const Mask is_swapped = hn::Lt(L::Load(sign_), L::Set(0));
    KeepStandingOut(first_, L::Select(is_swapped, n_B, n_A), margin,
                    [](const FacetCase& one) -> const FacetCase::Side& { return one.first; });
    KeepStandingOut(second_, L::Select(is_swapped, n_A, n_B), margin,
                    [](const FacetCase& one) -> const FacetCase::Side& { return one.second; });
    return !L::IsNowhere(is_hit_);
  }

  // Leaves the lanes in which StandsOut is true; the margin in units.
  template <class SideOf>
  void KeepStandingOut(const Side& side, const V3& d, V margin, const SideOf& side_of) {
    const auto stands_out = [&](std::size_t lane, const Vec3d& along, double least) {
      const FacetCase::Side& one = side_of(*cases_[lane]);
      return StandsOut(*one.shape, one.whole, along, least);
    };
    is_hit_ =
        LanesStandingOut<L>({is_hit_, cases_.size(), d, margin}, side, kMaxCorners, stands_out);
  }

  // Leaves the lanes in which the point that the weights make of the vertices, moved, is one where
  // the bodies touch. False if there is none.
  bool IsContact() {
    V3 w = L::Neg(L::Times(t_, L::Load(ray_)));
    for (int i = 0; i < 3; ++i) w = L::Add(w, L::Times(L::Load(weight_[i]), L::Load(w_[i])));
    const V closing_error = hn::Mul(L::Set(ClosingErrorOf(1, 0)), ways_);
    const V error = hn::Add(L::Load(error_), closing_error);
    const V reach = hn::Add(LaneNorm<L>(w), hn::Mul(L::Set(2), error));
    is_hit_ = hn::And(is_hit_, hn::Le(reach, L::Load(tolerance_)));
    L::StoreMask(is_hit_, &is_hit_row_);
    return !L::IsNowhere(is_hit_);
  }

  // SetFacetContact of time_of_collision.cc.
  void FindPoints() {
    const V zero = L::Set(0), metres = L::Load(metres_);
    const Dd left = Split::Sub(gap_, Split::Mul(Split::Of(t_), speed_));
    const V distance = hn::Mul(hn::Max(hn::Div(left.hi, scale_), zero), metres);
    V3 p_A = {zero, zero, zero};
    for (int i = 0; i < 3; ++i) p_A = L::Add(p_A, L::Times(L::Load(weight_[i]), L::Load(p_A_[i])));
    const V3 path = L::Times(t_, L::Load(displacement_));
    const V3 center = L::Add(L::Load(origin_), L::Add(path, L::Load(center_)));
    const V3 from_center = L::TransposedTimes(R_AW_, L::Times(metres, p_A));
    const V3 p_WA = L::Add(L::Add(center, from_center), L::Times(zero, n_W_));
    L::Store(t_, &out_t_);
    L::Store(distance, &out_distance_);
    L::Store(n_W_, &out_n_);
    L::Store(p_WA, &out_p_WA_);
    L::Store(L::Add(p_WA, L::Times(distance, n_W_)), &out_p_WB_);
  }

  void Put(std::size_t lane, const FacetCase& one) const {
    TimeOfCollisionAnswer& answer = *std::construct_at(one.task->answer);
    answer.state = MotionState::kHit;
    answer.t_free = out_t_.at[lane];
    answer.t_hit = out_t_.at[lane];
    answer.distance = out_distance_.at[lane];
    answer.p_WA = out_p_WA_.Get(lane);
    answer.p_WB = out_p_WB_.Get(lane);
    answer.n_AB = out_n_.Get(lane);
    answer.iterations = 1;
    *one.is_answered = true;
  }

  absl::Span<const FacetCase* const> cases_;
  bool is_edges_ = false;

  // Read.
  Side first_, second_;
  Row sign_;  // 1 if the first side is A, else -1
  Row3 offset_high_, offset_low_;
  Row3 way_a_, way_b_;  // displacements in units
  Row offset_error_, radii_, extent_, error_, tolerance_, metres_;
  Row3 R_AW_[3], R_AB_[3];
  Row3 w_[3], p_A_[3];
  Row weight_[3];
  Row3 ray_, displacement_, center_, origin_;

  // Found.
  V3 direction_, n_W_;
  V edges_, factor_, scale_, gap_error_, speed_error_, ways_, t_;
  Dd gap_, slope_, speed_;
  Mask is_hit_;

  // Written.
  Row is_hit_row_, out_t_, out_distance_;
  Row3 out_n_, out_p_WA_, out_p_WB_;
};

void AnswerFacetsHere(const FacetCases& all) {
  using L = Lanes<8>;
  FacetGroup<L> group;
  const auto answer_all = [&group](absl::Span<const FacetCase* const> cases, bool is_edges) {
    for (; !cases.empty(); cases.remove_prefix(std::min(cases.size(), L::kSize)))
      group.Answer(cases, is_edges);
  };
  answer_all({all.faces.data(), all.face_count}, false);
  answer_all({all.edges.data(), all.edge_count}, true);
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(AnswerFacetsHere);

// Finds the fourth corner of a box's face, of which three are given: in each of the face's two
// directions two corners lie on either side. False if they are not of one face.
bool FindFourthCorner(const ConvexShape& box, const FeatureVertices& three, VertexIndex* fourth) {
  const auto octant = [&](int i) { return BoxCorners::Octant(box.vertex(three.vertex[i])); };
  const std::size_t first = octant(0), second = octant(1), third = octant(2);
  constexpr std::size_t kAllDirections = 7;
  if (((first ^ second) | (first ^ third)) == kAllDirections) return false;
  *fourth = box.box_corners().vertex[first ^ second ^ third];
  return true;
}

void SetSide(const PosedShape& posed, double scale, const FeatureVertices& feature,
             FacetCase::Side* side) {
  const auto size = static_cast<std::size_t>(feature.size);
  *side = {&posed.shape, &posed.pose.q_WS, scale, &feature, feature.vertices(),
           size,         feature.vertex[0]};
  const bool is_box_face = posed.shape.box_corners().is_box && feature.size == 3;
  if (is_box_face && FindFourthCorner(posed.shape, feature, &side->last)) ++side->whole_size;
}

// Sets for a hull all corners of the face, or those that Whole takes for it.
void SetWhole(const ShapePair& pair, const FeaturePair& features, FacetCase* one) {
  if (one->first.feature->size != 3 || one->first.shape->box_corners().is_box) return;
  const Features whole = Whole(pair, features);
  one->first.whole = one->is_swapped ? whole.b : whole.a;
}

}  // namespace

bool IsForFacetContacts(const ShapePair& pair) {
  return !pair.is_curved() && !pair.is_rounded() && IsNormalPower(pair.exponent) &&
         IsNormalPower(-pair.exponent);
}

void AnswerFromFacets(absl::Span<const FacetTask> tasks, absl::Span<bool> is_answered) {
  CLEARANCE_ASSERT(tasks.size() == is_answered.size() && tasks.size() <= kTimesOfCollisionAtOnce);
  StaticVector<FacetCase, static_cast<int>(kTimesOfCollisionAtOnce)> cases;
  FacetCases all;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    is_answered[i] = false;
    const TranslatingPair& moving = *tasks[i].moving;
    FacetCase& one =
        *new (cases.AppendRoom()) FacetCase{&tasks[i], {}, {}, {}, false, &is_answered[i]};
    const auto& [p, q, r] = tasks[i].cast->vertex;
    one.pair = {FeatureVertices::Of(p.a, q.a, r.a), FeatureVertices::Of(p.b, q.b, r.b)};
    const int size_a = one.pair.a.size, size_b = one.pair.b.size;
    one.is_swapped = size_b == 3;
    const bool is_edges = size_a == 2 && size_b == 2;
    const bool is_face = size_a + size_b == 4 && !is_edges;
    FacetCase::Side* const sides[] = {&one.first, &one.second};
    SetSide(moving.start_a, moving.pair.scale_a, one.pair.a, sides[one.is_swapped ? 1 : 0]);
    SetSide(moving.start_b, moving.pair.scale_b, one.pair.b, sides[one.is_swapped ? 0 : 1]);
    SetWhole(moving.pair, one.pair, &one);
    // Without branches: the kind is unpredictable.
    all.edges[all.edge_count] = &one;
    all.edge_count += is_edges ? 1 : 0;
    all.faces[all.face_count] = &one;
    all.face_count += is_face ? 1 : 0;
  }
  HWY_DYNAMIC_DISPATCH(AnswerFacetsHere)(all);
}

}  // namespace clearance

#endif  // HWY_ONCE

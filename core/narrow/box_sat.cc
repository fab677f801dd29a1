// SPDX-License-Identifier: Apache-2.0
//
// How far rounding is off. R stands for the exact rotation, p for where B's centre truly is, E for
// the extent, and n for e_i, b_j or e_i x b_j. The columns of R_AB are off by less than 150u (two
// rotations and two local ones), p_AB by placement.error. The overlap of the boxes along n,
//     s = sum_k h_A[k] |n . e_k| + sum_k h_B[k] |n . b_k| - |n . p|,
// is a sum of lengths that are together no larger than 2E, each times entries of R: off by less
// than placement.error + 2 * 160u E by these and by less than 32u E by its own operations. The
// length of n, of which s / |n| is the depth d <= E, is off by less than 160u, which adds 160u E /
// |n|. So d is off by less than (placement.error + 512u E) / |n| = error_ / |n|.
//
// No |n| is below 2^-10 here. So among axes whose depths differ by margin_ = 2^12 error_ the lesser
// is known, and with it the nearest plane: its foot is inside its face.

#include "core/narrow/box_sat.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/math/tolerance.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/box_sat.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

#ifndef CLEARANCE_CORE_NARROW_BOX_SAT_CC_
#define CLEARANCE_CORE_NARROW_BOX_SAT_CC_

namespace clearance {

// The edges or faces of the nearest plane: e_i (b_j is none), b_j (e_i is none) or e_i x b_j.
struct BoxContact {
  static constexpr int kNone = -1;

  double depth;
  double length;  // of n as it is made of the axes
  double error;   // of the depth, times that
  int i;
  int j;
  Vec3d n_A;  // unit, from A to B
  Vec3d n_B;  // the same along B's axes
};

void SetPenetration(const BoxContact& contact, const MinkowskiDifference<double>& difference,
                    Penetration* depth);

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_BOX_SAT_CC_

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// As many pairs as there are lanes.
template <class L>
class BoxPairs {
 public:
  void Find(absl::Span<const BoxTask> tasks) {
    // Lanes that are left repeat the last one.
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      SetLane(lane, *tasks[std::min(lane, tasks.size() - 1)].difference);
    }
    Read();
    OfferFaces();
    for (int j = 0; j < 3; ++j) OfferEdgesOf(j);
    SetNormal();
    Write(hn::And(IsTold(), IsContactTold()));
    for (std::size_t lane = 0; lane < std::min(L::kSize, tasks.size()); ++lane) {
      if (is_told_.at[lane] == 0) continue;
      SetPenetration(ContactOf(lane), *tasks[lane].difference, tasks[lane].depth);
    }
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;

  static constexpr int kNone = BoxContact::kNone;

  void SetLane(std::size_t lane, const MinkowskiDifference<double>& difference) {
    const ShapePair& pair = difference.pair();
    given_.half_a.Set(lane, pair.a.box_corners().half);
    given_.half_b.Set(lane, pair.b.box_corners().half);
    given_.scale_a.at[lane] = pair.scale_a;
    given_.scale_b.at[lane] = pair.scale_b;
    given_.p.Set(lane, difference.placement().p_AB);
    given_.error.at[lane] = difference.placement().error;
    given_.extent.at[lane] = difference.extent();
    const Mat3<double>& R_BA = difference.rotation_BA();
    given_.axis_b[0].Set(lane, R_BA.row_x);
    given_.axis_b[1].Set(lane, R_BA.row_y);
    given_.axis_b[2].Set(lane, R_BA.row_z);
  }

  void Read() {
    p_ = L::Load(given_.p);
    half_a_ = L::Times(L::Load(given_.scale_a), L::Load(given_.half_a));
    half_b_ = L::Times(L::Load(given_.scale_b), L::Load(given_.half_b));
    const V rounding = hn::Mul(L::Set(kBoxAxisRounding), L::Load(given_.extent));
    error_ = hn::Add(hn::Add(L::Load(given_.error), rounding), L::Set(kUnderflowSlack));
    margin_ = hn::Mul(L::Set(kBoxAxisMargin), error_);
    for (int j = 0; j < 3; ++j) {
      axis_b_[j] = L::Load(given_.axis_b[j]);
      size_b_[j] = L::Abs(axis_b_[j]);
    }
    depth_ = second_ = L::Set(HUGE_VAL);
    length_ = L::Set(1);
    along_ = L::Set(0);
    i_ = j_ = L::Set(kNone);
    least_sine_sq_ = L::Set(1);
  }

  // The reach of both boxes together along an axis, and the distance of their centres along it,
  // both times the axis's length.
  struct Reach {
    V both;
    V along;
    V length;
  };

  void Offer(const Reach& reach, int i, int j) {
    const V depth = hn::Div(hn::Sub(reach.both, hn::Abs(reach.along)), reach.length);
    const Mask is_least = hn::Lt(depth, depth_);
    second_ = L::Select(is_least, depth_, hn::Min(second_, depth));
    depth_ = L::Select(is_least, depth, depth_);
    length_ = L::Select(is_least, reach.length, length_);
    along_ = L::Select(is_least, reach.along, along_);
    i_ = L::Select(is_least, L::Set(i), i_);
    j_ = L::Select(is_least, L::Set(j), j_);
  }

  void OfferFaces() {
    const V one = L::Set(1);
    const V3 of_x = L::Times(half_b_.x, size_b_[0]), of_y = L::Times(half_b_.y, size_b_[1]);
    const V3 reach_b = L::Add(L::Add(of_x, of_y), L::Times(half_b_.z, size_b_[2]));
    Offer({hn::Add(half_a_.x, reach_b.x), p_.x, one}, 0, kNone);
    Offer({hn::Add(half_a_.y, reach_b.y), p_.y, one}, 1, kNone);
    Offer({hn::Add(half_a_.z, reach_b.z), p_.z, one}, 2, kNone);
    const V half_b[] = {half_b_.x, half_b_.y, half_b_.z};
    for (int j = 0; j < 3; ++j) {
      const V both = hn::Add(half_b[j], L::Dot(size_b_[j], half_a_));
      Offer({both, L::Dot(axis_b_[j], p_), one}, kNone, j);
    }
  }

  // B reaches along e_0 x b_j, e_1 x b_j and e_2 x b_j by its two edges that are not b_j.
  void OfferEdgesOf(int j) {
    const V half_b[] = {half_b_.x, half_b_.y, half_b_.z};
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    const V3 reach_b = L::Add(L::Times(half_b[k], size_b_[l]), L::Times(half_b[l], size_b_[k]));
    const V3& size = size_b_[j];
    const V3 square = {hn::Mul(size.x, size.x), hn::Mul(size.y, size.y), hn::Mul(size.z, size.z)};
    const V3 sine_sq = {hn::Add(square.y, square.z), hn::Add(square.z, square.x),
                        hn::Add(square.x, square.y)};
    least_sine_sq_ = hn::Min(hn::Min(least_sine_sq_, sine_sq.x), hn::Min(sine_sq.y, sine_sq.z));
    const V3 along = L::Cross(axis_b_[j], p_);
    const V3 reach_a = {hn::Add(hn::Mul(half_a_.y, size.z), hn::Mul(half_a_.z, size.y)),
                        hn::Add(hn::Mul(half_a_.z, size.x), hn::Mul(half_a_.x, size.z)),
                        hn::Add(hn::Mul(half_a_.x, size.y), hn::Mul(half_a_.y, size.x))};
    Offer({hn::Add(reach_a.x, reach_b.x), along.x, hn::Sqrt(sine_sq.x)}, 0, j);
    Offer({hn::Add(reach_a.y, reach_b.y), along.y, hn::Sqrt(sine_sq.y)}, 1, j);
    Offer({hn::Add(reach_a.z, reach_b.z), along.z, hn::Sqrt(sine_sq.z)}, 2, j);
  }

  // True if the least depth is certain, against the other axes, and against the same plane on the
  // other side. Two edges must not be so nearly parallel that their axis is uncertain.
  Mask IsTold() const {
    const V twice = hn::Div(hn::Mul(L::Set(2), hn::Abs(along_)), length_);
    const V next = hn::Min(second_, hn::Add(depth_, twice));
    const Mask is_least = hn::And(hn::Gt(depth_, margin_), hn::Gt(next, hn::Add(depth_, margin_)));
    const Mask is_wide = hn::Gt(hn::Mul(length_, length_), L::Set(kMinContactSineSquared));
    const Mask has_axes = hn::Ge(least_sine_sq_, L::Set(kMinSineSquared));
    return hn::And(is_least, hn::And(is_wide, has_axes));
  }

  static Mask Is(V index, int value) { return hn::Eq(index, L::Set(value)); }
  static V OneIf(Mask mask) { return hn::IfThenElseZero(mask, L::Set(1)); }

  // (e_i x b_j) . p = e_i . (b_j x p), which is what `along` has.
  void SetNormal() {
    const V3 e = {OneIf(Is(i_, 0)), OneIf(Is(i_, 1)), OneIf(Is(i_, 2))};
    const V3 b = L::Select(Is(j_, 0), axis_b_[0], L::Select(Is(j_, 1), axis_b_[1], axis_b_[2]));
    const V3 n = L::Select(Is(i_, kNone), b, L::Select(Is(j_, kNone), e, L::Cross(e, b)));
    n_A_ = L::Times(hn::Div(hn::CopySign(L::Set(1), along_), hn::Sqrt(L::Dot(n, n))), n);
    n_B_ = {L::Dot(axis_b_[0], n_A_), L::Dot(axis_b_[1], n_A_), L::Dot(axis_b_[2], n_A_)};
  }

  // True if no other corner is as near to the plane as those of the contact.
  Mask IsContactTold() const {
    return hn::And(hn::Or(Is(j_, kNone), StandsOut(n_A_, half_a_, i_)),
                   hn::Or(Is(i_, kNone), StandsOut(n_B_, half_b_, j_)));
  }

  // True if the corner that is highest along n, or the edge along the axis `but`, stands out.
  Mask StandsOut(const V3& n, const V3& half, V but) const {
    const auto is_out = [this, but](V n_k, V half_k, int k) {
      return hn::Or(Is(but, k), hn::Gt(hn::Mul(hn::Abs(n_k), half_k), margin_));
    };
    return hn::And(is_out(n.x, half.x, 0), hn::And(is_out(n.y, half.y, 1), is_out(n.z, half.z, 2)));
  }

  void Write(Mask is_told) {
    L::Store(OneIf(is_told), &is_told_);
    L::Store(depth_, &found_.depth);
    L::Store(length_, &found_.length);
    L::Store(error_, &found_.error);
    L::Store(i_, &found_.i);
    L::Store(j_, &found_.j);
    L::Store(n_A_, &found_.n_A);
    L::Store(n_B_, &found_.n_B);
  }

  BoxContact ContactOf(std::size_t lane) const {
    return {found_.depth.at[lane],
            found_.length.at[lane],
            found_.error.at[lane],
            static_cast<int>(found_.i.at[lane]),
            static_cast<int>(found_.j.at[lane]),
            found_.n_A.Get(lane),
            found_.n_B.Get(lane)};
  }

  struct Given {
    Row3 half_a, half_b, p, axis_b[3];
    Row scale_a, scale_b, error, extent;
  };
  struct Found {
    Row depth, length, error, i, j;
    Row3 n_A, n_B;
  };

  Given given_;
  V3 p_, half_a_, half_b_;
  V error_, margin_;
  V3 axis_b_[3];
  V3 size_b_[3];                      // the coordinates of B's axes without signs
  V depth_, length_, along_, i_, j_;  // of the axis of least depth; along_: n . p_AB
  V second_;                          // the least depth but that one
  V least_sine_sq_;
  V3 n_A_, n_B_;
  Found found_;
  Row is_told_;
};

void FindBoxPenetrationsHere(absl::Span<const BoxTask> tasks) {
  constexpr std::size_t kFew = 2;
  using Wide = Lanes<8>;
  // A single pair has its lane to itself: no vector waits for numbers that are written one by one.
  if (tasks.size() <= kFew) {
    for (std::size_t k = 0; k < tasks.size(); ++k) BoxPairs<Lanes<1>>().Find(tasks.subspan(k, 1));
    return;
  }
  BoxPairs<Wide> pairs;
  for (; !tasks.empty(); tasks.remove_prefix(std::min(tasks.size(), Wide::kSize)))
    pairs.Find(tasks);
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(FindBoxPenetrationsHere);

double Coordinate(const Vec3d& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

// Returns the point of A under the origin's foot: the corner of A, or the point above the corner of
// B, or the crossing of the edges as seen along n.
Vec3d PointOf(const BoxContact& contact, const Mat3<double>& R_BA,
              const MinkowskiVertex<double>& top, double height) {
  const Vec3d rest = top.w - height * contact.n_A;  // across n
  if (contact.i == BoxContact::kNone) return top.p_A;
  if (contact.j == BoxContact::kNone) return top.p_A - rest;
  // top.p_A + s e_i - (p_B + t b_j) = height n
  const Vec3d& b = contact.j == 0 ? R_BA.row_x : contact.j == 1 ? R_BA.row_y : R_BA.row_z;
  const double cosine = Coordinate(b, contact.i);
  const double along_a = Coordinate(rest, contact.i), along_b = Dot(rest, b);
  const double s = (cosine * along_b - along_a) / (contact.length * contact.length);
  Vec3d p_A = top.p_A;
  (contact.i == 0 ? p_A.x : contact.i == 1 ? p_A.y : p_A.z) += s;
  return p_A;
}

}  // namespace

void SetPenetration(const BoxContact& contact, const MinkowskiDifference<double>& difference,
                    Penetration* depth) {
  const ShapePair& pair = difference.pair();
  const Vec3d& n_A = contact.n_A;
  const MinkowskiVertex<double> top = difference.At(
      pair.a.box_corners().Towards(n_A), pair.b.box_corners().Towards(-contact.n_B), false);
  const double height = Dot(n_A, top.w) / Norm(n_A);
  depth->is_known = true;
  depth->at_least = contact.depth - contact.error / contact.length;
  depth->at_most = SumOf(height, difference.rounding_error());
  depth->height = height;
  depth->n_A = n_A;
  depth->normal_is_unique = true;
  depth->p_A = PointOf(contact, difference.rotation_BA(), top, height);
}

void FindBoxPenetrations(absl::Span<const BoxTask> tasks) {
  HWY_DYNAMIC_DISPATCH(FindBoxPenetrationsHere)(tasks);
}

}  // namespace clearance

#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0
//
// How far rounding is off. R stands for the exact rotation, p for where B's centre truly is, E for
// the extent, and n for e_i, b_j or e_i x b_j. The columns of R_AB are off by less than 150u (two
// rotations and two local ones), p_AB by placement.error. What the boxes overlap along n,
//     s = sum_k h_A[k] |n . e_k| + sum_k h_B[k] |n . b_k| - |n . p|,
// is a sum of lengths that are together no larger than 2E, each times entries of R: off by less
// than placement.error + 2 * 160u E by these and by less than 32u E by its own operations. The
// length of n, of which s / |n| is the depth d <= E, is off by less than 160u, which adds 160u E /
// |n|. So d is off by less than (placement.error + 512u E) / |n| = error_ / |n|.
//
// No |n| is below 2^-10 here, so that of axes whose depths differ by margin_ = 2^12 error_ the
// lesser is known, and with it the nearest plane: its foot is inside its face.

#include "core/narrow/box_penetration.h"

#include <algorithm>
#include <cmath>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

constexpr int kNone = -1;

double Coordinate(const Vec3d& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

// The edges or faces of an axis: e_i (b_j is none), b_j (e_i is none) or e_i x b_j.
struct Axis {
  double depth = HUGE_VAL;
  double length = 1;  // of n as it is made of the axes
  double along = 0;   // n . p_AB
  int i = kNone;
  int j = kNone;
};

class BoxPair {
 public:
  explicit BoxPair(const Difference<double>& difference)
      : difference_(difference),
        p_(difference.placement().p_AB),
        half_a_(difference.pair().scale_a * difference.pair().a.box_corners().half),
        half_b_(difference.pair().scale_b * difference.pair().b.box_corners().half),
        error_(difference.placement().error + kBoxAxisRounding * difference.extent() +
               kUnderflowSlack),
        margin_(kBoxAxisMargin * error_) {
    const Mat3<double>& R_BA = difference.rotation_BA();
    axis_b_[0] = R_BA.row_x;
    axis_b_[1] = R_BA.row_y;
    axis_b_[2] = R_BA.row_z;
    for (int j = 0; j < 3; ++j) size_b_[j] = Abs(axis_b_[j]);
  }

  bool Find(Penetration* depth) {
    OfferFaces();
    if (!OfferEdges() || !IsTold()) return false;
    SetNormal();
    if (!IsContactTold()) return false;
    Set(depth);
    return true;
  }

 private:
  static Vec3d Abs(const Vec3d& v) { return {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}; }

  // What both boxes together reach along an axis, and how far apart their centres are along it,
  // both times its length.
  struct Reach {
    double both;
    double along;
    double length = 1;
  };

  void Offer(const Reach& reach, int i, int j) {
    const double depth = (reach.both - std::fabs(reach.along)) / reach.length;
    if (depth < least_.depth) {
      second_ = least_.depth;
      least_ = {depth, reach.length, reach.along, i, j};
    } else {
      second_ = std::min(second_, depth);
    }
  }

  void OfferFaces() {
    const Vec3d reach_b = half_b_.x * size_b_[0] + half_b_.y * size_b_[1] + half_b_.z * size_b_[2];
    Offer({half_a_.x + reach_b.x, p_.x}, 0, kNone);
    Offer({half_a_.y + reach_b.y, p_.y}, 1, kNone);
    Offer({half_a_.z + reach_b.z, p_.z}, 2, kNone);
    Offer({half_b_.x + Dot(size_b_[0], half_a_), Dot(axis_b_[0], p_)}, kNone, 0);
    Offer({half_b_.y + Dot(size_b_[1], half_a_), Dot(axis_b_[1], p_)}, kNone, 1);
    Offer({half_b_.z + Dot(size_b_[2], half_a_), Dot(axis_b_[2], p_)}, kNone, 2);
  }

  // False if two edges are so nearly parallel that their axis is not told.
  bool OfferEdges() {
    return OfferEdgesOf(0, half_b_.y * size_b_[2] + half_b_.z * size_b_[1]) &&
           OfferEdgesOf(1, half_b_.z * size_b_[0] + half_b_.x * size_b_[2]) &&
           OfferEdgesOf(2, half_b_.x * size_b_[1] + half_b_.y * size_b_[0]);
  }

  // `reach_b`: of B along e_0 x b_j, e_1 x b_j and e_2 x b_j, by its two edges that are not b_j.
  bool OfferEdgesOf(int j, const Vec3d& reach_b) {
    const Vec3d& size = size_b_[j];
    const Vec3d square = {size.x * size.x, size.y * size.y, size.z * size.z};
    const Vec3d sine_sq = {square.y + square.z, square.z + square.x, square.x + square.y};
    if (std::min({sine_sq.x, sine_sq.y, sine_sq.z}) < kLeastSineSquared) return false;
    const Vec3d along = Cross(axis_b_[j], p_);
    const Vec3d reach_a = {half_a_.y * size.z + half_a_.z * size.y,
                           half_a_.z * size.x + half_a_.x * size.z,
                           half_a_.x * size.y + half_a_.y * size.x};
    Offer({reach_a.x + reach_b.x, along.x, std::sqrt(sine_sq.x)}, 0, j);
    Offer({reach_a.y + reach_b.y, along.y, std::sqrt(sine_sq.y)}, 1, j);
    Offer({reach_a.z + reach_b.z, along.z, std::sqrt(sine_sq.z)}, 2, j);
    return true;
  }

  // Against the other axes, and against the same plane on the other side.
  bool IsTold() const {
    const double other_side = least_.depth + 2 * std::fabs(least_.along) / least_.length;
    return least_.depth > margin_ && std::min(second_, other_side) > least_.depth + margin_ &&
           least_.length * least_.length > kLeastContactSineSquared;
  }

  // (e_i x b_j) . p = e_i . (b_j x p), which is what `along` has.
  void SetNormal() {
    Vec3d n;
    if (least_.i == kNone) {
      n = axis_b_[least_.j];
    } else {
      const Vec3d e = {least_.i == 0 ? 1.0 : 0.0, least_.i == 1 ? 1.0 : 0.0,
                       least_.i == 2 ? 1.0 : 0.0};
      n = least_.j == kNone ? e : Cross(e, axis_b_[least_.j]);
    }
    n_A_ = (std::copysign(1.0, least_.along) / Norm(n)) * n;
    n_B_ = difference_.rotation_BA() * n_A_;
  }

  // True if no other corner is as near to the plane as those of the contact.
  bool IsContactTold() const {
    const bool is_face_of_a = least_.j == kNone, is_face_of_b = least_.i == kNone;
    return (is_face_of_a || StandsOut(n_A_, half_a_, least_.i)) &&
           (is_face_of_b || StandsOut(n_B_, half_b_, least_.j));
  }

  // Of the corner that is highest along n, or of the edge along the axis `but`.
  bool StandsOut(const Vec3d& n, const Vec3d& half, int but) const {
    for (int k = 0; k < 3; ++k) {
      if (k != but && !(std::fabs(Coordinate(n, k)) * Coordinate(half, k) > margin_)) return false;
    }
    return true;
  }

  void Set(Penetration* depth) const {
    const ShapePair& pair = difference_.pair();
    const DifferenceVertex<double> top = difference_.At(pair.a.box_corners().Towards(n_A_),
                                                        pair.b.box_corners().Towards(-n_B_), false);
    const double height = Dot(n_A_, top.w) / Norm(n_A_);
    depth->is_known = true;
    depth->at_least = least_.depth - error_ / least_.length;
    depth->at_most = SumOf(height, difference_.rounding_error());
    depth->height = height;
    depth->n_A = n_A_;
    depth->normal_is_unique = true;
    depth->p_A = PointOf(top, height);
  }

  // The point of A under the origin's foot: the corner of A, or what is above the corner of B, or
  // where the edges cross as seen along n.
  Vec3d PointOf(const DifferenceVertex<double>& top, double height) const {
    const Vec3d rest = top.w - height * n_A_;  // across n
    if (least_.i == kNone) return top.p_A;
    if (least_.j == kNone) return top.p_A - rest;
    // top.p_A + s e_i - (p_B + t b_j) = height n
    const Vec3d& b = axis_b_[least_.j];
    const double cosine = Coordinate(b, least_.i);
    const double along_a = Coordinate(rest, least_.i), along_b = Dot(rest, b);
    const double s = (cosine * along_b - along_a) / (least_.length * least_.length);
    Vec3d p_A = top.p_A;
    (least_.i == 0 ? p_A.x : least_.i == 1 ? p_A.y : p_A.z) += s;
    return p_A;
  }

  const Difference<double>& difference_;
  const Vec3d p_;
  const Vec3d half_a_;
  const Vec3d half_b_;
  const double error_;
  const double margin_;
  Vec3d axis_b_[3];
  Vec3d size_b_[3];  // the coordinates of B's axes without signs
  Axis least_;
  double second_ = HUGE_VAL;
  Vec3d n_A_;  // unit, from A to B
  Vec3d n_B_;  // the same along B's axes
};

}  // namespace

bool FindBoxPenetration(const Difference<double>& difference, Penetration* depth) {
  return BoxPair(difference).Find(depth);
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/query/contact_plane.h"

#include <cmath>

#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// Exactly. Requires: a power of two.
Dd Times(double factor, const Dd& a) { return {factor * a.hi, factor * a.lo}; }

// A rotation times the square of its quaternion's length: without a quotient.
struct Turn {
  Mat3<Dd> matrix;
  Dd length_sq = 1.0;
};

Turn TurnOf(const Quaternion& q) {
  const Dd xx = TwoProduct(q.x, q.x), yy = TwoProduct(q.y, q.y), zz = TwoProduct(q.z, q.z);
  const Dd ww = TwoProduct(q.w, q.w), xy = TwoProduct(q.x, q.y), xz = TwoProduct(q.x, q.z);
  const Dd yz = TwoProduct(q.y, q.z), wx = TwoProduct(q.w, q.x), wy = TwoProduct(q.w, q.y);
  const Dd wz = TwoProduct(q.w, q.z);
  const auto twice = [](const Dd& a) { return Times(2, a); };
  const Dd wx_sum = ww + xx, yz_sum = yy + zz, wx_rest = ww - xx, yz_rest = yy - zz;
  return {{{wx_sum - yz_sum, twice(xy - wz), twice(xz + wy)},
           {twice(xy + wz), wx_rest + yz_rest, twice(yz - wx)},
           {twice(xz - wy), twice(yz + wx), wx_rest - yz_rest}},
          wx_sum + yz_sum};
}

Turn TurnOf(const PosedShape& posed) {
  const Turn pose = TurnOf(posed.pose.q_WS);
  if (IsIdentity(posed.local.q_WS)) return pose;
  const Turn local = TurnOf(posed.local.q_WS);
  return {pose.matrix * local.matrix, pose.length_sq * local.length_sq};
}

Dd TimesDouble(const Dd& a, double b) {
  const Dd high = TwoProduct(a.hi, b);
  return FastTwoSum(high.hi, high.lo + a.lo * b);
}

Dd DotDouble(const Vec3<Dd>& a, const Vec3d& b) {
  return TimesDouble(a.x, b.x) + TimesDouble(a.y, b.y) + TimesDouble(a.z, b.z);
}

Vec3<Dd> TimesDouble(const Mat3<Dd>& m, const Vec3d& v) {
  return {DotDouble(m.row_x, v), DotDouble(m.row_y, v), DotDouble(m.row_z, v)};
}

Vec3<Dd> Offset(const Vec3d& a, const Vec3d& b) {
  return {TwoSum(a.x, -b.x), TwoSum(a.y, -b.y), TwoSum(a.z, -b.z)};
}

// A body's features, centres at the origin and axes of the shape, units.
class Corners {
 public:
  Corners(const ConvexShape& shape, double scale, const FeatureVertices& feature)
      : shape_(shape), scale_(scale), feature_(feature) {}

  Vec3d operator[](int i) const { return scale_ * shape_.vertex(feature_.vertex[i]); }
  // To corner i from the first.
  Vec3<Dd> Edge(int i) const { return Offset((*this)[i], (*this)[0]); }

 private:
  const ConvexShape& shape_;
  const double scale_;
  const FeatureVertices& feature_;
};

// One plane. What is turned has the square of a quaternion's length as a factor, which is made the
// same for all in the end.
class Finder {
 public:
  Finder(const TranslatingPair& translating, const FeaturePair& features, ContactPlane* plane)
      : translating_(translating),
        a_{TurnOf(translating.start_a), {translating.pair.a, translating.pair.scale_a, features.a}},
        b_{TurnOf(translating.start_b), {translating.pair.b, translating.pair.scale_b, features.b}},
        plane_(*plane) {}

  bool FindOnFaceOfA() { return FindOnFace(a_, b_, 1); }
  bool FindOnFaceOfB() { return FindOnFace(b_, a_, -1); }

  bool FindBetweenEdges() {
    const Vec3<Dd> e_W = a_.turn.matrix * a_.corners.Edge(1);
    const Vec3<Dd> f_W = b_.turn.matrix * b_.corners.Edge(1);
    const Vec3<Dd> n_W = Cross(e_W, f_W);
    const Dd lengths_sq = a_.turn.length_sq * b_.turn.length_sq;
    const Dd height_a = Dot(n_W, a_.FirstCorner()) * b_.turn.length_sq;
    const Dd height_b = Dot(n_W, b_.FirstCorner()) * a_.turn.length_sq;
    const Dd gap = Dot(n_W, translating_.offset) * lengths_sq + (height_b - height_a);
    return Set(n_W, Lengths(e_W, f_W), gap, lengths_sq);
  }

 private:
  struct Side {
    Turn turn;
    Corners corners;

    Vec3<Dd> FirstCorner() const { return TimesDouble(turn.matrix, corners[0]); }
  };

  // |e| |f|
  static double Lengths(const Vec3<Dd>& e, const Vec3<Dd>& f) {
    return std::sqrt(NormSquared(ToDouble(e)) * NormSquared(ToDouble(f)));
  }

  // sign: 1 for a face of A.
  bool FindOnFace(const Side& face, const Side& vertex, double sign) {
    const Vec3<Dd> e = face.corners.Edge(1);
    const Vec3<Dd> f = face.corners.Edge(2);
    const Vec3<Dd> n = Cross(e, f);
    const Vec3<Dd> n_W = face.turn.matrix * n;
    const Dd of_face = Times(-sign, DotDouble(n, face.corners[0])) * face.turn.length_sq;
    const Dd of_vertex = Times(sign, Dot(n_W, vertex.FirstCorner()));
    const Dd gap = (Dot(n_W, translating_.offset) + of_face) * vertex.turn.length_sq + of_vertex;
    return Set(n_W, Lengths(e, f), gap, vertex.turn.length_sq);
  }

  // From the gap along a normal of either sense, scaled by |normal| factor. The bodies close in.
  bool Set(const Vec3<Dd>& normal_W, double edges, const Dd& gap, const Dd& factor) {
    const Vec3d direction_W = ToDouble(normal_W);
    const double area = Norm(direction_W);
    if (!(area * area > kLeastSineSquared * edges * edges && area > kThinUnderflow)) return false;
    const Dd slope =
        Dot(normal_W, Offset(translating_.displacement_b, translating_.displacement_a)) * factor;
    if (slope.hi == 0) return false;
    const double sense = slope.hi < 0 ? 1 : -1;
    plane_.n_W = Normalized(sense * direction_W);
    plane_.gap = Times(sense, gap);
    plane_.speed = Times(-sense, slope);
    plane_.scale = area * factor.hi;
    const ShapePair& pair = translating_.pair;
    const double rounding = kPlaneRoundoff * edges;
    const double extent = pair.radius_a + pair.radius_b + Norm(ToDouble(translating_.offset));
    plane_.gap_error = rounding * extent + 1.125 * area * translating_.offset_error;
    plane_.speed_error =
        rounding * (Norm(translating_.displacement_a) + Norm(translating_.displacement_b));
    return true;
  }

  const TranslatingPair& translating_;
  const Side a_;
  const Side b_;
  ContactPlane& plane_;
};

}  // namespace

// What the quotient is off by, 16u^2 of the gap, is far below an eighth of its error.
double ContactPlane::FreeUntil() const {
  const Dd safe_gap = gap - Dd(1.125 * gap_error);
  const Dd safe_speed = speed + Dd(speed_error);
  if (!(safe_gap > Dd(0.0))) return 0;
  return safe_gap >= safe_speed ? 1 : RoundDown(safe_gap / safe_speed);
}

double ContactPlane::GapAt(double t) const { return ToDouble(gap - Dd(t) * speed) / scale; }

bool FindContactPlane(const TranslatingPair& translating, const FeaturePair& features,
                      ContactPlane* plane) {
  const int size_a = features.a.size, size_b = features.b.size;
  Finder finder(translating, features, plane);
  if (size_a == 3 && size_b == 1) return finder.FindOnFaceOfA();
  if (size_a == 1 && size_b == 3) return finder.FindOnFaceOfB();
  return size_a == 2 && size_b == 2 && finder.FindBetweenEdges();
}

}  // namespace clearance

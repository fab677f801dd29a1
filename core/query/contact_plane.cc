// SPDX-License-Identifier: Apache-2.0

#include "core/query/contact_plane.h"

#include <cmath>

#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/query/contact_plane.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/double_double4-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

using Dd = DoubleDouble;
using Dd4 = DoubleDouble4;

// A rotation times the square of its quaternion's length: without a quotient.
struct Turn {
  Matrix4 matrix;
  Dd length_sq = 1.0;
  bool is_none = false;  // the matrix is that of the identity, exactly

  // The product with the identity's matrix is what it turns, but that no zero is negative.
  // Requires: no sum of hi and lo is rounded to another hi.
  HWY_INLINE Dd4 operator*(const Dd4& v) const {
    if (is_none) return {v.hi + Double4{}, v.lo + Double4{}};
    return matrix * v;
  }
  HWY_INLINE Dd4 operator*(const Vec3d& v) const {
    if (is_none) return {ToDouble4(v) + Double4{}, Double4{}};
    return TimesDouble(matrix, v);
  }
};

HWY_INLINE Turn TurnOf(const Quaternion& q) {
  if (IsIdentity(q) && q.w * q.w == 1) return {Matrix4{}, 1.0, true};
  const Double4 all = {q.x, q.y, q.z, q.w};
  const Dd4 squares = TwoProduct(all, all);
  const Dd4 mixed = TwoProduct(Double4{q.x, q.x, q.y, 0}, Double4{q.y, q.z, q.z, 0});
  const Dd4 with_w = TwoProduct(Double4{q.w, q.w, q.w, 0}, Double4{q.z, q.y, q.x, 0});
  const Double4 two = {2, 2, 2, 2};
  const Dd4 sums = Times(two, mixed + with_w);         // xy + wz, xz + wy, yz + wx
  const Dd4 differences = Times(two, mixed - with_w);  // xy - wz, xz - wy, yz - wx
  // ww + xx, yy + zz, ww - xx, yy - zz
  const Dd4 pairs =
      Shuffled<3, 1, 3, 1>(squares) + Times(Double4{1, 1, -1, -1}, Shuffled<0, 2, 0, 2>(squares));
  // The diagonal, and the square of the length.
  const Dd4 ends =
      Shuffled<0, 2, 2, 0>(pairs) + Times(Double4{-1, 1, -1, 1}, Shuffled<1, 3, 3, 1>(pairs));
  const Dd4 below_x = Shuffled<0, 0, 5, 5>(sums, differences);
  const Dd4 beside_y = Shuffled<0, 0, 6, 6>(differences, sums);
  const Dd4 above_z = Shuffled<1, 6, 6, 6>(sums, differences);
  return {{Shuffled<0, 5, 6, 7>(ends, below_x), Shuffled<4, 1, 6, 7>(ends, beside_y),
           Shuffled<4, 5, 2, 7>(ends, above_z)},
          At(ends, 3),
          false};
}

HWY_INLINE Turn TurnOf(const PosedShape& posed) {
  const Turn pose = TurnOf(posed.pose.q_WS);
  if (IsIdentity(posed.local.q_WS)) return pose;
  const Turn local = TurnOf(posed.local.q_WS);
  if (pose.is_none) return local;
  return {pose.matrix * local.matrix, pose.length_sq * local.length_sq, false};
}

HWY_INLINE Dd4 Offset(const Vec3d& a, const Vec3d& b) {
  return TwoSum(ToDouble4(a), -ToDouble4(b));
}

// A body's features, centres at the origin and axes of the shape, units.
class Corners {
 public:
  Corners(const ConvexShape& shape, double scale, const FeatureVertices& feature)
      : shape_(shape), scale_(scale), feature_(feature) {}

  HWY_INLINE Vec3d operator[](int i) const { return scale_ * shape_.vertex(feature_.vertex[i]); }
  // To corner i from the first.
  HWY_INLINE Dd4 Edge(int i) const { return Offset((*this)[i], (*this)[0]); }

 private:
  const ConvexShape& shape_;
  const double scale_;
  const FeatureVertices& feature_;
};

// Finds one plane. Turned vectors have the square of a quaternion's length as a factor, which is
// made the same for all in the end.
class Finder {
 public:
  HWY_INLINE Finder(const TranslatingPair& translating, const FeaturePair& features,
                    ContactPlane* plane)
      : a_{TurnOf(translating.start_a), {translating.pair.a, translating.pair.scale_a, features.a}},
        b_{TurnOf(translating.start_b), {translating.pair.b, translating.pair.scale_b, features.b}},
        translating_(translating),
        plane_(*plane) {}

  bool FindOnFaceOfA() { return FindOnFace(a_, b_, 1); }
  bool FindOnFaceOfB() { return FindOnFace(b_, a_, -1); }

  bool FindBetweenEdges() {
    const Dd4 e_W = a_.turn * a_.corners.Edge(1);
    const Dd4 f_W = b_.turn * b_.corners.Edge(1);
    const Dd4 n_W = Cross(e_W, f_W);
    const Dd lengths_sq = a_.turn.length_sq * b_.turn.length_sq;
    const Dd4 along = Dots(
        n_W, {a_.FirstCorner(), b_.FirstCorner(), ToDoubleDouble4(translating_.offset), Closing()});
    const Dd height_a = At(along, 0) * b_.turn.length_sq;
    const Dd height_b = At(along, 1) * a_.turn.length_sq;
    const Dd gap = At(along, 2) * lengths_sq + (height_b - height_a);
    const double edges = Lengths(e_W.hi, f_W.hi);
    return Set({.direction_W = FirstThree(n_W.hi),
                .edges = edges,
                .gap = gap,
                .slope = At(along, 3) * lengths_sq,
                .factor = lengths_sq.hi});
  }

 private:
  struct Side {
    Turn turn;
    Corners corners;

    HWY_INLINE Dd4 FirstCorner() const { return turn * corners[0]; }
  };

  // Along a normal of either sense, everything scaled by its length and `factor`.
  struct Found {
    Vec3d direction_W;
    double edges;
    Dd gap;
    Dd slope;
    double factor;
  };

  // |e| |f|
  static double Lengths(const Double4& e, const Double4& f) {
    return std::sqrt(NormSquared(FirstThree(e)) * NormSquared(FirstThree(f)));
  }

  HWY_INLINE Dd4 Closing() const {
    return Offset(translating_.displacement_b, translating_.displacement_a);
  }

  // sign: 1 for a face of A.
  HWY_INLINE bool FindOnFace(const Side& face, const Side& vertex, double sign) {
    const Dd4 e = face.corners.Edge(1);
    const Dd4 f = face.corners.Edge(2);
    const Dd4 n = Cross(e, f);
    const Dd4 n_W = face.turn * n;
    const Dd4 of_corner = TimesDouble(n, ToDouble4(face.corners[0]));
    const Dd height = At(of_corner, 0) + At(of_corner, 1) + At(of_corner, 2);
    const Dd4 along =
        Dots(n_W, {vertex.FirstCorner(), ToDoubleDouble4(translating_.offset), Closing(), Dd4{}});
    const Dd of_face = Times(-sign, height) * face.turn.length_sq;
    const Dd of_vertex = Times(sign, At(along, 0));
    return Set({.direction_W = FirstThree(n_W.hi),
                .edges = Lengths(e.hi, f.hi),
                .gap = (At(along, 1) + of_face) * vertex.turn.length_sq + of_vertex,
                .slope = At(along, 2) * vertex.turn.length_sq,
                .factor = vertex.turn.length_sq.hi});
  }

  // Exactly. Requires: a power of two.
  static Dd Times(double factor, const Dd& a) { return {factor * a.hi, factor * a.lo}; }

  // The bodies close in.
  HWY_INLINE bool Set(const Found& found) {
    const double edges = found.edges;
    const double area = Norm(found.direction_W);
    if (!(area * area > kMinSineSquared * edges * edges && area > kThinUnderflow)) return false;
    if (found.slope.hi == 0) return false;
    const double sense = found.slope.hi < 0 ? 1 : -1;
    plane_.n_W = Normalized(sense * found.direction_W);
    plane_.gap = Times(sense, found.gap);
    plane_.speed = Times(-sense, found.slope);
    plane_.scale = area * found.factor;
    const ShapePair& pair = translating_.pair;
    const double rounding = kPlaneRoundoff * edges;
    const double extent = pair.radius_a + pair.radius_b + Norm(ToDouble(translating_.offset));
    plane_.gap_error = rounding * extent + 1.125 * area * translating_.offset_error;
    plane_.speed_error =
        rounding * (Norm(translating_.displacement_a) + Norm(translating_.displacement_b));
    return true;
  }

  const Side a_;
  const Side b_;
  const TranslatingPair& translating_;
  ContactPlane& plane_;
};

bool FindHere(const TranslatingPair& translating, const FeaturePair& features,
              ContactPlane* plane) {
  const int size_a = features.a.size, size_b = features.b.size;
  Finder finder(translating, features, plane);
  if (size_a == 3 && size_b == 1) return finder.FindOnFaceOfA();
  if (size_a == 1 && size_b == 3) return finder.FindOnFaceOfB();
  return size_a == 2 && size_b == 2 && finder.FindBetweenEdges();
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(FindHere);

}  // namespace

// The error of the quotient, 16u^2 of the gap, is far below an eighth of the gap's error.
double ContactPlane::FreeUntil() const {
  const DoubleDouble safe_gap = gap - DoubleDouble(1.125 * gap_error);
  const DoubleDouble safe_speed = speed + DoubleDouble(speed_error);
  if (!(safe_gap > DoubleDouble(0.0))) return 0;
  return safe_gap >= safe_speed ? 1 : RoundDown(safe_gap / safe_speed);
}

double ContactPlane::GapAt(double t) const {
  return ToDouble(gap - DoubleDouble(t) * speed) / scale;
}

bool FindContactPlane(const TranslatingPair& translating, const FeaturePair& features,
                      ContactPlane* plane) {
  return HWY_DYNAMIC_DISPATCH(FindHere)(translating, features, plane);
}

}  // namespace clearance

#endif  // HWY_ONCE

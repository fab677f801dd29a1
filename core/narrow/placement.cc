// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/power_of_two.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// The same as PairExponent, which as a public function would need a call.
int UnitExponent(const ConvexShape& a, const ConvexShape& b, int least_exponent) {
  const int exponent = std::max({a.size_exponent(), b.size_exponent(), least_exponent});
  return exponent == kNoExponent ? 0 : exponent;
}

// Units of one normalised coordinate. A single point has no coordinate but 0, and beside lengths
// near the least double its own exponent would overflow.
double CoordinateScale(const ConvexShape& shape, int exponent) {
  return shape.core_radius() > 0 ? TimesPowerOfTwo(1.0, shape.exponent() - exponent) : 1;
}

// Returns the radius of the spherical extension, units.
Dd RadiusOf(const ConvexShape& shape, int exponent) {
  return {TimesPowerOfTwo(shape.radius(), -exponent),
          TimesPowerOfTwo(shape.radius_low(), -exponent)};
}

// Error of R_AB = R_A^T R_B as an operator. In double: each factor is off by 9u an entry, 27u in
// norm, each entry of a product by another 3u * sqrt(3); in double-double by 64 u^2 an entry
// in the same way. Exact between equal identities.
template <class T>
double RotationError(const PosedShape& a, const PosedShape& b);
template <>
double RotationError<double>(const PosedShape& a, const PosedShape& b) {
  return CoarseRotationError(a, b);
}
template <>
double RotationError<Dd>(const PosedShape&, const PosedShape&) {
  return 16 * kDoubleDoubleRoundoff;
}

// True if RotationInWorld is IdentityMatrix in double, to the last bit.
bool IsPlain(const PosedShape& posed) {
  return IsPlainIdentity(posed.pose.q_WS) && IsIdentity(posed.local.q_WS);
}

int LocalExponent(const PosedShape& posed) { return Exponent(posed.local.p_WS); }

// Returns the exponent of the lengths that RotatedCenter is the sum of; kNoExponent if it is 0.
int CenterExponent(const PosedShape& posed) {
  return std::max(posed.shape.center_exponent(), LocalExponent(posed));
}

Vec3<Dd> Rotated(const Quaternion& q, const Vec3<Dd>& v) {
  return IsIdentity(q) ? v : RotationMatrix<Dd>(q) * v;
}

}  // namespace

double CoarseRotationError(const PosedShape& a, const PosedShape& b) {
  if (HasWorldAxes(a) && HasWorldAxes(b)) return 0;
  const int locals = (IsTurnedInBody(a) ? 1 : 0) + (IsTurnedInBody(b) ? 1 : 0);
  return (70 + 40 * locals) * kRoundoff;
}

int RoundedOffCenterExponent(const PosedShape& posed) {
  const int center = posed.shape.center_exponent(), local = LocalExponent(posed);
  const bool is_sum = center != kNoExponent && local != kNoExponent;
  return HasWorldAxes(posed) && !is_sum ? kNoExponent : std::max(center, local);
}

Vec3<Dd> RotatedCenter(const PosedShape& posed, int exponent) {
  if (CenterExponent(posed) == kNoExponent) return {};
  // As below, without the products and sums that change nothing; no zero is negative.
  if (HasWorldAxes(posed) && LocalExponent(posed) == kNoExponent)
    return To<Dd>(Scaled(posed.shape.center(), -exponent) + Vec3d{});
  const Vec3<Dd> center = To<Dd>(Scaled(posed.shape.center(), -exponent));
  const Vec3<Dd> origin = To<Dd>(Scaled(posed.local.p_WS, -exponent));
  return Rotated(posed.pose.q_WS, origin + Rotated(posed.local.q_WS, center));
}

CenterOffset ComputeCenterOffset(const PosedShape& a, const PosedShape& b) {
  const int centers_exponent = std::max(CenterExponent(a), CenterExponent(b));
  int exponent = std::max({Exponent(a.pose.p_WS), Exponent(b.pose.p_WS), centers_exponent});
  if (exponent == kNoExponent) return {{}, kNoExponent};
  exponent -= kOffsetBits;
  const Vec3d p_WA = Scaled(a.pose.p_WS, -exponent);
  const Vec3d p_WB = Scaled(b.pose.p_WS, -exponent);
  const Vec3<Dd> origins = {SumOf(p_WB.x, -p_WA.x), SumOf(p_WB.y, -p_WA.y), SumOf(p_WB.z, -p_WA.z)};
  // No sums that change nothing.
  if (centers_exponent == kNoExponent) return {origins, exponent};
  const Vec3<Dd> center_b = RotatedCenter(b, exponent);
  if (CenterExponent(a) == kNoExponent) return {origins + center_b, exponent};
  return {origins + (center_b - RotatedCenter(a, exponent)), exponent};
}

int LeastExponent(const PosedShape& a, const PosedShape& b, const CenterOffset& offset) {
  const int reach = Exponent(ToDouble(offset.p_AcBc_W));
  const int centers = std::max(RoundedCenterExponent(a), RoundedCenterExponent(b));
  return std::max(reach == kNoExponent ? kNoExponent : reach + offset.exponent,
                  centers == kNoExponent ? kNoExponent : centers - kMaxCenterSpan);
}

int PairExponent(const ConvexShape& a, const ConvexShape& b, int least_exponent) {
  return UnitExponent(a, b, least_exponent);
}

ShapePair MakeShapePair(const ConvexShape& a, const ConvexShape& b, int least_exponent,
                        Pacer* pacer) {
  const int exponent = UnitExponent(a, b, least_exponent);
  ShapePair pair{a, b, exponent};
  pair.scale_a = CoordinateScale(a, exponent);
  pair.scale_b = CoordinateScale(b, exponent);
  pair.radius_a = a.core_radius() > 0 ? pair.scale_a * a.core_radius() : 0;
  pair.radius_b = b.core_radius() > 0 ? pair.scale_b * b.core_radius() : 0;
  if (pair.is_rounded()) {
    pair.radius_sum = RadiusOf(a, exponent) + RadiusOf(b, exponent);
  }
  pair.size_sum = pair.radius_a + pair.radius_b + pair.radius_sum.hi;
  if (a.vertex_count() + b.vertex_count() >= kVerticesWorthALook) pair.pacer = pacer;
  return pair;
}

BallBounds BoundByBalls(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                        const CenterOffset& offset) {
  const int shift = offset.exponent - pair.exponent;
  const double between = Norm(ToDouble(Scaled(offset.p_AcBc_W, shift)));
  if (!(between > pair.size_sum)) return {};
  const double error = CenterError(a, pair.exponent) + CenterError(b, pair.exponent) +
                       LeastPlaces(shift) + kUnderflowSlack +
                       16 * kRoundoff * (between + pair.size_sum);
  return {between - pair.size_sum - error, between + pair.size_sum + error};
}

template <class T>
RelativeAxes<T> MakeAxes(const ShapePair& pair, const OrientedShape<T>& a,
                         const OrientedShape<T>& b) {
  RelativeAxes<T> axes;
  axes.R_AW = Transpose(a.R_W);
  if constexpr (sizeof(T) == sizeof(double)) {
    axes.R_AB = IsPlain(a.posed) && IsPlain(b.posed) ? axes.R_AW : axes.R_AW * b.R_W;
  } else {
    axes.R_AB = axes.R_AW * b.R_W;
  }
  axes.rotation_error = RotationError<T>(a.posed, b.posed);
  axes.center_error_a = CenterError(a.posed, pair.exponent);
  axes.center_error_b = CenterError(b.posed, pair.exponent);
  return axes;
}

template <class T>
RelativeAxes<T> MakeAxes(const ShapePair& pair, const PosedShape& a, const PosedShape& b) {
  return MakeAxes<T>(pair, OrientedShape<T>{a, RotationInWorld<T>(a)},
                     OrientedShape<T>{b, RotationInWorld<T>(b)});
}

double LeastPlaces(int exponent) {
  using Limits = std::numeric_limits<double>;
  if (exponent < -3) return 0;  // less than half of the least number
  return AnyPowerOfTwo(exponent + 2 + Limits::min_exponent - Limits::digits);
}

template <class T>
Placement<T> MakePlacement(const ShapePair& pair, const RelativeAxes<T>& axes,
                           const CenterOffset& offset) {
  const int shift = offset.exponent - pair.exponent;
  const Vec3<Dd> p_W = Scaled(offset.p_AcBc_W, shift);
  Placement<T> placement;
  placement.R_AB = axes.R_AB;
  if constexpr (sizeof(T) == sizeof(Dd)) {
    placement.p_AB = axes.R_AW * p_W;
  } else {
    placement.p_AB = axes.R_AW * ToDouble(p_W);
  }
  const double reach = Norm(ToDouble(p_W));
  const double offset_error =
      kUnitRoundoff<T> * reach + axes.center_error_a + axes.center_error_b + LeastPlaces(shift);
  placement.error = axes.rotation_error * (pair.radius_b + reach) + offset_error;
  return placement;
}

template <class T>
Placement<T> MakePlacement(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                           const CenterOffset& offset) {
  return MakePlacement(pair, MakeAxes<T>(pair, a, b), offset);
}

template RelativeAxes<double> MakeAxes(const ShapePair&, const OrientedShape<double>&,
                                       const OrientedShape<double>&);
template RelativeAxes<double> MakeAxes(const ShapePair&, const PosedShape&, const PosedShape&);
template RelativeAxes<Dd> MakeAxes(const ShapePair&, const PosedShape&, const PosedShape&);
template Placement<double> MakePlacement(const ShapePair&, const RelativeAxes<double>&,
                                         const CenterOffset&);
template Placement<Dd> MakePlacement(const ShapePair&, const RelativeAxes<Dd>&,
                                     const CenterOffset&);
template Placement<double> MakePlacement(const ShapePair&, const PosedShape&, const PosedShape&,
                                         const CenterOffset&);
template Placement<Dd> MakePlacement(const ShapePair&, const PosedShape&, const PosedShape&,
                                     const CenterOffset&);

}  // namespace clearance

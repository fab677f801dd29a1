// SPDX-License-Identifier: Apache-2.0
//
// From two world poses to one relative placement: common units for both shapes, and the place of B
// in frame A. The offset of the centres is formed in double-double, so that a pair far from the
// world's origin loses nothing.

#pragma once

#include "core/math/double_double.h"
#include "core/math/power_of_two.h"
#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/math/vec3.h"
#include "core/narrow/minkowski_difference.h"
#include "core/shape/posed_shape.h"

namespace clearance {

// From A's centre to B's centre, world axes: p_AcBc_W * 2^exponent metres.
struct CenterOffset {
  Vec3<DoubleDouble> p_AcBc_W;
  int exponent = 0;  // kNoExponent if the offset is 0 exactly
};

// False if the shape's axes are its body's, exactly.
inline bool IsTurnedInBody(const PosedShape& posed) { return !IsIdentity(posed.local.q_WS); }

// True if the shape's axes are the world's, exactly.
inline bool HasWorldAxes(const PosedShape& posed) {
  return IsIdentity(posed.pose.q_WS) && !IsTurnedInBody(posed);
}

// The shape's axes in the world.
template <class T>
Mat3<T> RotationInWorld(const PosedShape& posed) {
  if (!IsTurnedInBody(posed)) return RotationMatrix<T>(posed.pose.q_WS);
  return RotationMatrix<T>(posed.pose.q_WS) * RotationMatrix<T>(posed.local.q_WS);
}

// From the body's origin to the shape's centre, world axes, units of 2^exponent metres: within
// 2^-99 of the lengths that it is the sum of.
Vec3<DoubleDouble> RotatedCenter(const PosedShape& posed, int exponent);

CenterOffset ComputeCenterOffset(const PosedShape& a, const PosedShape& b);

// A pair is solved in units of at least 2^exponent metres; kNoExponent if any will do.
int LeastExponent(const PosedShape& a, const PosedShape& b, const CenterOffset& offset);

// Returns the exponent of the units that MakeShapePair takes.
int PairExponent(const ConvexShape& a, const ConvexShape& b, int least_exponent);

// Returns both shapes in units of 2^exponent metres, in which no coordinate of a vertex, no radius
// and nothing of the size 2^least_exponent metres exceeds 1. `pacer` as in ShapePair: it is not
// told of shapes with fewer vertices than kVerticesWorthALook together, as no question about them
// takes a millisecond.
inline constexpr std::size_t kVerticesWorthALook = 256;
ShapePair MakeShapePair(const ConvexShape& a, const ConvexShape& b, int least_exponent,
                        Pacer* pacer = nullptr);

// The part of a placement that does not change while neither shape turns.
template <class T>
struct RelativeAxes {
  Mat3<T> R_AW;
  Mat3<T> R_AB;
  double rotation_error = 0;  // of R_AB as an operator
  double center_error_a = 0;  // of RotatedCenter, units
  double center_error_b = 0;
};

template <class T>
RelativeAxes<T> MakeAxes(const ShapePair& pair, const PosedShape& a, const PosedShape& b);

// The same if RotationInWorld is known already.
template <class T>
struct OrientedShape {
  const PosedShape& posed;
  const Mat3<T>& R_W;
};
template <class T>
RelativeAxes<T> MakeAxes(const ShapePair& pair, const OrientedShape<T>& a,
                         const OrientedShape<T>& b);

template <class T>
Placement<T> MakePlacement(const ShapePair& pair, const RelativeAxes<T>& axes,
                           const CenterOffset& offset);

// Returns the exponent of the lengths that RotatedCenter is the sum of, if it is rounded;
// kNoExponent if it is exact.
int RoundedOffCenterExponent(const PosedShape& posed);
inline int RoundedCenterExponent(const PosedShape& posed) {
  const bool is_at_origin =
      posed.shape.center_exponent() == kNoExponent && posed.local.p_WS == Vec3d{};
  return is_at_origin ? kNoExponent : RoundedOffCenterExponent(posed);
}

// Return the errors of the parts of a placement in double: of R_AB as an operator, and of
// RotatedCenter, units of 2^exponent metres.
double CoarseRotationError(const PosedShape& a, const PosedShape& b);
inline double CenterError(const PosedShape& posed, int exponent) {
  const int size = RoundedCenterExponent(posed);
  if (size == kNoExponent) return 0;
  return kDoubleDoubleRoundoff * TimesPowerOfTwo(4.0, size - exponent);
}

// Bounds from the balls around two bodies on all pairs of their points, units: none is nearer than
// `gap` and none is farther than `reach`. If the balls meet, the gap is not positive, and the reach
// is nothing.
struct BallBounds {
  double gap = 0;
  double reach = 0;
};
BallBounds BoundByBalls(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                        const CenterOffset& offset);

// Returns the most that the places of both shapes may lose to underflow when they are scaled: four
// times the least number times 2^exponent.
double LeastPlaces(int exponent);

// Returns the relative placement, T = double (the placement's error is a few dozen u) or
// DoubleDouble.
template <class T>
Placement<T> MakePlacement(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                           const CenterOffset& offset);

extern template RelativeAxes<double> MakeAxes(const ShapePair&, const OrientedShape<double>&,
                                              const OrientedShape<double>&);
extern template RelativeAxes<double> MakeAxes(const ShapePair&, const PosedShape&,
                                              const PosedShape&);
extern template RelativeAxes<DoubleDouble> MakeAxes(const ShapePair&, const PosedShape&,
                                                    const PosedShape&);
extern template Placement<double> MakePlacement(const ShapePair&, const RelativeAxes<double>&,
                                                const CenterOffset&);
extern template Placement<DoubleDouble> MakePlacement(const ShapePair&,
                                                      const RelativeAxes<DoubleDouble>&,
                                                      const CenterOffset&);
extern template Placement<double> MakePlacement(const ShapePair&, const PosedShape&,
                                                const PosedShape&, const CenterOffset&);
extern template Placement<DoubleDouble> MakePlacement(const ShapePair&, const PosedShape&,
                                                      const PosedShape&, const CenterOffset&);

}  // namespace clearance

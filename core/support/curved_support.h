// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of the curved cores in closed form: the point of a cylinder, a cone or an
// ellipsoid that is highest in a direction. Computed in the requested precision, so that a
// search in double-double sees the curved body itself and not a rounded copy.
//
// After G. van den Bergen, "A fast and robust GJK implementation for collision detection of convex
// objects", 1999, and C. Ericson, "The Gilbert-Johnson-Keerthi algorithm", 2005.

#pragma once

#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// Returns a point within kCurvedError * u * core_radius of a point of the core, and no point of the
// core is higher along `d` than it by more than kCurvedError * u * |d| * core_radius (u that of T).
// If several are highest, it is one of them, the same for the same d. Requires: shape.is_curved(),
// |d| > 2^-500.
template <class T>
Vec3<T> CurvedSupportPoint(const ConvexShape& shape, const Vec3<T>& d);
inline constexpr double kCurvedError = 12;

extern template Vec3<double> CurvedSupportPoint(const ConvexShape&, const Vec3<double>&);
extern template Vec3<DoubleDouble> CurvedSupportPoint(const ConvexShape&,
                                                      const Vec3<DoubleDouble>&);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/support/curved_support.h"

#include "core/math/assert.h"
#include "core/math/power_of_two.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

// Returns the same direction, long enough that the digits of its squares are no less than normal
// numbers. Coordinates that are tiny beside |d| add no height that counts. But divided by a length
// that lost its digits they would put the point off the body.
template <class T>
Vec3<T> LongEnough(const Vec3<T>& d) {
  const double largest = LargestCoordinate(ToDouble(d));
  if (largest >= kMinSquared || largest == 0) return d;
  return Scaled(d, -ExponentOf(largest));
}

// Returns the point of the circle of this radius about the z axis that is farthest along d; its
// centre if d has no direction across the axis.
template <class T>
Vec3<T> HighestOnCircle(const T& radius, const Vec3<T>& d) {
  const Vec3<T> across = LongEnough(Vec3<T>{d.x, d.y, T(0)});
  const T norm = Sqrt(across.x * across.x + across.y * across.y);
  if (!(norm > T(0))) return {};
  const T scale = radius / norm;
  return {scale * across.x, scale * across.y, T(0)};
}

template <class T>
Vec3<T> HighestOnCylinder(const Vec3<T>& extents, const Vec3<T>& d) {
  Vec3<T> point = HighestOnCircle(extents.x, d);
  point.z = d.z < T(0) ? -extents.z : extents.z;
  return point;
}

template <class T>
Vec3<T> HighestOnCone(const Vec3<T>& extents, const Vec3<T>& d) {
  const Vec3<T> apex = {T(0), T(0), extents.z};
  Vec3<T> rim = HighestOnCircle(extents.x, d);
  rim.z = -extents.z;
  return Dot(d, rim) > Dot(d, apex) ? rim : apex;
}

template <class T>
Vec3<T> HighestOnEllipsoid(const Vec3<T>& extents, const Vec3<T>& d) {
  const Vec3<T> e = LongEnough(Vec3<T>{extents.x * d.x, extents.y * d.y, extents.z * d.z});
  const T norm = Sqrt(NormSquared(e));
  if (!(norm > T(0))) return {};
  const T scale = T(1) / norm;
  return {extents.x * (scale * e.x), extents.y * (scale * e.y), extents.z * (scale * e.z)};
}

}  // namespace

template <class T>
Vec3<T> CurvedSupportPoint(const ConvexShape& shape, const Vec3<T>& d) {
  CLEARANCE_ASSERT(shape.is_curved());
  const Vec3<T> extents = To<T>(shape.extents());
  switch (shape.kind()) {
    case CoreKind::kCylinder:
      return HighestOnCylinder(extents, d);
    case CoreKind::kCone:
      return HighestOnCone(extents, d);
    case CoreKind::kEllipsoid:
      return HighestOnEllipsoid(extents, d);
    case CoreKind::kPolytope:  // excluded by the precondition
      break;
  }
  return {};
}

template Vec3<double> CurvedSupportPoint(const ConvexShape&, const Vec3<double>&);
template Vec3<DoubleDouble> CurvedSupportPoint(const ConvexShape&, const Vec3<DoubleDouble>&);

}  // namespace clearance

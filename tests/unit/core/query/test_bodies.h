// SPDX-License-Identifier: Apache-2.0
//
// Bodies for the tests of core/query.

#pragma once

#include <variant>
#include <vector>

#include "core/shape/make_shape.h"

namespace clearance {

inline ConvexShapePtr Box(double x, double y, double z, double radius = 0) {
  return std::get<ConvexShapePtr>(MakeBox({x, y, z}, radius));
}
inline ConvexShapePtr Sphere(double radius) {
  return std::get<ConvexShapePtr>(MakeSphere(radius, 0));
}
inline ConvexShapePtr Capsule(double radius, double half_length) {
  return std::get<ConvexShapePtr>(MakeCapsule(radius, half_length, 0));
}
inline ConvexShapePtr Points(const std::vector<double>& xyz, double radius = 0) {
  return std::get<ConvexShapePtr>(MakeHull(xyz, radius));
}
inline Pose At(double x, double y, double z) { return {{x, y, z}, {}}; }

// A quarter turn about z.
inline constexpr Quaternion kQuarterTurn = {0, 0, 0.7071067811865476, 0.7071067811865476};

}  // namespace clearance

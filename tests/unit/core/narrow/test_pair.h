// SPDX-License-Identifier: Apache-2.0
//
// Pairs of small shapes for the tests of core/narrow.

#pragma once

#include <variant>
#include <vector>

#include "core/math/tolerance.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/placement.h"
#include "core/shape/make_shape.h"

namespace clearance {

inline ConvexShapePtr HullOf(const std::vector<Vec3d>& points) {
  std::vector<double> xyz;
  for (const Vec3d& p : points) xyz.insert(xyz.end(), {p.x, p.y, p.z});
  return std::get<ConvexShapePtr>(MakeHull(xyz, 0));
}

inline ConvexShapePtr Cube(double half) {
  return std::get<ConvexShapePtr>(MakeBox({half, half, half}, 0));
}

inline ConvexShapePtr Octahedron() {
  return HullOf({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
}

inline int ReachExponent(const CenterOffset& offset) {
  const int reach = Exponent(ToDouble(offset.p_AcBc_W));
  return reach == kNoExponent ? kNoExponent : reach + offset.exponent;
}

// Two shapes at two poses, placed in both precisions.
struct TestPair {
  TestPair(ConvexShapePtr shape_a, ConvexShapePtr shape_b, const Pose& pose_b)
      : a(std::move(shape_a)), b(std::move(shape_b)), b_pose(pose_b) {}

  ConvexShapePtr a, b;
  Pose a_pose, b_pose;
  CenterOffset offset = ComputeCenterOffset({*a, a_pose}, {*b, b_pose});
  ShapePair pair = MakeShapePair(*a, *b, ReachExponent(offset));
  Placement<double> coarse = MakePlacement<double>(pair, {*a, a_pose}, {*b, b_pose}, offset);
  Placement<DoubleDouble> fine =
      MakePlacement<DoubleDouble>(pair, {*a, a_pose}, {*b, b_pose}, offset);
};

inline CoreLimits Limits(const ShapePair& pair) {
  CoreLimits limits;
  limits.size_sum = pair.size_sum;
  limits.max_iterations = kMaxIterations;
  return limits;
}

// Distance of the cores in units, negative where they overlap, by the search that proves what it
// says.
inline double ReferenceDistance(const TestPair& test) {
  MinkowskiDifference<double> difference(test.pair, test.coarse);
  CoreAnswer answer;
  if (SolveFast(difference, Limits(test.pair), &answer)) return ToDouble(answer.distance);
  MinkowskiDifference<DoubleDouble> fine(test.pair, test.fine);
  SolvePrecisely(fine, Limits(test.pair), &answer);
  return ToDouble(answer.distance);
}

}  // namespace clearance

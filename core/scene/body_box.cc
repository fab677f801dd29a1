// SPDX-License-Identifier: Apache-2.0

#include "core/scene/body_box.h"

#include <algorithm>
#include <cmath>

#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

double SumOfSizes(const Vec3d& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); }

double ReachAlong(const Vec3d& row, const Vec3d& half) {
  return std::fabs(row.x) * half.x + std::fabs(row.y) * half.y + std::fabs(row.z) * half.z;
}

WorldBox BoxAbout(const Vec3d& center, const Vec3d& half) { return {center - half, center + half}; }

// Returns the possible rounding error if lengths of this sum are turned and added.
double ErrorOf(double lengths) { return kBoxPlacementError * lengths + kBoxUnderflow; }

Vec3d CubeHalf(double half) { return {half, half, half}; }

// Returns at least the length of v, whether or not squares would overflow or underflow.
double LengthUp(const Vec3d& v) {
  const double largest = LargestCoordinate(v);
  if (largest == 0) return 0;
  const Vec3d unit = {v.x / largest, v.y / largest, v.z / largest};
  const double length = largest * Norm(unit);
  return length + ErrorOf(length);
}

WorldBox Intersection(const WorldBox& a, const WorldBox& b) {
  return {
      {std::max(a.low.x, b.low.x), std::max(a.low.y, b.low.y), std::max(a.low.z, b.low.z)},
      {std::min(a.high.x, b.high.x), std::min(a.high.y, b.high.y), std::min(a.high.z, b.high.z)}};
}

struct Placed {
  Vec3d center;
  Vec3d half;  // with rounding and margin
};

Placed Place(const RigidBody& body, const Pose& X_WB, double margin) {
  const Mat3<double> R_WB = RotationMatrix<double>(X_WB.q_WS);
  const CenteredBox& box = body.box();
  const double lengths =
      SumOfSizes(X_WB.p_WS) + SumOfSizes(box.center) + SumOfSizes(box.half) + margin;
  const double widening = margin + ErrorOf(lengths);
  return {X_WB.p_WS + R_WB * box.center,
          Vec3d{ReachAlong(R_WB.row_x, box.half), ReachAlong(R_WB.row_y, box.half),
                ReachAlong(R_WB.row_z, box.half)} +
              CubeHalf(widening)};
}

}  // namespace

WorldBox BoxAt(const RigidBody& body, const Pose& X_WB, double margin) {
  const Placed placed = Place(body, X_WB, margin);
  return BoxAbout(placed.center, placed.half);
}

// No point is farther from the pivot than the middle and the half diagonal together. It stays that
// far from the pivot, and goes no farther from its start than that times the angle.
WorldBox BoxOfTurning(const RigidBody& body, const Pose& X_WB, const Motion& motion,
                      double margin) {
  const Placed placed = Place(body, X_WB, margin);
  const double angle_rad = LengthUp(motion.rotation);
  if (angle_rad == 0) return BoxAbout(placed.center, placed.half);
  const Vec3d lever = placed.center - motion.pivot;
  const double reach = LengthUp(lever) + LengthUp(placed.half);
  const double error = ErrorOf(reach + SumOfSizes(placed.center) + SumOfSizes(motion.pivot));
  const double way = std::fmin(angle_rad, kPi) * reach;
  const WorldBox near_start =
      BoxAbout(placed.center, placed.half + CubeHalf(way + ErrorOf(way) + error));
  const WorldBox near_pivot = BoxAbout(motion.pivot, CubeHalf(reach + error));
  return Intersection(near_start, near_pivot);
}

MovingFloatBox MovingBoxOf(const WorldBox& box, const Vec3d& displacement) {
  return MakeMovingBox(box.low, box.high, displacement);
}

FloatBox SweptBoxOf(const WorldBox& box, const Vec3d& displacement) {
  const double lengths = SumOfSizes(box.low) + SumOfSizes(box.high) + SumOfSizes(displacement);
  const Vec3d widening = CubeHalf(ErrorOf(lengths));
  const Vec3d back = {std::min(displacement.x, 0.0), std::min(displacement.y, 0.0),
                      std::min(displacement.z, 0.0)};
  const Vec3d ahead = {std::max(displacement.x, 0.0), std::max(displacement.y, 0.0),
                       std::max(displacement.z, 0.0)};
  return MakeFloatBox(box.low + back - widening, box.high + ahead + widening);
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exact_motion.h"

#include <algorithm>
#include <cmath>

namespace clearance::testing {
namespace {

// Both halves are doubles and their sum is x: 64 bits fit.
mpq_class Exact(long double x) {
  const double high = static_cast<double>(x);
  return mpq_class(high) + mpq_class(static_cast<double>(x - static_cast<long double>(high)));
}

ExactPlacement Turn(const Vec3d& rotation, double t) {
  const long double x = rotation.x, y = rotation.y, z = rotation.z;
  const long double speed = std::sqrt(x * x + y * y + z * z);
  if (speed == 0 || t == 0) return PlaceRotation({1, 0, 0, 0});
  const long double half_angle = t * speed / 2;
  const long double s = std::sin(half_angle) / speed;
  return PlaceRotation({Exact(std::cos(half_angle)), Exact(s * x), Exact(s * y), Exact(s * z)});
}

void Shift(ExactPlacement* X, const Vec3d& by, int sign) {
  const double steps[3] = {by.x, by.y, by.z};
  for (int i = 0; i < 3; ++i) X->position[i] += sign * mpq_class(steps[i]);
}

}  // namespace

ExactPlacement PlacementAt(const MovingBody& moving, double t) {
  ExactPlacement X = Place(moving.body.pose);
  Shift(&X, moving.motion.pivot, -1);
  X = Compose(Turn(moving.motion.rotation, t), X);
  Shift(&X, moving.motion.pivot, 1);
  return Moved(std::move(X), t, moving.motion.displacement);
}

ExactDistance DistanceAt(const MovingBody& a, const MovingBody& b, double t) {
  return ComputeExactDistance(
      MakeExactPair({a.body, b.body}, PlacementAt(a, t), PlacementAt(b, t)));
}

double ReachFromPivot(const MovingBody& moving) {
  const Vec3d arm = moving.body.pose.p_WS - moving.motion.pivot;
  double reach = 0;
  for (const Vec3d& p : moving.body.points) reach = std::max(reach, std::hypot(p.x, p.y, p.z));
  return reach + std::hypot(arm.x, arm.y, arm.z);
}

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/world_points.h"

#include <cmath>

#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

Vec3d Rotated(const Quaternion& q, const Vec3d& p) {
  const Vec3d v = {q.x, q.y, q.z};
  const double square = NormSquared(v) + q.w * q.w;
  return p + (2 / square) * Cross(v, Cross(v, p) + q.w * p);
}

DifferenceSets RelativeToA(const testing::BodyPair& pair) {
  DifferenceSets sets;
  for (const Vec3d& p : pair.a.points) sets.a.push_back(Rotated(pair.a.pose.q_WS, p));
  const Vec3d offset = pair.b.pose.p_WS - pair.a.pose.p_WS;
  for (const Vec3d& p : pair.b.points) sets.b.push_back(Rotated(pair.b.pose.q_WS, p) + offset);
  return sets;
}

double WorldRounding(const testing::BodyPair& pair, const DifferenceSets& sets) {
  const Vec3d offset = pair.b.pose.p_WS - pair.a.pose.p_WS;
  return 32 * kUnit * (Extent(sets) + Norm(offset) + pair.a.radius + pair.b.radius);
}

}  // namespace clearance::reference

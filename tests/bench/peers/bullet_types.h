// SPDX-License-Identifier: Apache-2.0
//
// Converts our types to Bullet's.

#pragma once

#include <memory>

#include "BulletCollision/CollisionShapes/btConvexHullShape.h"
#include "tests/bench/peers/peer.h"

namespace clearance::bench {

static_assert(sizeof(btScalar) == sizeof(double));

inline btVector3 ToBullet(const Vec3d& v) { return {v.x, v.y, v.z}; }

inline btTransform ToBullet(const Pose& pose) {
  const auto& r = RotationOf(pose.q_WS).rows;
  return btTransform(
      btMatrix3x3(r[0][0], r[0][1], r[0][2], r[1][0], r[1][1], r[1][2], r[2][0], r[2][1], r[2][2]),
      ToBullet(pose.p_WS));
}

// Makes a hull of vertices; margin 0.
template <class Vertices>
std::unique_ptr<btConvexHullShape> ToBulletHull(const Vertices& vertices) {
  auto hull = std::make_unique<btConvexHullShape>();
  for (const Vec3d& vertex : vertices) hull->addPoint(ToBullet(vertex), false);
  hull->setMargin(0);
  hull->recalcLocalAabb();
  return hull;
}

}  // namespace clearance::bench

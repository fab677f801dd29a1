// SPDX-License-Identifier: Apache-2.0
//
// Whole worlds in Bullet, as world_bench asks it beside ours: rays through the bodies of a level.
// (An arm among obstacles in FCL is client/examples/ompl/fcl_cell.h.)

#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/scene/scene.h"
#include "tests/bench/peers/peer.h"

namespace clearance::bench {

// The vertices of a body that is one hull, in the order of its shape.
inline std::vector<Vec3d> VerticesOf(const RigidBody& body) {
  const ConvexShape& shape = *body.pieces()[0].shape;
  std::vector<Vec3d> vertices;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    const Vec3d& v = shape.vertex(i);
    const auto metres = [&](double x) { return std::ldexp(x, shape.exponent()); };
    vertices.push_back(shape.center() + Vec3d{metres(v.x), metres(v.y), metres(v.z)});
  }
  return vertices;
}

// Bullet's btCollisionWorld on a btDbvtBroadphase with a btConvexHullShape a body, margin 0.
// Thread-compatible.
class BulletWorld {
 public:
  // Requires: every body is one hull.
  explicit BulletWorld(const Scene& scene);
  ~BulletWorld();
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  // The part of the way to the first hit; kNoHit where there is none.
  double Cast(const Vec3d& origin, const Vec3d& displacement) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace clearance::bench

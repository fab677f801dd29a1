// SPDX-License-Identifier: Apache-2.0

#include "BulletCollision/BroadphaseCollision/btDbvtBroadphase.h"
#include "BulletCollision/CollisionDispatch/btCollisionDispatcher.h"
#include "BulletCollision/CollisionDispatch/btCollisionObject.h"
#include "BulletCollision/CollisionDispatch/btCollisionWorld.h"
#include "BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h"
#include "tests/bench/peers/bullet_types.h"
#include "tests/bench/peers/worlds.h"

namespace clearance::bench {

struct BulletWorld::Parts {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btCollisionWorld world{&dispatcher, &broadphase, &configuration};
  std::vector<std::unique_ptr<btConvexHullShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
};

BulletWorld::BulletWorld(const Scene& scene) : parts_(std::make_unique<Parts>()) {
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const SceneBody body = scene.BodyAt(i);
    parts_->shapes.push_back(ToBulletHull(VerticesOf(*body.body)));
    auto object = std::make_unique<btCollisionObject>();
    object->setCollisionShape(parts_->shapes.back().get());
    object->setWorldTransform(ToBullet(body.X_WB));
    parts_->world.addCollisionObject(object.get(), btBroadphaseProxy::StaticFilter);
    parts_->objects.push_back(std::move(object));
  }
  parts_->broadphase.optimize();
}

BulletWorld::~BulletWorld() {
  for (const auto& object : parts_->objects) parts_->world.removeCollisionObject(object.get());
}

double BulletWorld::Cast(const Vec3d& origin, const Vec3d& displacement) const {
  const btVector3 from = ToBullet(origin);
  const btVector3 to = ToBullet(origin + displacement);
  btCollisionWorld::ClosestRayResultCallback closest(from, to);
  parts_->world.rayTest(from, to, closest);
  return closest.hasHit() ? closest.m_closestHitFraction : kNoHit;
}

}  // namespace clearance::bench

// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "fcl/broadphase/broadphase_dynamic_AABB_tree.h"
#include "fcl/geometry/shape/box.h"
#include "fcl/geometry/shape/cylinder.h"
#include "fcl/narrowphase/collision.h"
#include "tests/bench/peers/fcl_types.h"
#include "tests/bench/peers/worlds.h"

namespace clearance::bench {
namespace {

using Object = fcl::CollisionObject<double>;
using Manager = fcl::DynamicAABBTreeCollisionManager<double>;

struct Collision {
  const PairRules& rules;
  fcl::CollisionRequest<double> request;
  bool touches = false;
};

// What the user data of an object points at: the link's id; null of an obstacle.
const BodyId* LinkOf(const Object* object) {
  return static_cast<const BodyId*>(object->getUserData());
}

// True: the manager need not go on.
bool Collide(Object* a, Object* b, void* data) {
  auto* const collision = static_cast<Collision*>(data);
  if (collision->touches) return true;
  const BodyId* const link_a = LinkOf(a);
  const BodyId* const link_b = LinkOf(b);
  const bool is_self = link_a != nullptr && link_b != nullptr;
  if (is_self && collision->rules.Find(*link_a, *link_b) != nullptr) return false;
  fcl::CollisionResult<double> result;
  fcl::collide(a, b, collision->request, result);
  collision->touches = result.isCollision();
  return collision->touches;
}

std::shared_ptr<fcl::CollisionGeometry<double>> GeometryOf(const testing::Obstacle& obstacle) {
  if (obstacle.kind == testing::Obstacle::Kind::kBox)
    return std::make_shared<fcl::Box<double>>(2 * ToFcl(obstacle.half));
  return std::make_shared<fcl::Cylinder<double>>(obstacle.half.x, 2 * obstacle.half.z);
}

}  // namespace

struct FclCell::Parts {
  std::vector<BodyId> ids;  // of the links
  std::vector<std::unique_ptr<Object>> links, obstacles;
  Manager link_manager;
  std::unique_ptr<Manager> obstacle_manager;
  std::vector<fcl::Transform3<double>> poses;
  Collision collision;
};

FclCell::FclCell(const std::vector<SceneBody>& links, const PairRules& rules, FclSolver solver)
    : parts_(new Parts{{}, {}, {}, {}, {}, {}, {rules, {}}}) {
  parts_->collision.request.gjk_solver_type = ToFcl(solver);
  for (const SceneBody& link : links) parts_->ids.push_back(link.id);
  for (const SceneBody& link : links) {
    auto object = std::make_unique<Object>(std::shared_ptr<fcl::Convex<double>>(
        ToFclHull(VerticesOf(*link.body), link.body->pieces()[0].shape->faces())));
    object->setUserData(&parts_->ids[parts_->links.size()]);
    parts_->link_manager.registerObject(object.get());
    parts_->links.push_back(std::move(object));
  }
  parts_->link_manager.setup();
}

FclCell::~FclCell() = default;

void FclCell::Load(const std::vector<testing::Obstacle>& obstacles) {
  parts_->obstacle_manager = std::make_unique<Manager>();
  parts_->obstacles.clear();
  for (const testing::Obstacle& obstacle : obstacles) {
    parts_->obstacles.push_back(
        std::make_unique<Object>(GeometryOf(obstacle), ToFcl(obstacle.X_WO)));
    parts_->obstacles.back()->setUserData(nullptr);  // FCL leaves it as memory was
    parts_->obstacle_manager->registerObject(parts_->obstacles.back().get());
  }
  parts_->obstacle_manager->setup();
}

void FclCell::Prepare(const std::vector<Pose>& poses) {
  parts_->poses.clear();
  for (const Pose& pose : poses) parts_->poses.push_back(ToFcl(pose));
}

bool FclCell::Check(std::size_t i) {
  for (std::size_t k = 0; k < parts_->links.size(); ++k) {
    parts_->links[k]->setTransform(parts_->poses[i * parts_->links.size() + k]);
    parts_->links[k]->computeAABB();
  }
  parts_->link_manager.update();
  Collision& collision = parts_->collision;
  collision.touches = false;
  parts_->link_manager.collide(&collision, Collide);
  if (!collision.touches)
    parts_->obstacle_manager->collide(&parts_->link_manager, &collision, Collide);
  return collision.touches;
}

}  // namespace clearance::bench

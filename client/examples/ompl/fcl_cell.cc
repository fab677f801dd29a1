// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/fcl_cell.h"

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <variant>

#include "client/examples/ompl/hull_faces.h"
#include "fcl/broadphase/broadphase_dynamic_AABB_tree.h"
#include "fcl/geometry/shape/box.h"
#include "fcl/geometry/shape/convex.h"
#include "fcl/geometry/shape/cylinder.h"
#include "fcl/narrowphase/collision.h"

namespace clearance::plan {
namespace {

using Object = fcl::CollisionObject<double>;
using Manager = fcl::DynamicAABBTreeCollisionManager<double>;
using Geometry = std::shared_ptr<fcl::CollisionGeometry<double>>;

fcl::Transform3<double> ToFcl(const Pose& pose) {
  fcl::Transform3<double> transform = fcl::Transform3<double>::Identity();
  transform.linear() =
      fcl::Quaternion<double>(pose.qw, pose.qx, pose.qy, pose.qz).toRotationMatrix();
  transform.translation() = fcl::Vector3<double>(pose.x, pose.y, pose.z);
  return transform;
}

Geometry ToFcl(const client::Hull& hull) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3<double>>>();
  for (std::size_t i = 0; i < hull.vertices.size(); i += 3)
    vertices->emplace_back(hull.vertices[i], hull.vertices[i + 1], hull.vertices[i + 2]);
  auto faces = std::make_shared<std::vector<int>>();
  const std::vector<int> triangles = HullTriangles(hull.vertices);
  for (std::size_t i = 0; i < triangles.size(); i += 3)
    faces->insert(faces->end(), {3, triangles[i], triangles[i + 1], triangles[i + 2]});
  const int count = static_cast<int>(triangles.size() / 3);
  return std::make_shared<fcl::Convex<double>>(vertices, count, faces, /*throw_if_invalid=*/true);
}

// Ends the process if the kind is one that robots and problems do not have.
Geometry ToFcl(const Shape& shape) {
  if (const auto* const box = std::get_if<client::Box>(&shape.kind)) {
    const Vec3& half = box->half_extents;
    return std::make_shared<fcl::Box<double>>(2 * half.x, 2 * half.y, 2 * half.z);
  }
  if (const auto* const cylinder = std::get_if<client::Cylinder>(&shape.kind))
    return std::make_shared<fcl::Cylinder<double>>(cylinder->radius, 2 * cylinder->half_length);
  if (const auto* const hull = std::get_if<client::Hull>(&shape.kind)) return ToFcl(*hull);
  std::abort();
}

struct Collision {
  const Robot& robot;
  fcl::CollisionRequest<double> request;
  bool touches = false;
};

// Returns the user data of an object: the index of a body of the arm; null for an obstacle.
const std::size_t* BodyOf(const Object* object) {
  return static_cast<const std::size_t*>(object->getUserData());
}

// Returns true if the manager need not go on.
bool Collide(Object* a, Object* b, void* data) {
  auto* const collision = static_cast<Collision*>(data);
  if (collision->touches) return true;
  const std::size_t* const body_a = BodyOf(a);
  const std::size_t* const body_b = BodyOf(b);
  const bool is_self = body_a != nullptr && body_b != nullptr;
  if (is_self && collision->robot.MayTouch(*body_a, *body_b)) return false;
  fcl::CollisionResult<double> result;
  fcl::collide(a, b, collision->request, result);
  collision->touches = result.isCollision();
  return collision->touches;
}

}  // namespace

struct FclCell::Parts {
  std::vector<std::size_t> indices;  // of the bodies
  std::vector<std::unique_ptr<Object>> bodies, obstacles;
  Manager body_manager;
  std::unique_ptr<Manager> obstacle_manager;
  Collision collision;
};

FclCell::FclCell(const Robot& robot, Solver solver)
    : parts_(new Parts{{}, {}, {}, {}, {}, {robot, {}}}) {
  parts_->collision.request.gjk_solver_type =
      solver == Solver::kLibccd ? fcl::GST_LIBCCD : fcl::GST_INDEP;
  for (std::size_t i = 0; i < robot.bodies().size(); ++i) parts_->indices.push_back(i);
  for (const RobotBody& body : robot.bodies()) {
    auto object = std::make_unique<Object>(ToFcl(body.shape));
    object->setUserData(&parts_->indices[parts_->bodies.size()]);
    parts_->body_manager.registerObject(object.get());
    parts_->bodies.push_back(std::move(object));
  }
  parts_->body_manager.setup();
}

FclCell::~FclCell() = default;

void FclCell::Load(const std::vector<Obstacle>& obstacles) {
  parts_->obstacle_manager = std::make_unique<Manager>();
  parts_->obstacles.clear();
  for (const Obstacle& obstacle : obstacles) {
    parts_->obstacles.push_back(
        std::make_unique<Object>(ToFcl(obstacle.shape), ToFcl(obstacle.X_WO)));
    parts_->obstacles.back()->setUserData(nullptr);  // FCL leaves it as memory was
    parts_->obstacle_manager->registerObject(parts_->obstacles.back().get());
  }
  parts_->obstacle_manager->setup();
}

bool FclCell::Touches(const std::vector<Pose>& poses) {
  for (std::size_t i = 0; i < parts_->bodies.size(); ++i) {
    parts_->bodies[i]->setTransform(ToFcl(poses[i]));
    parts_->bodies[i]->computeAABB();
  }
  parts_->body_manager.update();
  Collision& collision = parts_->collision;
  collision.touches = false;
  parts_->body_manager.collide(&collision, Collide);
  if (!collision.touches)
    parts_->obstacle_manager->collide(&parts_->body_manager, &collision, Collide);
  return collision.touches;
}

bool FclCell::Touches(const JointVector& joints) {
  return Touches(parts_->collision.robot.BodyPosesAt(joints));
}

}  // namespace clearance::plan

// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/one_by_one.h"

#include <cmath>
#include <cstddef>
#include <tuple>
#include <variant>

#include "core/shape/make_shape.h"

namespace clearance::bench {
namespace {

// The first of two contacts is that with the least key.
using ContactKey = std::tuple<double, double, BodyId>;

ContactKey KeyOf(const TimeOfCollisionAnswer& contact, BodyId body) {
  if (contact.state == MotionState::kInitiallyOverlapping) return {-1, 0, body};
  return {contact.state == MotionState::kHit ? contact.t_hit : contact.t_free, contact.t_free,
          body};
}

}  // namespace

FirstContact FirstOneByOne(const Scene& scene, const MovingBody& moving) {
  FirstContact first;
  ContactKey least = {HUGE_VAL, HUGE_VAL, 0};
  double t_free = 1;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const SceneBody body = scene.BodyAt(i);
    const Motion rest = {{}, {}, body.X_WB.p_WS};
    const TimeOfCollisionAnswer contact =
        TimeOfCollision(moving, MovingBody{*body.body, body.X_WB, rest}, {});
    if (contact.state == MotionState::kFree) continue;
    t_free = std::fmin(t_free, contact.t_free);
    const ContactKey key = KeyOf(contact, body.id);
    if (key > least) continue;
    least = key;
    first = {contact.state, contact.t_hit, 1, body.id};
  }
  first.t_free = t_free;
  return first;
}

FirstContact FirstOneByOne(const Scene& scene, const Ray& ray) {
  static const RigidBodyPtr point = MakeBody(std::get<ConvexShapePtr>(MakePoint(0)));
  const Pose start = {ray.origin, {}};
  const Motion motion = {ray.displacement, {}, ray.origin};
  return FirstOneByOne(scene, MovingBody{*point, start, motion});
}

bool IsSame(const FirstContact& first, const SweepAnswer& answer) {
  const TimeOfCollisionAnswer& contact = answer.earliest.contact;
  if (first.state != contact.state) return false;
  if (first.state == MotionState::kFree) return true;
  return first.body == answer.earliest.pair.b && first.t_free == contact.t_free &&
         (first.state != MotionState::kHit || first.t_hit == contact.t_hit);
}

}  // namespace clearance::bench

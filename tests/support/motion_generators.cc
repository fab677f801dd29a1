// SPDX-License-Identifier: Apache-2.0
#include "tests/support/motion_generators.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "core/proof/check_motion.h"
#include "tests/support/answer_checker.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

// tau of the contract: 1e-9 of the bodies' size.
constexpr double kRelative = 1e-9;

Vec3d Middle(const Body& body) {
  const ExactPair world = MakeExactPair({body, body});
  mpz_class x, y, z;
  for (const ExactVector& p : world.a) x += p.x, y += p.y, z += p.z;
  const auto mean = [&](const mpz_class& sum) {
    return mpq_class(sum * world.unit / static_cast<unsigned long>(world.a.size())).get_d();
  };
  return {mean(x), mean(y), mean(z)};
}

void Aim(Random& random, MovingPair* pair) {
  const Vec3d towards = Middle(pair->b.body) - Middle(pair->a.body);
  const double miss = random.OneIn(2) ? 0 : random.LogUniform(1e-3, 1e1);
  pair->a.motion.displacement = random.LogUniform(1e-2, 1e2) * towards + miss * random.Direction();
  if (random.OneIn(4)) pair->a.motion.displacement = random.InCube(3);
  if (random.OneIn(2)) pair->b.motion.displacement = random.InCube(2);
}

std::string Describe(const Motion& motion) {
  char text[320];
  const auto& [d, w, p] = motion;
  std::snprintf(text, sizeof(text), "displacement %a %a %a rotation %a %a %a pivot %a %a %a\n", d.x,
                d.y, d.z, w.x, w.y, w.z, p.x, p.y, p.z);
  return text;
}

}  // namespace

MovingPair RandomTranslation(Random& random) {
  Family family = Family::kEllipsoids;
  while (family == Family::kEllipsoids) family = static_cast<Family>(random.Below(kFamilyCount));
  BodyPair bodies = Generate(family, random);
  MovingPair pair = {{std::move(bodies.a), {}}, {std::move(bodies.b), {}}, 0};
  if (random.OneIn(4)) pair.target = random.LogUniform(1e-6, 1);
  Aim(random, &pair);
  return pair;
}

MovingPair RandomRotation(Random& random) {
  MovingPair pair = {{RandomSmallBody(random), {}}, {RandomSmallBody(random), {}}, 0};
  pair.a.body.pose = {random.InCube(2), random.Rotation()};
  pair.b.body.pose = {random.InCube(2.5), random.Rotation()};
  for (MovingBody* moving : {&pair.a, &pair.b}) {
    if (moving == &pair.b && random.OneIn(2)) continue;
    moving->motion.rotation = random.LogUniform(0.05, 63) * random.Direction();
    if (random.OneIn(2)) moving->motion.displacement = random.InCube(3);
    moving->motion.pivot = random.OneIn(2) ? moving->body.pose.p_WS : random.InCube(3);
    if (random.OneIn(5)) moving->body.radius = random.Uniform(0, 0.5);
  }
  if (random.OneIn(4)) pair.target = random.LogUniform(1e-6, 1);
  return pair;
}

TimeOfCollisionAnswer Ask(const MovingPair& pair) {
  const ConvexShapePtr a = MakeShape(pair.a.body);
  const ConvexShapePtr b = MakeShape(pair.b.body);
  return TimeOfCollision({*a, pair.a.body.pose, pair.a.motion},
                         {*b, pair.b.body.pose, pair.b.motion}, {pair.target});
}

std::string FindProofFault(const MovingPair& pair) {
  const ConvexShapePtr shape_a = MakeShape(pair.a.body);
  const ConvexShapePtr shape_b = MakeShape(pair.b.body);
  const MovingShape a = {*shape_a, pair.a.body.pose, pair.a.motion};
  const MovingShape b = {*shape_b, pair.b.body.pose, pair.b.motion};
  MotionProof proof;
  const MotionOptions options = {.target_distance = pair.target, .proof = &proof};
  return FaultOf(CheckTimeOfCollision(a, b, options, TimeOfCollision(a, b, options)));
}

double Tau(const MovingPair& pair) {
  const double size =
      MakeShape(pair.a.body)->bounding_radius() + MakeShape(pair.b.body)->bounding_radius();
  return kRelative * (size + pair.target) + 64 * 0x1p-53 * (size + pair.target);
}

std::string FindContactFault(const MovingPair& pair, const TimeOfCollisionAnswer& answer,
                             double slack) {
  const ExactPair world =
      MakeExactPair({pair.a.body, pair.b.body}, PlacementAt(pair.a, answer.t_hit),
                    PlacementAt(pair.b, answer.t_hit));
  const double gap = CoreGapAlong(world, answer.n_AB) - pair.a.body.radius - pair.b.body.radius;
  std::string faults;
  if (!(gap >= pair.target - slack))
    faults += "the normal separates by only " + std::to_string(gap) + "\n";
  const Vec3d step = answer.p_WB - answer.p_WA;
  const double length = std::hypot(step.x, step.y, step.z);
  if (!(length <= pair.target + Tau(pair) + slack))
    faults += "points " + std::to_string(length) + " apart\n";
  return faults;
}

std::string Describe(const MovingPair& pair) {
  char text[64];
  std::snprintf(text, sizeof(text), "target %a\n", pair.target);
  return "A: " + Describe(pair.a.body) + "\n" + Describe(pair.a.motion) +
         "B: " + Describe(pair.b.body) + "\n" + Describe(pair.b.motion) + text;
}

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
//
// Distances of cylinders, cones and ellipsoids against closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "core/math/tolerance.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

ConvexShapePtr Cylinder(double r, double h, double radius = 0) {
  return std::get<ConvexShapePtr>(MakeCylinder(r, h, radius));
}
ConvexShapePtr Cone(double r, double h) { return std::get<ConvexShapePtr>(MakeCone(r, h, 0)); }
ConvexShapePtr Ellipsoid(const Vec3d& axes) {
  return std::get<ConvexShapePtr>(MakeEllipsoid(axes, 0));
}

// The x axis becomes the z axis.
constexpr Quaternion kTippedOver = {0, 0.7071067811865476, 0, 0.7071067811865476};

void ExpectApart(const ConvexShapePtr& a, const Pose& pose_a, const ConvexShapePtr& b,
                 const Pose& pose_b, double want) {
  const DistanceAnswer answer = Distance({*a, pose_a}, {*b, pose_b}, {});
  ASSERT_EQ(answer.state, State::kSeparated);
  EXPECT_LE(answer.bracket.lower, want + 1e-15);
  EXPECT_GE(answer.bracket.upper, want - 1e-15);
  EXPECT_NEAR(answer.distance, want, 1e-12);
  EXPECT_NEAR(std::sqrt(NormSquared(answer.p_WB - answer.p_WA)), want, 1e-12);
  const DistanceAnswer swapped = Distance({*b, pose_b}, {*a, pose_a}, {});
  EXPECT_NEAR(swapped.distance, want, 1e-12);
}

TEST(CurvedDistance, OfCylinders) {
  ExpectApart(Cylinder(1, 2), {}, Cylinder(0.5, 1), At(3, 0, 0), 1.5);    // side to side
  ExpectApart(Cylinder(1, 2), {}, Cylinder(0.5, 1), At(0.3, 0.2, 4), 1);  // cap to cap
  ExpectApart(Cylinder(1, 2), {}, Cylinder(0.5, 1), At(4, 0, 6), std::hypot(2.5, 3));  // rims
  ExpectApart(Cylinder(1, 2), {}, Cylinder(0.5, 2), {{4, 0, 0}, kTippedOver}, 1);      // a T
  ExpectApart(Cylinder(1, 2, 0.25), {}, Sphere(0.5), At(0, 0, 5), 2.25);
  ExpectApart(Cylinder(2, 0), {}, Box(1, 1, 1), At(0, 0, 4), 3);  // a disc
}

TEST(CurvedDistance, OfCones) {
  ExpectApart(Cone(1, 1), {}, Box(1, 1, 1), At(0, 0, 3), 1);  // the apex to a face
  ExpectApart(Cone(1, 1), {}, Cone(1, 1), At(5, 0, 0), 3);    // rim to rim
  // A point outside of the side: its distance from the line through (1, -1) and (0, 1).
  ExpectApart(Cone(1, 1), {}, Points({2, 0, 1}), {}, 4 / std::sqrt(5.0));
}

TEST(CurvedDistance, OfEllipsoids) {
  ExpectApart(Ellipsoid({1, 2, 3}), {}, Sphere(1), At(0, 0, 6), 2);
  ExpectApart(Ellipsoid({1, 2, 3}), {}, Ellipsoid({3, 2, 1}), At(6, 0, 0), 2);
  // From the point p + 2 n of a point p of the surface with the unit normal n.
  const Vec3d axes = {1, 2, 3};
  const Vec3d p = {axes.x * 2 / 3, axes.y * 2 / 3, axes.z * 1 / 3};
  const Vec3d gradient = {p.x / (axes.x * axes.x), p.y / (axes.y * axes.y),
                          p.z / (axes.z * axes.z)};
  const Vec3d outside = p + (2 / std::sqrt(NormSquared(gradient))) * gradient;
  ExpectApart(Ellipsoid(axes), {}, Points({outside.x, outside.y, outside.z}), {}, 2);
}

TEST(CurvedDistance, IsTheSameFarFromTheOriginAndAtAnyScale) {
  const auto near = Distance({*Cylinder(1, 2), {}}, {*Cone(1, 1), At(3, 1, 0)}, {});
  const auto far =
      Distance({*Cylinder(1, 2), At(1e8, 0, -1e8)}, {*Cone(1, 1), At(1e8 + 3, 1, -1e8)}, {});
  EXPECT_NEAR(near.distance, far.distance, 1e-13);
  const double scale = 0x1p500;
  const auto large = Distance({*Cylinder(scale, 2 * scale), {}},
                              {*Cone(scale, scale), At(3 * scale, scale, 0)}, {});
  EXPECT_EQ(large.distance, scale * near.distance);
  EXPECT_EQ(large.bracket.lower, scale * near.bracket.lower);
}

TEST(CurvedIntersection, DecidesCloseCalls) {
  for (const double gap : {1e-3, 1e-6, 1e-9}) {
    const auto state = [](double apart) {
      return Intersection({*Cylinder(1, 2), {}}, {*Ellipsoid({1, 2, 3}), At(2 + apart, 0, 0)})
          .state;
    };
    EXPECT_EQ(state(gap), State::kSeparated) << gap;
    EXPECT_EQ(state(-gap), State::kPenetrating) << gap;
  }
}

TEST(CurvedTimeOfCollision, OfARollingCylinderAndOfASpinningCone) {
  const Motion rest;
  const Motion roll = {{-4, 0, 0}, {0, 0, 100}, {}};  // about its own axis: as if it did not turn
  const Pose start = {};
  const auto hit =
      TimeOfCollision({*Cylinder(1, 1), start, roll}, {*Box(1, 1, 1), At(-4, 0, 0), rest}, {});
  ASSERT_EQ(hit.state, MotionState::kHit);
  EXPECT_LE(hit.t_free, 0.5);
  EXPECT_NEAR(hit.t_hit, 0.5, 1e-8);
  // The apex of a cone swings by pi about its base; it meets a wall at 2 cos(30 degrees) there.
  const Motion swing = {{}, {0, kPi, 0}, {0, 0, -1}};
  const auto met = TimeOfCollision({*Cone(1e-3, 1), start, swing},
                                   {*Box(1, 3, 3), At(1 + std::sqrt(3.0), 0, 0), rest}, {});
  ASSERT_EQ(met.state, MotionState::kHit);
  EXPECT_LE(met.t_free, 1 / 3.0);
  EXPECT_NEAR(met.t_hit, 1 / 3.0, 1e-8);
}

}  // namespace
}  // namespace clearance

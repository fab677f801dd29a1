// SPDX-License-Identifier: Apache-2.0
//
// Boxes hold their bodies: the distance of a body from the walls that its box makes, and of the
// same at times along its way.

#include "core/scene/body_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/math/rotation.h"
#include "core/scene/row_boxes.h"
#include "core/shape/make_shape.h"
#include "hwy/targets.h"
#include "tests/support/compound.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::CompoundFamily;
using testing::Effort;
using testing::kCompoundFamilyCount;
using testing::Random;
using testing::RunSeed;

RigidBodyPtr BodyOf(ShapeOrError shape) {
  return MakeBody(std::get<ConvexShapePtr>(std::move(shape)));
}

// World points of the body, some of them on its surface.
std::vector<Vec3d> PointsOf(const RigidBody& body, const Pose& X_WB) {
  std::vector<Vec3d> points;
  for (const Piece& piece : body.pieces()) {
    const ConvexShape& shape = *piece.shape;
    const auto add = [&](const Vec3d& p_S) {
      const Vec3d p_B = RotationMatrix<double>(piece.local.q_WS) * p_S + piece.local.p_WS;
      points.push_back(RotationMatrix<double>(X_WB.q_WS) * p_B + X_WB.p_WS);
    };
    for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
      const Vec3d vertex = shape.center() + Scaled(shape.vertex(i), shape.exponent());
      for (const Vec3d& n : {Vec3d{1, 0, 0}, Vec3d{0, -1, 0}, Vec3d{0, 0, 1}, Vec3d{-1, 0, 0}}) {
        add(vertex + shape.radius() * n);
      }
    }
    if (shape.is_curved()) {
      const Vec3d half = Scaled(shape.extents(), shape.exponent());
      for (const double sign : {-1.0, 1.0}) {
        add({0, 0, sign * half.z});
        if (shape.kind() == CoreKind::kEllipsoid) add({sign * half.x, 0, 0});
        if (shape.kind() == CoreKind::kCylinder) add({0.6 * half.x, sign * 0.8 * half.y, half.z});
      }
    }
  }
  return points;
}

bool Holds(const WorldBox& box, const Vec3d& p, double slack) {
  return p.x >= box.low.x - slack && p.x <= box.high.x + slack && p.y >= box.low.y - slack &&
         p.y <= box.high.y + slack && p.z >= box.low.z - slack && p.z <= box.high.z + slack;
}

double Reach(const WorldBox& box) {
  return std::max({box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z});
}

std::vector<RigidBodyPtr> Bodies(Random& random) {
  std::vector<RigidBodyPtr> bodies = {BodyOf(MakeBox({1, 2, 3}, 0.25)),
                                      BodyOf(MakeSphere(0.75, 0)),
                                      BodyOf(MakeCylinder(0.5, 1.5, 0.125)),
                                      BodyOf(MakeCone(0.5, 1.5, 0)),
                                      BodyOf(MakeEllipsoid({1, 0.5, 2}, 0)),
                                      BodyOf(MakeCapsule(0.5, 1, 0)),
                                      BodyOf(MakePoint(0)),
                                      BodyOf(MakeSegment({1e3, 2e3, 3e3}, {1e3, 2e3, 3e3 + 1}, 0))};
  for (int family = 0; family < kCompoundFamilyCount; ++family) {
    bodies.push_back(testing::MakeRigidBody(
        testing::RandomCompound(static_cast<CompoundFamily>(family), 5, random)));
  }
  return bodies;
}

// On every instruction set that this processor has.
TEST(RowBoxes, AreThoseOfEachBody) {
  Random random(RunSeed());
  const std::vector<RigidBodyPtr> bodies = Bodies(random);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (std::size_t size = 1; size <= bodies.size(); ++size) {
      RowBoxes rows;
      std::vector<double> margins;
      for (std::size_t k = 0; k < size; ++k) {
        margins.push_back(random.OneIn(2) ? random.LogUniform(1e-6, 1e3) : 0);
        rows.Add(*bodies[k], margins[k]);
      }
      std::vector<Pose> poses;
      for (std::size_t i = 0; i < 5 * size; ++i) {
        poses.push_back({random.InCube(random.LogUniform(1e-3, 1e40)), random.Rotation()});
        if (random.OneIn(4)) poses.back().q_WS = {0, 0, 0, random.OneIn(2) ? 1.0 : -1.0};
        if (random.OneIn(4)) poses.back().p_WS = {};
      }
      std::vector<FloatBox> boxes(poses.size());
      rows.Find(poses, absl::MakeSpan(boxes));
      for (std::size_t i = 0; i < poses.size(); ++i) {
        EXPECT_EQ(boxes[i], Rounded(BoxAt(*bodies[i % size], poses[i], margins[i % size])))
            << hwy::TargetName(target) << " " << i << " of " << size;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(BodyBox, HoldsTheBodyWhereItStands) {
  Random random(RunSeed());
  for (int i = Effort(300); i > 0; --i) {
    for (const RigidBodyPtr& body : Bodies(random)) {
      const Pose pose = {random.InCube(random.LogUniform(1e-3, 1e6)), random.Rotation()};
      const WorldBox box = BoxAt(*body, pose, 0);
      const double slack = 1e-15 * (Norm(pose.p_WS) + body->bounding_radius());
      for (const Vec3d& p : PointsOf(*body, pose)) EXPECT_TRUE(Holds(box, p, slack));
      EXPECT_LE(Reach(box), 3.5 * body->bounding_radius() + 1e-6);
    }
  }
}

TEST(BodyBox, IsTightOfABoxAndWidenedByItsMargin) {
  const RigidBodyPtr body = BodyOf(MakeBox({1, 2, 3}, 0));
  const WorldBox box = BoxAt(*body, {{10, 20, 30}, {}}, 0);
  EXPECT_LE(box.low.x, 9);
  EXPECT_NEAR(box.low.x, 9, 1e-12);
  EXPECT_GE(box.high.z, 33);
  EXPECT_NEAR(box.high.z, 33, 1e-12);
  const WorldBox wide = BoxAt(*body, {{10, 20, 30}, {}}, 0.5);
  EXPECT_LE(wide.low.y, 17.5);
  EXPECT_NEAR(wide.low.y, 17.5, 1e-12);
}

TEST(BodyBox, HoldsTheBodyAllAlongItsTurn) {
  Random random(RunSeed());
  int small_turns = 0;
  for (int i = Effort(300); i > 0; --i) {
    for (const RigidBodyPtr& body : Bodies(random)) {
      const Pose pose = {random.InCube(3), random.Rotation()};
      Motion motion;
      const double angle_rad = random.LogUniform(1e-3, 20);
      motion.rotation = angle_rad * random.Direction();
      motion.pivot = pose.p_WS + random.InCube(2);
      small_turns += angle_rad < 0.1 ? 1 : 0;
      const WorldBox box = BoxOfTurning(*body, pose, motion, 0);
      for (const double t : {0.0, 0.3, 0.5, 0.9, 1.0}) {
        const Mat3<double> turn = RotationVectorMatrix(t * motion.rotation);
        for (const Vec3d& p : PointsOf(*body, pose)) {
          const Vec3d moved = turn * (p - motion.pivot) + motion.pivot;
          EXPECT_TRUE(Holds(box, moved, 1e-12 * (1 + body->bounding_radius())));
        }
      }
      // No larger than the ball about the pivot needs.
      EXPECT_LE(Reach(box), 8 * (body->bounding_radius() + 4));
    }
  }
  EXPECT_GE(small_turns, Effort(300));
}

TEST(BodyBox, WithoutATurnIsThatOfTheStart) {
  const RigidBodyPtr body = BodyOf(MakeBox({1, 2, 3}, 0));
  const Pose pose = {{1, 2, 3}, {}};
  const WorldBox rest = BoxAt(*body, pose, 0.25);
  const WorldBox box = BoxOfTurning(*body, pose, {{5, 0, 0}, {}, {9, 9, 9}}, 0.25);
  EXPECT_EQ(box.low, rest.low);
  EXPECT_EQ(box.high, rest.high);
  const FloatBox swept = SweptBoxOf(box, {5, -1, 0});
  EXPECT_LE(swept.low[1], rest.low.y - 1);
  EXPECT_GE(swept.high[0], rest.high.x + 5);
  EXPECT_LE(swept.high[1], rest.high.y + 1e-5);
}

}  // namespace
}  // namespace clearance

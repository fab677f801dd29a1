// SPDX-License-Identifier: Apache-2.0
//
// Bodies of pieces: what is refused, and balls that hold their pieces against the pieces' points
// moved in long double.

#include "core/shape/rigid_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tests/support/generators.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ShapeError ErrorOf(std::vector<Piece> pieces) {
  const BodyOrError made = MakeCompound(std::move(pieces));
  const auto* error = std::get_if<ShapeError>(&made);
  return error == nullptr ? ShapeError{"accepted", "", "", ""} : *error;
}

RigidBodyPtr Compound(std::vector<Piece> pieces) {
  return std::get<RigidBodyPtr>(MakeCompound(std::move(pieces)));
}

TEST(RigidBody, OfOneShapeIsThatShapeAtTheIdentity) {
  const auto box = Box(1, 2, 3);
  const RigidBodyPtr body = MakeBody(box);
  ASSERT_EQ(body->pieces().size(), 1U);
  EXPECT_EQ(body->pieces()[0].shape, box);
  EXPECT_EQ(body->pieces()[0].local.p_WS, Vec3d{});
  EXPECT_FALSE(body->is_compound());
  EXPECT_EQ(body->bounding_radius(), box->bounding_radius());
  EXPECT_EQ(body->vertex_count(), 8U);
  EXPECT_GT(body->byte_size(), box->byte_size());
}

TEST(RigidBody, KeepsItsPiecesInOrderAndCountsThem) {
  const auto box = Box(1, 1, 1);
  const auto ball = Sphere(0.5);
  const RigidBodyPtr body =
      Compound({{box, At(-2, 0, 0)}, {ball, At(3, 0, 0)}, {box, At(0, 0, 0)}});
  EXPECT_TRUE(body->is_compound());
  EXPECT_EQ(body->pieces()[1].shape, ball);
  EXPECT_EQ(body->pieces()[1].local.p_WS, (Vec3d{3, 0, 0}));
  EXPECT_EQ(body->vertex_count(), 17U);
  // From (-3, 1, 1), the farthest corner, and not from the ball's far end at 3.5.
  EXPECT_NEAR(body->bounding_radius(), 3.5, 1e-13);
  EXPECT_GE(body->bounding_radius(), 3.5);
  const std::size_t shapes = box->byte_size() + ball->byte_size();
  EXPECT_GE(body->byte_size(), shapes + 3 * (sizeof(Piece) + sizeof(Ball)));
  EXPECT_LT(body->byte_size(), shapes + box->byte_size() + 3 * (sizeof(Piece) + sizeof(Ball)));
}

TEST(RigidBody, OfOnePieceElsewhereIsNoCompound) {
  const RigidBodyPtr body = Compound({{Box(1, 1, 1), At(4, 0, 0)}});
  EXPECT_FALSE(body->is_compound());
  EXPECT_NEAR(body->bounding_radius(), std::sqrt(27.0), 1e-13);
}

TEST(MakeCompound, RefusesWhatIsMalformedAndNamesThePiece) {
  const auto box = Box(1, 1, 1);
  EXPECT_EQ(ErrorOf({}).field, "pieces");
  const ShapeError not_finite = ErrorOf({{box, {}}, {box, At(0, NAN, 0)}});
  EXPECT_EQ(not_finite.field, "pieces[1].pose");
  EXPECT_EQ(not_finite.value, "nan");
  EXPECT_EQ(not_finite.limit, "finite");
  EXPECT_EQ(ErrorOf({{box, {{}, {0, -kInfinity, 0, 1}}}}).value, "-inf");
  const ShapeError length = ErrorOf({{box, {}}, {box, {}}, {box, {{}, {0, 0, 0, 1.25}}}});
  EXPECT_EQ(length.field, "pieces[2].pose");
  EXPECT_EQ(length.value, "|q| = 1.25");
  EXPECT_EQ(length.limit, "|q| within 0.001 of 1");
  const ShapeError reach = ErrorOf({{box, At(0, 0, -3e307)}});
  EXPECT_EQ(reach.field, "pieces[0]");
  EXPECT_EQ(reach.value, "reach 3e+307 m");
  EXPECT_EQ(ErrorOf({{box, At(0, 0, -2e307)}}).field, "accepted");
}

struct LongPoint {
  long double x, y, z;
};

// R(q / |q|) (p + c) + t in long double: 11 more bits than what is judged.
LongPoint Moved(const Pose& pose, const LongPoint& v) {
  const long double x = pose.q_WS.x, y = pose.q_WS.y, z = pose.q_WS.z, w = pose.q_WS.w;
  const long double s = 2 / (x * x + y * y + z * z + w * w);
  const auto [px, py, pz] = v;
  return {
      px - s * ((y * y + z * z) * px - (x * y - w * z) * py - (x * z + w * y) * pz) + pose.p_WS.x,
      py - s * ((x * x + z * z) * py - (x * y + w * z) * px - (y * z - w * x) * pz) + pose.p_WS.y,
      pz - s * ((x * x + y * y) * pz - (x * z - w * y) * px - (y * z + w * x) * py) + pose.p_WS.z};
}

long double Length(long double x, long double y, long double z) {
  return std::sqrt(x * x + y * y + z * z);
}

LongPoint PointOf(const ConvexShape& shape, VertexIndex i) {
  const auto at = [&](double c, double v) {
    return static_cast<long double>(c) + std::ldexp(static_cast<long double>(v), shape.exponent());
  };
  const Vec3d c = shape.center(), v = shape.vertex(i);
  return {at(c.x, v.x), at(c.y, v.y), at(c.z, v.z)};
}

TEST(RigidBody, ItsBallsHoldItsPoints) {
  testing::Random random(testing::RunSeed());
  for (int round = 0; round < 400; ++round) {
    const double size = std::ldexp(1.0, random.Below(1800) - 900);
    std::vector<Piece> pieces;
    for (int i = 0; i < 1 + random.Below(4); ++i) {
      std::vector<double> xyz;
      const Vec3d middle = size * random.InCube(random.LogUniform(1e-3, 1e3));
      for (int k = 0; k < 3 * (4 + random.Below(6)); k += 3) {
        const Vec3d p = middle + size * random.InCube(1);
        xyz.insert(xyz.end(), {p.x, p.y, p.z});
      }
      const double radius = random.OneIn(2) ? size * random.Uniform(0, 1) : 0;
      const Vec3d position = size * random.LogUniform(1e-3, 1e3) * random.Direction();
      pieces.push_back({Points(xyz, radius), {position, random.Rotation()}});
    }
    const RigidBodyPtr body = Compound(pieces);
    long double farthest = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const ConvexShape& shape = *pieces[i].shape;
      const auto& [center, ball_radius] = body->balls()[i];
      long double farthest_in_ball = 0;
      for (VertexIndex k = 0; k < shape.vertex_count(); ++k) {
        const auto [x, y, z] = Moved(pieces[i].local, PointOf(shape, k));
        const long double in_ball = Length(x - center.x, y - center.y, z - center.z);
        farthest_in_ball = std::max(farthest_in_ball, in_ball + shape.radius());
        farthest = std::max(farthest, Length(x, y, z) + shape.radius());
      }
      ASSERT_LE(farthest_in_ball, static_cast<long double>(ball_radius)) << round;
      // The ball is about the points, not about the origin of the shape or the body.
      ASSERT_LE(ball_radius, 2 * size + shape.radius() + 1e-11 * size) << round;
    }
    ASSERT_LE(farthest, static_cast<long double>(body->bounding_radius())) << round;
    ASSERT_LE(body->bounding_radius(), farthest * (1 + 1e-10L)) << round;
  }
}

TEST(RigidBody, ItsBallsHoldCurvedPieces) {
  const auto cone = std::get<ConvexShapePtr>(MakeCone(3, 4, 0.5));
  const RigidBodyPtr body = Compound({{cone, At(10, 0, 0)}, {cone, At(0, 0, 1e-3)}});
  EXPECT_EQ(body->balls()[0].center, (Vec3d{10, 0, 0}));
  EXPECT_NEAR(body->balls()[0].radius, 5.5, 1e-12);
  EXPECT_GE(body->balls()[0].radius, 5.5);
  EXPECT_NEAR(body->bounding_radius(), 15.5, 1e-12);
  EXPECT_GE(body->bounding_radius(), 15.5);
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The closed-form supports against what defines them: the point is on the body, and no point of the
// body's surface, sampled by its own parameters, is higher.

#include "core/support/curved_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/math/tolerance.h"
#include "core/shape/make_shape.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Random;
using testing::RunSeed;

ConvexShapePtr Made(const ShapeOrError& made) { return std::get<ConvexShapePtr>(made); }

// > 1 outside, < 1 inside, 1 on the surface; normalised coordinates.
double Gauge(const ConvexShape& shape, const Vec3d& p) {
  const auto [x, y, z] = shape.extents();
  const double across = std::hypot(p.x, p.y);
  switch (shape.kind()) {
    case CoreKind::kCylinder:
      return std::fmax(across / x, std::abs(p.z) / z);
    case CoreKind::kCone:
      return std::fmax((2 * across / x + p.z / z), -p.z / z);
    default:
      return std::sqrt(p.x * p.x / (x * x) + p.y * p.y / (y * y) + p.z * p.z / (z * z));
  }
}

// A point of the surface by two parameters in [0, 1].
Vec3d OnSurface(const ConvexShape& shape, double s, double t) {
  const auto [x, y, z] = shape.extents();
  const double turn = 2 * kPi * s;
  if (shape.kind() == CoreKind::kEllipsoid) {
    const double tilt = kPi * t;
    return {x * std::sin(tilt) * std::cos(turn), y * std::sin(tilt) * std::sin(turn),
            z * std::cos(tilt)};
  }
  const double height = 2 * t - 1;
  const double share = shape.kind() == CoreKind::kCone ? (1 - height) / 2 : 1;
  return {x * share * std::cos(turn), y * share * std::sin(turn), z * height};
}

std::vector<ConvexShapePtr> Bodies() {
  return {Made(MakeCylinder(1, 2, 0)),        Made(MakeCylinder(3, 0.01, 0)),
          Made(MakeCylinder(1, 0, 0)),        Made(MakeCone(1, 1, 0)),
          Made(MakeCone(0.01, 5, 0)),         Made(MakeCone(5, 0.01, 0)),
          Made(MakeEllipsoid({1, 2, 3}, 0)),  Made(MakeEllipsoid({1, 1, 1e-3}, 0)),
          Made(MakeEllipsoid({1, 1e3, 1}, 0))};
}

// Directions of every kind, of lengths from 1e-12 to 1e3.
Vec3d AnyDirection(Random& random) {
  Vec3d d = random.LogUniform(1e-12, 1e3) * random.Direction();
  if (random.OneIn(4)) d.z = 0;
  if (random.OneIn(4)) d = {0, 0, d.x};
  if (random.OneIn(4)) d = {d.x, 1e-17 * d.x, 1e-9 * d.x};
  return NormSquared(d) > 0 ? d : Vec3d{0, 1, 0};
}

TEST(CurvedSupportPoint, IsOnTheBodyAndNoPointOfItIsHigher) {
  Random random(RunSeed());
  for (const ConvexShapePtr& shape : Bodies()) {
    const bool is_flat = shape->dimension() == 2;
    for (int i = 0; i < 2000; ++i) {
      const Vec3d d = AnyDirection(random);
      const double length = std::sqrt(NormSquared(d));
      const Vec3d highest = CurvedSupportPoint(*shape, d);
      if (!is_flat) {
        EXPECT_LE(Gauge(*shape, highest), 1 + 1e-12);
      }
      for (int k = 0; k < 8; ++k) {
        const Vec3d other = OnSurface(*shape, random.Uniform(0, 1), random.Uniform(0, 1));
        const double slack = 64 * kRoundoff * length * shape->core_radius();
        EXPECT_LE(Dot(d, other), Dot(d, highest) + slack);
      }
      const Vec3d fine = ToDouble(CurvedSupportPoint(*shape, To<DoubleDouble>(d)));
      EXPECT_NEAR(Dot(d, fine), Dot(d, highest),
                  2 * kCurvedError * kRoundoff * length * shape->core_radius());
    }
  }
}

TEST(CurvedSupportPoint, OfKnownDirections) {
  const ConvexShapePtr cone = Made(MakeCone(0.5, 1, 0));
  EXPECT_EQ(CurvedSupportPoint(*cone, Vec3d{0, 0, 1}), (Vec3d{0, 0, 1}));
  EXPECT_EQ(CurvedSupportPoint(*cone, Vec3d{1, 0, -1}), (Vec3d{0.5, 0, -1}));
  // The side's own normal is (2, 0, 0.5), normalised: just beside it one of the two ends wins.
  EXPECT_EQ(CurvedSupportPoint(*cone, Vec3d{2.001, 0, 0.5}), (Vec3d{0.5, 0, -1}));
  EXPECT_EQ(CurvedSupportPoint(*cone, Vec3d{1.999, 0, 0.5}), (Vec3d{0, 0, 1}));
  const ConvexShapePtr cylinder = Made(MakeCylinder(1, 1, 0));
  EXPECT_EQ(CurvedSupportPoint(*cylinder, Vec3d{0, -2, -1}), (Vec3d{0, -1, -1}));
}

// What the point misses the side of a cylinder or the surface of an ellipsoid by, in double-double,
// relative to what it is measured in.
double MissInDoubleDouble(const ConvexShape& shape, const Vec3<DoubleDouble>& p) {
  const Vec3<DoubleDouble> extents = To<DoubleDouble>(shape.extents());
  const Vec3<DoubleDouble> q = {p.x / extents.x, p.y / extents.y, p.z / extents.z};
  const bool is_round = shape.kind() == CoreKind::kEllipsoid;
  const DoubleDouble gauge = q.x * q.x + q.y * q.y + (is_round ? q.z * q.z : DoubleDouble());
  return std::fabs(ToDouble(gauge - DoubleDouble(1)));
}

// The squares of what a direction has across the axis lose their digits, or underflow.
TEST(CurvedSupportPoint, IsOnTheBodyWhereSquaresUnderflow) {
  const ConvexShapePtr cylinder = Made(MakeCylinder(1, 1, 0));
  const ConvexShapePtr plate = Made(MakeEllipsoid({1, 1, 0x1p-700}, 0));
  Random random(RunSeed());
  for (int exponent = -1060; exponent < 0; ++exponent) {
    const Vec3d turned = random.Direction();
    const Vec3d d = {std::ldexp(turned.x, exponent), std::ldexp(turned.y, exponent), 1};
    for (const ConvexShapePtr& shape : {cylinder, plate}) {
      const auto p = CurvedSupportPoint(*shape, To<DoubleDouble>(d));
      EXPECT_LE(MissInDoubleDouble(*shape, p), 0x1p-92)
          << (shape == plate ? "plate" : "cylinder") << " 2^" << exponent;
    }
  }
}

// So thin that its square underflows.
TEST(CurvedSupportPoint, OfADiscFromAboveIsItsTop) {
  const ConvexShapePtr disc = Made(MakeEllipsoid({2, 1, 1e-200}, 0));
  const double top = disc->extents().z;
  EXPECT_EQ(CurvedSupportPoint(*disc, Vec3d{0, 0, 1}), (Vec3d{0, 0, top}));
  EXPECT_EQ(ToDouble(CurvedSupportPoint(*disc, To<DoubleDouble>({0, 0, -1}))), (Vec3d{0, 0, -top}));
  EXPECT_EQ(CurvedSupportPoint(*disc, Vec3d{1, 0, 1}).x, 1);
}

// So thin that along it nothing is left of the direction.
TEST(CurvedSupportPoint, OfAPlateThatIsLostIsItsCentre) {
  const ConvexShapePtr plate = Made(MakeEllipsoid({1, 1, 0x1p-1000}, 0));
  EXPECT_EQ(CurvedSupportPoint(*plate, Vec3d{0, 0, 0x1p-400}), Vec3d{});
}

TEST(CurvedShapes, BecomeSimplerKindsWhereTheyAre) {
  EXPECT_FALSE(Made(MakeEllipsoid({2, 2, 2}, 0.5))->is_curved());
  EXPECT_EQ(Made(MakeEllipsoid({2, 2, 2}, 0.5))->radius(), 2.5);
  EXPECT_EQ(Made(MakeCylinder(0, 3, 0.5))->vertex_count(), 2u);
  EXPECT_EQ(Made(MakeCone(0, 3, 0))->dimension(), 1);
  EXPECT_EQ(Made(MakeCylinder(0, 0, 1))->dimension(), 0);
  EXPECT_EQ(Made(MakeCylinder(1, 0, 1))->dimension(), 2);
  EXPECT_NEAR(Made(MakeCylinder(2, 3, 0))->volume(), 4 * kPi * 6, 1e-12);
  EXPECT_NEAR(Made(MakeCone(2, 3, 0))->volume(), 4 * kPi * 2, 1e-12);
  EXPECT_NEAR(Made(MakeEllipsoid({1, 2, 3}, 0))->volume(), 8 * kPi, 1e-12);
}

TEST(CurvedShapes, RefuseWhatIsNoLength) {
  EXPECT_EQ(std::get<ShapeError>(MakeCylinder(-1, 1, 0)).field, "radius");
  EXPECT_EQ(std::get<ShapeError>(MakeCone(1, -1, 0)).field, "half_length");
  EXPECT_EQ(std::get<ShapeError>(MakeEllipsoid({1, NAN, 1}, 0)).field, "semi_axes.y");
  EXPECT_EQ(std::get<ShapeError>(MakeEllipsoid({0, 1, 1}, 0)).limit, "> 0");
  EXPECT_EQ(std::get<ShapeError>(MakeCylinder(1, 1.7e308, 1e308)).limit.substr(0, 8), "bounding");
}

}  // namespace
}  // namespace clearance

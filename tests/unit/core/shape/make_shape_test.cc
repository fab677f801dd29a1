// SPDX-License-Identifier: Apache-2.0
//
// Oracles: GMP rationals for the coordinates (hull_oracle.h), closed formulas for volumes.

#include "core/shape/make_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/random.h"
#include "tests/unit/core/shape/hull_oracle.h"

namespace clearance::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

ConvexShapePtr Made(const ShapeOrError& made) {
  if (const auto* error = std::get_if<ShapeError>(&made)) {
    ADD_FAILURE() << error->field << ": " << error->message;
    return std::get<ConvexShapePtr>(MakePoint(0));
  }
  return std::get<ConvexShapePtr>(made);
}

std::string Refusal(const ShapeOrError& made) {
  const auto* error = std::get_if<ShapeError>(&made);
  if (error == nullptr) return "accepted";
  EXPECT_FALSE(error->message.empty());
  return error->field + " = " + error->value + ", limit " + error->limit;
}

std::vector<double> Flat(const std::vector<Vec3d>& points) {
  std::vector<double> numbers;
  for (const Vec3d& p : points) numbers.insert(numbers.end(), {p.x, p.y, p.z});
  return numbers;
}

std::vector<Vec3d> Directions(int count, Random& random) {
  std::vector<Vec3d> points;
  for (int i = 0; i < count; ++i) points.push_back(random.Direction());
  return points;
}

// Makes the hull with a clock that says stop at the look of this number. Returns the looks.
int LooksOf(const std::vector<double>& xyz, int stop_at, ConvexShapePtr* shape) {
  int looks = 0;
  const auto should_stop = [&] { return looks++ >= stop_at; };
  Pacer pacer(should_stop);
  *shape = std::get<ConvexShapePtr>(MakeHull(xyz, 0, &pacer));
  return looks;
}

// Two circles across each other: each point takes away what many before it made.
TEST(MakeShape, HullEndsWhereverItsPacerStops) {
  constexpr int kPoints = 2048, kNever = std::numeric_limits<int>::max();
  std::vector<double> xyz;
  for (int i = 0; i < kPoints; ++i) {
    const double angle_rad = 2 * kPi * i / kPoints, across = std::sin(angle_rad);
    xyz.insert(xyz.end(), {std::cos(angle_rad), i % 2 == 0 ? across : 0, i % 2 == 0 ? 0 : across});
  }
  ConvexShapePtr shape;
  const int all = LooksOf(xyz, kNever, &shape);
  ASSERT_NE(shape, nullptr);
  EXPECT_GE(all, 20);
  for (int stop_at = 0; stop_at < all; stop_at += 1 + all / 16) {
    EXPECT_EQ(LooksOf(xyz, stop_at, &shape), stop_at + 1);
    EXPECT_EQ(shape, nullptr) << stop_at;
  }
}

TEST(MakeShape, BoxHasItsCornersInTheOrderOfTheirBits) {
  const ConvexShapePtr box = Made(MakeBox({1, 2, 4}, 0.5));
  ASSERT_EQ(box->vertex_count(), 8U);
  for (VertexIndex i = 0; i < 8; ++i) {
    EXPECT_EQ(box->original_index(i), i);
    const Vec3d corner = {i & 1U ? 0.25 : -0.25, i & 2U ? 0.5 : -0.5, i & 4U ? 1.0 : -1.0};
    EXPECT_EQ(box->vertex(i), corner);
  }
  EXPECT_EQ(box->exponent(), 2);
  EXPECT_EQ(box->volume(), 64);
  EXPECT_EQ(box->dimension(), 3);
  EXPECT_NEAR(box->bounding_radius(), std::sqrt(21.0) + 0.5, 1e-14);
  EXPECT_FALSE(box->has_adjacency());
}

TEST(MakeShape, FlatBoxKeepsTheFirstOfEqualCorners) {
  const ConvexShapePtr box = Made(MakeBox({1, 0, 1}, 0));
  ASSERT_EQ(box->vertex_count(), 4U);
  EXPECT_EQ(box->point_count(), 8U);
  EXPECT_EQ(box->duplicate_count(), 4U);
  EXPECT_EQ(box->dimension(), 2);
  EXPECT_EQ(box->volume(), 0);
  EXPECT_EQ(box->original_index(2), 4U);
  EXPECT_EQ(Made(MakeBox({0, 0, 0}, 1))->vertex_count(), 1U);
}

TEST(MakeShape, RoundKindsArePointsWithTheSumOfTheRadii) {
  const ConvexShapePtr sphere = Made(MakeSphere(2, 0.5));
  EXPECT_EQ(sphere->vertex_count(), 1U);
  EXPECT_EQ(sphere->radius(), 2.5);
  EXPECT_EQ(sphere->bounding_radius(), 2.5);
  EXPECT_EQ(sphere->core_radius(), 0);
  const ConvexShapePtr capsule = Made(MakeCapsule(1, 3, 0));
  EXPECT_EQ(capsule->vertex_count(), 2U);
  EXPECT_EQ(capsule->vertex(0).z, -0.75);
  EXPECT_EQ(capsule->dimension(), 1);
  EXPECT_NEAR(capsule->bounding_radius(), 4, 1e-14);
}

TEST(MakeShape, SegmentsAndTrianglesMayBeDegenerate) {
  EXPECT_EQ(Made(MakeSegment({1, 2, 3}, {1, 2, 3}, 0))->dimension(), 0);
  EXPECT_EQ(Made(MakeTriangle({0, 0, 0}, {1, 1, 1}, {2, 2, 2}, 0))->vertex_count(), 2U);
  EXPECT_EQ(Made(MakeTriangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 0))->dimension(), 2);
}

TEST(MakeShape, PolygonIsTheFlatHullOfItsPoints) {
  const std::vector<double> xy = {0, 0, 2, 0, 2, 2, 0, 2, 1, 1, 1, 0};
  const ConvexShapePtr polygon = Made(MakePolygon(xy, 0));
  EXPECT_EQ(polygon->vertex_count(), 4U);
  EXPECT_EQ(polygon->dimension(), 2);
}

TEST(MakeShape, ScalingByPowersOfTwoChangesNoBit) {
  Random random(RunSeed());
  const std::vector<Vec3d> points = Directions(60, random);
  const ConvexShapePtr shape = Made(MakeHull(Flat(points), 0));
  for (const int k : {-1000, -300, 300, 900}) {
    std::vector<double> scaled = Flat(points);
    for (double& c : scaled) c = std::ldexp(c, k);
    const ConvexShapePtr other = Made(MakeHull(scaled, 0));
    ASSERT_EQ(other->vertex_count(), shape->vertex_count());
    EXPECT_EQ(other->exponent(), shape->exponent() + k);
    for (VertexIndex i = 0; i < shape->vertex_count(); ++i) {
      EXPECT_EQ(other->vertex(i), shape->vertex(i));
    }
    EXPECT_EQ(other->adjacency().neighbors, shape->adjacency().neighbors);
    EXPECT_EQ(other->adjacency().offsets, shape->adjacency().offsets);
  }
}

TEST(MakeShape, PlaceIsRecoveredExactlyFarFromTheOrigin) {
  Random random(RunSeed());
  for (const double offset : {0.0, 1e6, 1e8, -1e8}) {
    std::vector<Vec3d> points = Directions(40, random);
    for (Vec3d& p : points) p = p + Vec3d{offset, -offset, 0};
    const ConvexShapePtr shape = Made(MakeHull(Flat(points), 0.25));
    ExpectVerticesAreExact(*shape, points);
    EXPECT_TRUE(shape->is_certified_convex());
    if (offset != 0) {
      EXPECT_LE(shape->exponent(), 1) << "not centred";
    }
  }
}

TEST(MakeShape, ExtremeMagnitudesAreRepresented) {
  for (const double size : {5e-324, 1e-310, 1e-200, 8e307}) {
    const std::vector<Vec3d> points = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
    const ConvexShapePtr shape = Made(MakeHull(Flat(points), 0));
    EXPECT_EQ(shape->dimension(), 3) << size;
    ExpectVerticesAreExact(*shape, points);
    EXPECT_TRUE(std::isfinite(shape->volume()));
  }
}

TEST(MakeShape, WhatCannotBeProvedInsideIsKept) {
  // Along x the coordinates differ by 400 binary orders of magnitude.
  std::vector<Vec3d> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back({i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0});
  }
  points.push_back({std::ldexp(1.0, -400), 0, 0});
  const ConvexShapePtr shape = Made(MakeHull(Flat(points), 0));
  EXPECT_EQ(shape->vertex_count(), 9U);
  EXPECT_EQ(shape->original_index(8), 8U);
  EXPECT_FALSE(shape->is_certified_convex());
  EXPECT_FALSE(shape->has_adjacency());
  EXPECT_EQ(shape->dimension(), 3);
}

TEST(MakeShape, LargeHullsAreCertifiedWithAdjacency) {
  Random random(RunSeed());
  std::vector<Vec3d> points = Directions(500, random);
  for (int i = 0; i < 1000; ++i) points.push_back(random.InCube(0.5));
  points.insert(points.end(), points.begin(), points.begin() + 20);
  const ConvexShapePtr shape = Made(MakeHull(Flat(points), 0));
  EXPECT_EQ(shape->vertex_count(), 500U);
  EXPECT_EQ(shape->point_count(), 1520U);
  EXPECT_EQ(shape->duplicate_count(), 20U);
  EXPECT_TRUE(shape->is_certified_convex());
  ExpectAdjacencyIsSound(*shape);
  EXPECT_LT(shape->volume(), 4 * kPi / 3);
  EXPECT_GT(shape->volume(), 0.95 * 4 * kPi / 3);
}

TEST(MakeShape, CurvedKindsAreFlatWithoutTheirHeight) {
  EXPECT_EQ(Made(MakeCylinder(1, 0, 0))->dimension(), 2);
  EXPECT_EQ(Made(MakeCylinder(1, 0, 0))->volume(), 0);
  EXPECT_EQ(Made(MakeCone(1, 0, 0))->dimension(), 2);
  EXPECT_EQ(Made(MakeCylinder(1, 5e-324, 0))->dimension(), 3);
  EXPECT_EQ(Made(MakeEllipsoid({1, 1, 2}, 0))->dimension(), 3);
}

TEST(MakeShape, RefusalsNameFieldValueAndLimit) {
  EXPECT_EQ(Refusal(MakeHull({}, 0)), "vertices = 0 points, limit >= 1 point");
  EXPECT_EQ(Refusal(MakeHull({1, 2, 3, 4}, 0)), "vertices = 4 numbers, limit 3 numbers a point");
  EXPECT_EQ(Refusal(MakePolygon({1, 2, 3}, 0)), "vertices = 3 numbers, limit 2 numbers a point");
  EXPECT_EQ(Refusal(MakeHull({0, 0, 0, 1, kNan, 0}, 0)), "vertices[1].y = nan, limit finite");
  EXPECT_EQ(Refusal(MakeHull({kInfinity, 0, 0}, 0)), "vertices[0].x = inf, limit finite");
  EXPECT_EQ(Refusal(MakeHull({0, 0, -kInfinity}, 0)), "vertices[0].z = -inf, limit finite");
  EXPECT_EQ(Refusal(MakeHull({0, 0, 0}, -1)), "radius = -1, limit >= 0");
  EXPECT_EQ(Refusal(MakePoint(kInfinity)), "radius = inf, limit finite");
  EXPECT_EQ(Refusal(MakeSegment({0, 0, 0}, {0, 0, -kInfinity}, 0)), "b.z = -inf, limit finite");
  EXPECT_EQ(Refusal(MakeTriangle({0, 0, 0}, {0, kNan, 0}, {}, 0)), "b.y = nan, limit finite");
  EXPECT_EQ(Refusal(MakeSphere(-2, 0)), "radius = -2, limit >= 0");
  EXPECT_EQ(Refusal(MakeCapsule(1, -0.1, 0)), "half_length = -0.1, limit >= 0");
  EXPECT_EQ(Refusal(MakeBox({1, -1, 1}, 0)), "half_extents.y = -1, limit >= 0");
  EXPECT_EQ(
      Refusal(MakeBox({1, 1, 1.7e308}, 0)),
      "half_extents = -1.7e+308 to 1.7e+308 along z, limit extent <= 1.7976931348623157e+308 m");
  EXPECT_EQ(Refusal(MakeSphere(1.7e308, 1.7e308)),
            "radius = bounding radius inf, limit bounding radius <= 1.7976931348623157e+308 m");
}

// A pyramid over a square, with a point inside: the apex is 4.
struct Table {
  std::vector<Vec3d> points = {{0, 0, 0}, {1, 0, 0},     {1, 1, 0},
                               {0, 1, 0}, {0.5, 0.5, 1}, {0.5, 0.5, 0.25}};
  std::vector<std::uint32_t> offsets = {0, 3, 6, 9, 12, 16, 16};
  std::vector<std::uint32_t> neighbors = {1, 3, 4, 0, 2, 4, 1, 3, 4, 0, 2, 4, 0, 1, 2, 3};

  std::string Check() const {
    return Refusal(MakeHullWithAdjacency(Flat(points), {offsets, neighbors}, 0));
  }
};

TEST(GivenAdjacency, TrueTableIsAcceptedWithAndWithoutDiagonals) {
  Table table;
  EXPECT_EQ(table.Check(), "accepted");
  table.offsets = {0, 4, 7, 11, 14, 18, 18};
  table.neighbors = {1, 2, 3, 4, 0, 2, 4, 0, 1, 3, 4, 0, 2, 4, 0, 1, 2, 3};
  EXPECT_EQ(table.Check(), "accepted") << "the diagonal 0-2 of the square";
}

TEST(GivenAdjacency, BrokenLayoutsAreNamed) {
  Table table;
  table.offsets.pop_back();
  EXPECT_EQ(table.Check(), "adjacency_offsets = 6 numbers, limit 7 numbers");
  table = {};
  table.offsets[0] = 1;
  EXPECT_EQ(table.Check(), "adjacency_offsets[0] = 1, limit 0");
  table = {};
  table.offsets[2] = 2;
  EXPECT_EQ(table.Check(), "adjacency_offsets[2] = 2, limit >= 3");
  table = {};
  table.offsets[6] = 17;
  EXPECT_EQ(table.Check(), "adjacency_offsets[6] = 17, limit 16");
  table = {};
  table.neighbors[12] = 6;
  EXPECT_EQ(table.Check(), "adjacency[12] = 6, limit < 6");
  table = {};
  table.neighbors[0] = 0;
  EXPECT_EQ(table.Check(), "adjacency[0] = 0, limit another point than the row's");
  table = {};
  table.neighbors[1] = 1;
  EXPECT_EQ(table.Check(), "adjacency[1] = 1, limit once in a row");
  table = {};
  table.neighbors[1] = 2;
  EXPECT_EQ(table.Check(), "adjacency[1] = 2, limit a point whose row has 0");
}

TEST(GivenAdjacency, OffsetsPastTheEndAreRefusedBeforeTheyAreFollowed) {
  Table table;
  table.offsets[3] = 4000000000U;
  EXPECT_EQ(table.Check(), "adjacency_offsets[4] = 12, limit >= 4000000000");
}

TEST(GivenAdjacency, EdgesThatAreNotTheHullsAreNamed) {
  Table table;
  table.offsets = {0, 2, 4, 7, 10, 12, 12};
  table.neighbors = {1, 3, 0, 2, 1, 3, 4, 0, 2, 4, 2, 3};
  EXPECT_NE(table.Check().find("missing in row"), std::string::npos);
  table = {};
  table.offsets = {0, 3, 6, 9, 12, 17, 18};
  table.neighbors = {1, 3, 4, 0, 2, 4, 1, 3, 4, 0, 2, 4, 0, 1, 2, 3, 5, 4};
  EXPECT_EQ(table.Check(), "adjacency[16] = 5, limit an extreme point on a common face");
}

TEST(GivenAdjacency, DiagonalsThroughTheBodyAreRefused) {
  const std::vector<Vec3d> octahedron = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                         {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  std::vector<std::uint32_t> offsets = {0}, neighbors;
  for (std::uint32_t i = 0; i < 6; ++i) {
    for (std::uint32_t j = 0; j < 6; ++j) {
      const bool is_through = (i ^ j) == 1;
      if (i != j && (!is_through || i / 2 == 0)) neighbors.push_back(j);
    }
    offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
  }
  EXPECT_EQ(Refusal(MakeHullWithAdjacency(Flat(octahedron), {offsets, neighbors}, 0)),
            "adjacency[0] = 1, limit an extreme point on a common face");
}

TEST(GivenAdjacency, OneWayEdgesAreRefusedWhereverTheOtherWayWouldStand) {
  Table table;
  table.offsets = {0, 1, 1, 1, 1, 1, 1};
  table.neighbors = {5};
  EXPECT_EQ(table.Check(), "adjacency[0] = 5, limit a point whose row has 0");
}

TEST(GivenAdjacency, OfAFlatHullIsItsRingAndMayHaveDiagonals) {
  Table square;
  square.points = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 1}};
  square.offsets = {0, 2, 4, 6, 8, 8};
  square.neighbors = {1, 3, 0, 2, 1, 3, 2, 0};
  EXPECT_EQ(square.Check(), "accepted");
  square.offsets = {0, 3, 5, 8, 10, 10};
  square.neighbors = {1, 2, 3, 0, 2, 0, 1, 3, 0, 2};
  EXPECT_EQ(square.Check(), "accepted") << "with a diagonal";
  square.offsets = {0, 1, 3, 5, 6, 6};
  square.neighbors = {1, 0, 2, 1, 3, 2};
  EXPECT_EQ(square.Check(), "adjacency = 3 missing in row 0, limit every edge of the hull");
  square.offsets = {0, 3, 5, 7, 9, 10};
  square.neighbors = {1, 3, 4, 0, 2, 1, 3, 0, 2, 0};
  EXPECT_EQ(square.Check(), "adjacency[2] = 4, limit an extreme point on a common face");
}

TEST(GivenAdjacency, OfAStraightHullJoinsItsEnds) {
  Table line;
  line.points = {{1, 2, 3}, {2, 4, 6}, {3, 6, 9}};
  line.offsets = {0, 1, 1, 2};
  line.neighbors = {2, 0};
  EXPECT_EQ(line.Check(), "accepted");
  line.offsets = {0, 1, 3, 4};
  line.neighbors = {1, 0, 2, 1};
  EXPECT_EQ(line.Check(), "adjacency = 2 missing in row 0, limit every edge of the hull");
  line.points = {{1, 2, 3}};
  line.offsets = {0, 0};
  line.neighbors = {};
  EXPECT_EQ(line.Check(), "accepted") << "one point";
}

TEST(GivenAdjacency, EdgesOfDuplicatesAreRefusedFromEitherEnd) {
  // Point 6 is point 0 again: of equal points the first is the vertex.
  Table table;
  table.points.push_back(table.points[0]);
  table.offsets = {0, 3, 7, 10, 13, 17, 17, 18};
  table.neighbors = {1, 3, 4, 0, 2, 4, 6, 1, 3, 4, 0, 2, 4, 0, 1, 2, 3, 1};
  EXPECT_EQ(table.Check(), "adjacency[6] = 6, limit an extreme point on a common face");
  // Point 1 is.
  table = {};
  table.points.insert(table.points.begin() + 1, table.points[0]);
  table.offsets = {0, 3, 4, 7, 10, 13, 18, 18};
  table.neighbors = {2, 4, 5, 5, 0, 3, 5, 2, 4, 5, 0, 3, 5, 0, 1, 2, 3, 4};
  EXPECT_EQ(table.Check(), "adjacency[3] = 5, limit an extreme point on a common face");
}

TEST(GivenAdjacency, OfPointsThatNoHullCanBeProvedOfIsRefused) {
  Table table;
  table.points[5].x = std::ldexp(1.0, -400);
  const std::string refusal = table.Check();
  EXPECT_EQ(refusal.substr(0, refusal.find(',')),
            "adjacency = given for coordinates of very different magnitude");
}

}  // namespace
}  // namespace clearance::testing

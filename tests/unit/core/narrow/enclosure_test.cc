// SPDX-License-Identifier: Apache-2.0
//
// Enclosure of the origin on cases whose answer is known by construction.

#include "core/narrow/enclosure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// A simplex of one vertex that is the origin: the start from which everything has to be found.
Enclosure EncloseFrom(const TestPair& test, VertexIndex a, VertexIndex b) {
  Difference<Dd> difference(test.pair, test.fine);
  Simplex<Dd> simplex;
  simplex.size = 1;
  simplex.vertex[0] = difference.At(a, b, false);
  simplex.weight[0] = Dd(1.0);
  EXPECT_EQ(ToDouble(NormSquared(simplex.vertex[0].w)), 0);
  return Enclose(difference, simplex);
}

double Metres(const TestPair& test, double units) { return std::ldexp(units, test.pair.exponent); }

TEST(Enclose, NeedsSixCornersOfAnOctahedronAroundAPointAtItsCentre) {
  const TestPair test(Octahedron(), HullOf({{0, 0, 0}}), {});
  Difference<Dd> difference(test.pair, test.fine);
  Simplex<Dd> segment;  // from one corner through the origin to the opposite one
  segment.size = 2;
  segment.vertex[0] = difference.Highest(To<Dd>({1, 0, 0}));
  segment.vertex[1] = difference.Highest(To<Dd>({-1, 0, 0}));
  segment.weight = {Dd(0.5), Dd(0.5)};
  const Enclosure enclosure = Enclose(difference, segment);
  ASSERT_EQ(enclosure.kind, Enclosure::Kind::kEnclosed);
  EXPECT_EQ(enclosure.set.size, 6);
  // The faces of the octahedron are 1 / sqrt(3) from its centre.
  EXPECT_NEAR(Metres(test, enclosure.inner_radius), 1 / std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(Metres(test, ToDouble(enclosure.plane_height)), 1 / std::sqrt(3.0), 1e-15);
}

TEST(Enclose, FindsTheInsideOfIdenticalTwins) {
  const TestPair test(Cube(1), Cube(1), {});
  const Enclosure enclosure = EncloseFrom(test, 0, 0);
  ASSERT_EQ(enclosure.kind, Enclosure::Kind::kEnclosed);
  EXPECT_GT(enclosure.inner_radius, 0);
  EXPECT_LE(Metres(test, enclosure.inner_radius), 2);  // the difference is the cube of half 2
}

TEST(Enclose, TellsATenMillionthOfAMetreOfOverlapFromATouch) {
  const TestPair test(std::get<ConvexShapePtr>(MakeBox({1e-7, 1, 1}, 0)), HullOf({{0, 0, 0}}), {});
  Difference<Dd> difference(test.pair, test.fine);
  Simplex<Dd> diagonal;
  diagonal.size = 2;
  diagonal.vertex[0] = difference.At(0, 0, false);
  diagonal.vertex[1] = difference.At(7, 0, false);
  diagonal.weight = {Dd(0.5), Dd(0.5)};
  const Enclosure enclosure = Enclose(difference, diagonal);
  ASSERT_EQ(enclosure.kind, Enclosure::Kind::kEnclosed);
  EXPECT_GT(enclosure.inner_radius, 0);
  EXPECT_LE(Metres(test, enclosure.inner_radius), 1e-7);
}

struct Touch {
  const char* name;
  TestPair pair;
  VertexIndex a, b;
  Vec3d normal;
  bool is_unique;
};

TEST(Enclose, FindsThePlaneInWhichShapesTouch) {
  // Corner to corner, and two coplanar squares over each other: nothing of A - B is above the
  // plane.
  const Touch touches[] = {
      {"cubes corner to corner", {Cube(1), Cube(1), {{2, 2, 2}, {}}}, 7, 0, {}, false},
      {"coplanar squares",
       {HullOf({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}),
        HullOf({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}),
        {}},
       0,
       0,
       {},
       false},
      {"a point in a point", {HullOf({{3, 4, 5}}), HullOf({{3, 4, 5}}), {}}, 0, 0, {}, false},
  };
  for (const Touch& touch : touches) {
    SCOPED_TRACE(touch.name);
    const Enclosure enclosure = EncloseFrom(touch.pair, touch.a, touch.b);
    EXPECT_EQ(enclosure.kind, Enclosure::Kind::kTouching);
    EXPECT_NEAR(ToDouble(NormSquared(enclosure.n_A)), 1, 1e-15);
    EXPECT_LE(ToDouble(enclosure.plane_height), 0x1p-90);
  }
}

TEST(Enclose, KnowsTheOneNormalOfAFaceContact) {
  const TestPair test(Cube(1), Cube(1), {{2, 0, 0}, {}});
  Difference<Dd> difference(test.pair, test.fine);
  // A's corners of x = 1 against B's of x = -1: a triangle of differences around the origin in the
  // plane x = 0.
  Simplex<Dd> triangle;
  triangle.size = 3;
  triangle.vertex[0] = difference.At(1, 6, false);  // ( 1,-1,-1) - (-1, 1, 1) -> (0,-2,-2)
  triangle.vertex[1] = difference.At(5, 2, false);  // ( 1,-1, 1) - (-1, 1,-1) -> (0,-2, 2)
  triangle.vertex[2] = difference.At(3, 0, false);  // ( 1, 1,-1) - (-1,-1,-1) -> (0, 2, 0)
  triangle.weight = {Dd(0.25), Dd(0.25), Dd(0.5)};
  const Enclosure enclosure = Enclose(difference, triangle);
  ASSERT_EQ(enclosure.kind, Enclosure::Kind::kTouching);
  EXPECT_TRUE(enclosure.normal_is_unique);
  EXPECT_NEAR(ToDouble(enclosure.n_A.x), 1, 1e-15);
}

TEST(ComputeInnerBall, IsThatOfATetrahedronAndNoneOutside) {
  EnclosingSet<double> set;
  set.size = 4;
  const Vec3d corners[] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  for (int i = 0; i < 4; ++i) set.vertex[i] = {corners[i], {}, VertexIndex(i), 0, false};
  EXPECT_NEAR(ComputeInnerBall(set, 0).radius, 1 / std::sqrt(3.0), 1e-13);
  EXPECT_LE(ComputeInnerBall(set, 0).radius, 1 / std::sqrt(3.0));
  EXPECT_NEAR(ComputeInnerBall(set, 0.25).radius, 1 / std::sqrt(3.0) - 0.25, 1e-13);
  for (int i = 0; i < 4; ++i) set.vertex[i].w = corners[i] + Vec3d{2, 0, 0};
  EXPECT_LE(ComputeInnerBall(set, 0).radius, 0);
}

TEST(ComputeInnerBall, OfAFlatSetIsNotPositive) {
  EnclosingSet<double> set;
  set.size = 4;
  const Vec3d corners[] = {{1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}};
  for (int i = 0; i < 4; ++i) set.vertex[i] = {corners[i], {}, VertexIndex(i), 0, false};
  EXPECT_LE(ComputeInnerBall(set, 0).radius, 0);
}

}  // namespace
}  // namespace clearance

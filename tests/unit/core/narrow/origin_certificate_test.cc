// SPDX-License-Identifier: Apache-2.0
//
// OriginCertificate of the origin on cases whose answer is known by construction.

#include "core/narrow/origin_certificate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// A simplex of one vertex that is the origin: the start from which everything must be found.
OriginCertificate CertifyFrom(const TestPair& test, VertexIndex a, VertexIndex b) {
  MinkowskiDifference<Dd> difference(test.pair, test.fine);
  Simplex<Dd> simplex;
  simplex.size = 1;
  simplex.vertex[0] = difference.At(a, b, false);
  simplex.weight[0] = Dd(1.0);
  EXPECT_EQ(ToDouble(NormSquared(simplex.vertex[0].w)), 0);
  return CertifyOrigin(difference, simplex);
}

double Metres(const TestPair& test, double units) { return std::ldexp(units, test.pair.exponent); }

TEST(CertifyOrigin, NeedsSixCornersAroundAnOctahedronsCentre) {
  const TestPair test(Octahedron(), HullOf({{0, 0, 0}}), {});
  MinkowskiDifference<Dd> difference(test.pair, test.fine);
  Simplex<Dd> segment;  // from one corner through the origin to the opposite one
  segment.size = 2;
  segment.vertex[0] = difference.Support(To<Dd>({1, 0, 0}));
  segment.vertex[1] = difference.Support(To<Dd>({-1, 0, 0}));
  segment.weight = {Dd(0.5), Dd(0.5)};
  const OriginCertificate certificate = CertifyOrigin(difference, segment);
  ASSERT_EQ(certificate.kind, OriginCertificate::Kind::kEnclosed);
  EXPECT_EQ(certificate.set.size, 6);
  // The faces of the octahedron are 1 / sqrt(3) from its centre.
  EXPECT_NEAR(Metres(test, certificate.inner_radius), 1 / std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(Metres(test, ToDouble(certificate.plane_height)), 1 / std::sqrt(3.0), 1e-15);
}

TEST(CertifyOrigin, FindsTheInsideOfIdenticalTwins) {
  const TestPair test(Cube(1), Cube(1), {});
  const OriginCertificate certificate = CertifyFrom(test, 0, 0);
  ASSERT_EQ(certificate.kind, OriginCertificate::Kind::kEnclosed);
  EXPECT_GT(certificate.inner_radius, 0);
  EXPECT_LE(Metres(test, certificate.inner_radius), 2);  // the difference is the cube of half 2
}

TEST(CertifyOrigin, TellsATenMillionthOfAMetreOfOverlapFromATouch) {
  const TestPair test(std::get<ConvexShapePtr>(MakeBox({1e-7, 1, 1}, 0)), HullOf({{0, 0, 0}}), {});
  MinkowskiDifference<Dd> difference(test.pair, test.fine);
  Simplex<Dd> diagonal;
  diagonal.size = 2;
  diagonal.vertex[0] = difference.At(0, 0, false);
  diagonal.vertex[1] = difference.At(7, 0, false);
  diagonal.weight = {Dd(0.5), Dd(0.5)};
  const OriginCertificate certificate = CertifyOrigin(difference, diagonal);
  ASSERT_EQ(certificate.kind, OriginCertificate::Kind::kEnclosed);
  EXPECT_GT(certificate.inner_radius, 0);
  EXPECT_LE(Metres(test, certificate.inner_radius), 1e-7);
}

// The four differences of the ends of two segments on the x axis, around the origin.
Simplex<Dd> FourInALine(MinkowskiDifference<Dd>& difference, VertexIndex a, VertexIndex b) {
  Simplex<Dd> simplex;
  simplex.size = 4;
  for (const VertexIndex i : {0U, 1U}) {
    for (const VertexIndex j : {0U, 1U}) {
      simplex.vertex[2 * i + j] = difference.At(i * a, j * b, false);
      EXPECT_EQ(ToDouble(simplex.vertex[2 * i + j].w.y), 0);
      EXPECT_EQ(ToDouble(simplex.vertex[2 * i + j].w.z), 0);
      simplex.weight[2 * i + j] = Dd(0.25);
    }
  }
  return simplex;
}

TEST(CertifyOrigin, StartsFromTheAxesWhereFourVerticesMakeALine) {
  const TestPair solid(Octahedron(), Octahedron(), {});
  MinkowskiDifference<Dd> difference(solid.pair, solid.fine);
  const OriginCertificate inside = CertifyOrigin(difference, FourInALine(difference, 1, 1));
  ASSERT_EQ(inside.kind, OriginCertificate::Kind::kEnclosed);
  // The difference is the octahedron of twice the size.
  EXPECT_GT(inside.inner_radius, 0);
  EXPECT_LE(Metres(solid, inside.inner_radius), 2 / std::sqrt(3.0));
  const TestPair flat(HullOf({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}), Octahedron(), {});
  MinkowskiDifference<Dd> thick(flat.pair, flat.fine);
  EXPECT_EQ(CertifyOrigin(thick, FourInALine(thick, 1, 1)).kind,
            OriginCertificate::Kind::kEnclosed);
  const TestPair squares(flat.a, flat.a, {});
  MinkowskiDifference<Dd> plane(squares.pair, squares.fine);
  const OriginCertificate touching = CertifyOrigin(plane, FourInALine(plane, 1, 1));
  ASSERT_EQ(touching.kind, OriginCertificate::Kind::kTouching);
  EXPECT_EQ(std::fabs(ToDouble(touching.n_A.z)), 1);
}

TEST(CertifyOrigin, OfASegmentWhoseSquareUnderflowsBesideTheOtherBody) {
  const double tiny = 0x1p-600;
  const TestPair test(HullOf({{0, -tiny, 0}, {0, tiny, 0}}),
                      HullOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), {});
  MinkowskiDifference<Dd> difference(test.pair, test.fine);
  Simplex<Dd> ends;
  ends.size = 2;
  ends.vertex[0] = difference.At(0, 0, false);
  ends.vertex[1] = difference.At(1, 0, false);
  ends.weight = {Dd(0.5), Dd(0.5)};
  ASSERT_EQ(ends.vertex[0].w, -ends.vertex[1].w);
  const OriginCertificate certificate = CertifyOrigin(difference, ends);
  ASSERT_EQ(certificate.kind, OriginCertificate::Kind::kTouching);
  // The corner is highest along the normal to rounding: its edges lie behind the plane.
  EXPECT_NEAR(ToDouble(NormSquared(certificate.n_A)), 1, 1e-15);
  for (const Vec3d& edge : {Vec3d{-1, 0, 0}, Vec3d{0, -1, 0}, Vec3d{0, 0, -1}}) {
    EXPECT_LE(Dot(ToDouble(certificate.n_A), edge), 0x1p-90);
  }
}

// The normals that support a difference at a corner of many faces are few: finding one takes more
// vertices than the set has room for.
TEST(CertifyOrigin, FindsAPlaneAtEveryCornerOfARoundHull) {
  std::vector<Vec3d> points;
  constexpr int kCount = 500;
  for (int i = 0; i < kCount; ++i) {  // a spiral
    const double z = (2 * i + 1.0) / kCount - 1, turn = 2.4 * i;
    const double across = std::sqrt(1 - z * z);
    points.push_back({across * std::cos(turn), across * std::sin(turn), z});
  }
  const ConvexShapePtr round = HullOf(points), point = HullOf({{0, 0, 0}});
  ASSERT_EQ(round->vertex_count(), kCount);
  int full = 0;
  for (VertexIndex i = 0; i < kCount; ++i) {
    const TestPair test(round, point, {points[i], {}});
    const OriginCertificate certificate = CertifyFrom(test, i, 0);
    ASSERT_EQ(certificate.kind, OriginCertificate::Kind::kTouching) << i;
    full += certificate.set.size == EnclosingSet<Dd>::kCapacity ? 1 : 0;
    for (const Vec3d& p : points) {
      ASSERT_LE(Dot(ToDouble(certificate.n_A), p - points[i]), 1e-15) << i;
    }
  }
  EXPECT_GT(full, kCount / 10);
}

struct Touch {
  const char* name;
  TestPair pair;
  VertexIndex a, b;
  Vec3d normal;
  bool is_unique;
};

TEST(CertifyOrigin, FindsThePlaneInWhichShapesTouch) {
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
    const OriginCertificate certificate = CertifyFrom(touch.pair, touch.a, touch.b);
    EXPECT_EQ(certificate.kind, OriginCertificate::Kind::kTouching);
    EXPECT_NEAR(ToDouble(NormSquared(certificate.n_A)), 1, 1e-15);
    EXPECT_LE(ToDouble(certificate.plane_height), 0x1p-90);
  }
}

TEST(CertifyOrigin, KnowsTheOneNormalOfAFaceContact) {
  const TestPair test(Cube(1), Cube(1), {{2, 0, 0}, {}});
  MinkowskiDifference<Dd> difference(test.pair, test.fine);
  // A's corners of x = 1 against B's of x = -1: a triangle of differences around the origin in the
  // plane x = 0.
  Simplex<Dd> triangle;
  triangle.size = 3;
  triangle.vertex[0] = difference.At(1, 6, false);  // ( 1,-1,-1) - (-1, 1, 1) -> (0,-2,-2)
  triangle.vertex[1] = difference.At(5, 2, false);  // ( 1,-1, 1) - (-1, 1,-1) -> (0,-2, 2)
  triangle.vertex[2] = difference.At(3, 0, false);  // ( 1, 1,-1) - (-1,-1,-1) -> (0, 2, 0)
  triangle.weight = {Dd(0.25), Dd(0.25), Dd(0.5)};
  const OriginCertificate certificate = CertifyOrigin(difference, triangle);
  ASSERT_EQ(certificate.kind, OriginCertificate::Kind::kTouching);
  EXPECT_TRUE(certificate.normal_is_unique);
  EXPECT_NEAR(ToDouble(certificate.n_A.x), 1, 1e-15);
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

TEST(ComputeInnerBall, IsThatOfAnOctahedron) {
  EnclosingSet<double> set;
  const Vec3d corners[] = {{2, 0, 0}, {-2, 0, 0}, {0, 2, 0}, {0, -2, 0}, {0, 0, 2}, {0, 0, -2}};
  for (const Vec3d& corner : corners) {
    set.vertex[set.size] = {corner, {}, VertexIndex(set.size), 0, false};
    ++set.size;
  }
  EXPECT_NEAR(ComputeInnerBall(set, 0).radius, 2 / std::sqrt(3.0), 1e-13);
  EXPECT_LE(ComputeInnerBall(set, 0).radius, 2 / std::sqrt(3.0));
}

TEST(ComputeInnerBall, OfALineHasNoFacet) {
  EnclosingSet<double> set;
  set.size = 4;
  for (int i = 0; i < 4; ++i) set.vertex[i] = {{i - 1.5, 0, 0}, {}, VertexIndex(i), 0, false};
  EXPECT_EQ(ComputeInnerBall(set, 0).radius, 0);
  EXPECT_EQ(ComputeInnerBall(set, 0).n_A, Vec3d{});
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

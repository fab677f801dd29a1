// SPDX-License-Identifier: Apache-2.0
//
// The oracle against closed forms and, for the classification, against itself under exact shifts.
#include "tests/support/exact_distance.h"

#include <cmath>

#include "gtest/gtest.h"

namespace clearance::testing {
namespace {

Body Cube(double half) { return MakeBoxBody({half, half, half}); }

Body At(Body body, const Vec3d& p, const Quaternion& q = {}) {
  body.pose = {p, q};
  return body;
}

ExactDistance Signed(const Body& a, const Body& b) {
  return ComputeExactSignedDistance(MakeExactPair({a, b}));
}

Body Tetrahedron() {
  return {.kind = BodyKind::kHull,
          .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
          .radius = 0,
          .pose = {}};
}

TEST(ExactDistance, OfBoxesFaceToFaceIsTheGap) {
  const ExactDistance d = Signed(Cube(1), At(Cube(1), {2.5, 0.25, -0.125}));
  EXPECT_EQ(d.relation, CoreRelation::kOutside);
  EXPECT_EQ(d.core_square, mpq_class(1, 4));
  EXPECT_EQ(d.Sign(), 1);
  EXPECT_EQ(d.Approximate(), 0.5);
}

TEST(ExactDistance, OfBoxesCornerToCornerIsTheDiagonal) {
  EXPECT_EQ(Signed(Cube(1), At(Cube(1), {3, 3, 3})).core_square, 3);
}

TEST(ExactDistance, SeesAGapOfOneUlp) {
  const ExactDistance d = Signed(Cube(1), At(Cube(1), {2 + 0x1p-51, 0, 0}));
  EXPECT_EQ(d.relation, CoreRelation::kOutside);
  EXPECT_EQ(d.Approximate(), 0x1p-51);
}

TEST(ExactDistance, UsesTheRationalRotationOfAQuaternionThatIsNotUnit) {
  // q = (0.5, 0, 0, 1) / |q| turns by atan2(4, 3) about x: the matrix has 3/5 and 4/5 exactly.
  const Body turned = At(Tetrahedron(), {0, 0, 0}, {0.5, 0, 0, 1});
  const ExactDistance d = Signed(turned, At(MakePointBody(0), {0, 3, 4}));
  EXPECT_EQ(d.core_square, 16);
}

TEST(ExactDistance, OfCoresThatShareOnePointIsBoundary) {
  for (const Vec3d& p : {Vec3d{2, 0, 0}, Vec3d{2, 2, 0}, Vec3d{2, 2, 2}}) {
    const ExactDistance d = Signed(Cube(1), At(Cube(1), p));
    EXPECT_EQ(d.relation, CoreRelation::kBoundary);
    EXPECT_EQ(d.Sign(), 0);
    EXPECT_TRUE(d.IsAtLeast(0) && d.IsAtMost(0));
    EXPECT_FALSE(d.IsAtLeast(0x1p-1000) || d.IsAtMost(-0x1p-1000));
  }
}

TEST(ExactDistance, OfCoresThatOverlapByOneUlpIsInside) {
  const ExactDistance d = Signed(Cube(1), At(Cube(1), {2 - 0x1p-52, 0, 0}));
  EXPECT_EQ(d.relation, CoreRelation::kInside);
  EXPECT_EQ(d.Approximate(), -0x1p-52);
}

TEST(ExactDistance, OfIdenticalTwinsIsTheirWidth) {
  EXPECT_EQ(Signed(Cube(1), Cube(1)).core_square, 4);
  EXPECT_EQ(Signed(Cube(1), Cube(1)).relation, CoreRelation::kInside);
  // The difference of a tetrahedron with itself has the six faces of the coordinate planes' edges:
  // offset 1/sqrt(3) along (1, 1, 1), the tetrahedron's height over its slanted face.
  EXPECT_EQ(Signed(Tetrahedron(), Tetrahedron()).core_square, mpq_class(1, 3));
}

TEST(ExactDistance, OfCoplanarPolygonsIsBoundaryHoweverDeep) {
  const Body square = {.kind = BodyKind::kPolygon,
                       .points = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
                       .radius = 0,
                       .pose = {}};
  EXPECT_EQ(Signed(square, At(square, {0.5, 0.25, 0})).relation, CoreRelation::kBoundary);
  EXPECT_EQ(Signed(square, At(square, {0.5, 0.25, 0}, {0.5, 0, 0, 1})).relation,
            CoreRelation::kInside);
}

TEST(ExactDistance, OfBallsIsTheGapOfTheirCentresLessBothRadii) {
  const ExactDistance apart = Signed(MakePointBody(1), At(MakePointBody(2), {3, 4, 0}));
  EXPECT_EQ(apart.Sign(), 1);
  EXPECT_EQ(apart.Approximate(), 2);
  EXPECT_TRUE(apart.IsAtLeast(2) && apart.IsAtMost(2));
  EXPECT_EQ(Signed(MakePointBody(2), At(MakePointBody(3), {3, 4, 0})).Sign(), 0);
  EXPECT_EQ(Signed(MakePointBody(2), At(MakePointBody(3 + 0x1p-51), {3, 4, 0})).Sign(), -1);
  EXPECT_EQ(Signed(MakePointBody(2), MakePointBody(3)).Approximate(), -5);
}

TEST(ExactDistance, ComparesBothSidesOfAnIrrationalDistance) {
  const ExactDistance d = Signed(MakePointBody(0), At(MakePointBody(0), {1, 1, 0}));
  const double below = 0x1.6a09e667f3bccp+0;  // the doubles around the square root of 2
  const double above = 0x1.6a09e667f3bcdp+0;
  EXPECT_TRUE(d.IsAtLeast(below) && !d.IsAtLeast(above));
  EXPECT_TRUE(d.IsAtMost(above) && !d.IsAtMost(below));
  EXPECT_TRUE(d.IsAtLeast(-INFINITY) && d.IsAtMost(INFINITY));
}

TEST(ExactDistance, OfShiftedTetrahedra_AgreesWithShrinking) {
  // Exactly touching or overlapping pairs: shrinking one of them by 2^-40 about an inner point of
  // it separates a touching pair and leaves an overlap. All 125 shifts of the lattice.
  int inside = 0;
  int boundary = 0;
  for (int code = 0; code < 125; ++code) {
    const Vec3d shift = {code % 5 - 2.0, code / 5 % 5 - 2.0, code / 25 - 2.0};
    Body shrunk = At(Tetrahedron(), shift);
    for (Vec3d& p : shrunk.points) p = p + 0x1p-40 * (Vec3d{0.25, 0.25, 0.25} - p);
    const CoreRelation relation = Signed(Tetrahedron(), At(Tetrahedron(), shift)).relation;
    const CoreRelation after = Signed(Tetrahedron(), shrunk).relation;
    EXPECT_EQ(after,
              relation == CoreRelation::kInside ? CoreRelation::kInside : CoreRelation::kOutside);
    inside += relation == CoreRelation::kInside ? 1 : 0;
    boundary += relation == CoreRelation::kBoundary ? 1 : 0;
  }
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(boundary, 12);
}

}  // namespace
}  // namespace clearance::testing

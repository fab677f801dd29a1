// SPDX-License-Identifier: Apache-2.0
//
// Depths against closed forms, and the polytope that they are found with against exact predicates.

#include "core/narrow/penetration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/narrow/expanding_polytope.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

ConvexShapePtr Made(ShapeOrError made) { return std::get<ConvexShapePtr>(std::move(made)); }

// The depth of a pair whose difference has the origin well inside, in metres. Every precision gives
// it from a set of six supports.
template <class T>
Penetration Depth(const TestPair& test, const Placement<T>& placement,
                  const PenetrationLimits& limits = {}) {
  MinkowskiDifference<T> difference(test.pair, placement);
  EnclosingSet<T> set;
  for (const double sign : {1.0, -1.0}) {
    for (const Vec3d& axis : {Vec3d{sign, 0, 0}, Vec3d{0, sign, 0}, Vec3d{0, 0, sign}}) {
      set.vertex[set.size++] = difference.Support(To<T>(axis));
    }
  }
  Penetration depth = ComputePenetration(difference, set, limits);
  const double unit = std::ldexp(1.0, test.pair.exponent);
  depth.at_least *= unit;
  depth.at_most = Dd(unit) * depth.at_most;
  depth.height = Dd(unit) * depth.height;
  depth.p_A = unit * depth.p_A;
  return depth;
}

struct Case {
  const char* name;
  TestPair pair;
  double depth;
  Vec3d n_A;
  bool is_unique;
};

std::vector<Case> ClosedForms() {
  const auto box = [](double x, double y, double z) { return Made(MakeBox({x, y, z}, 0)); };
  const Quaternion eighth_turn = {0, 0, 0.3826834323650898, 0.9238795325112867};
  return {
      {"cubes", {Cube(1), Cube(1), {{1.5, 0.2, 0.1}, {}}}, 0.5, {1, 0, 0}, true},
      {"cubes the other way", {Cube(1), Cube(1), {{0.2, -1.75, 0.1}, {}}}, 0.25, {0, -1, 0}, true},
      {"the same cube", {Cube(1), Cube(1), {}}, 2, {}, false},
      {"a cube in the corner of a cube", {Cube(1), Cube(1), {{1.5, 1.5, 0}, {}}}, 0.5, {}, false},
      {"a small box in a large one",
       {box(4, 5, 6), box(1, 1, 1), {{1, 1, 1}, {}}},
       4,
       {1, 0, 0},
       true},
      {"a cube on its edge",
       {Cube(1), Cube(1), {{2, 0, 0}, eighth_turn}},
       std::sqrt(2.0) - 1,
       {1, 0, 0},
       true},
      {"an octahedron around a point",
       {Octahedron(), HullOf({{0.1, 0.05, 0.05}}), {}},
       0.8 / std::sqrt(3.0),
       {1 / std::sqrt(3.0), 1 / std::sqrt(3.0), 1 / std::sqrt(3.0)},
       true},
      {"a segment through a triangle",
       {HullOf({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}), HullOf({{0, 0, -0.25}, {0, 0, 1}}), {}},
       0.25,
       {0, 0, 1},
       true},
      {"a needle", {box(1e4, 1, 1), box(1, 1, 1e4), {{3, 0.5, 7}, {}}}, 1.5, {0, 1, 0}, true},
      {"a grain in a mountain",
       {box(1e6, 1e6, 1e6), Cube(1), {{999999.5, 3, 4}, {}}},
       1.5,
       {1, 0, 0},
       true},
      {"crossing cylinders",
       {Made(MakeCylinder(1, 5, 0)),
        Made(MakeCylinder(2, 5, 0)),
        {{0, 2.5, 0}, {0, 0.7071067811865476, 0, 0.7071067811865476}}},
       0.5,
       {0, 1, 0},
       true},
      {"coaxial cylinders",
       {Made(MakeCylinder(1, 5, 0)), Made(MakeCylinder(1, 5, 0)), {}},
       2,
       {},
       false},
      {"coincident ellipsoids",
       {Made(MakeEllipsoid({1, 2, 3}, 0)), Made(MakeEllipsoid({1, 2, 3}, 0)), {}},
       2,
       {},
       false},
      {"a cone on its base in a box",
       {Cube(1), Made(MakeCone(0.5, 0.5, 0)), {{0.1, 0.2, 1.25}, {}}},
       0.25,
       {0, 0, 1},
       true},
  };
}

template <class T>
void ExpectClosedForm(const Case& test, const Placement<T>& placement) {
  const Penetration depth = Depth(test.pair, placement);
  ASSERT_TRUE(depth.is_known);
  const double size =
      std::ldexp(test.pair.pair.radius_a + test.pair.pair.radius_b, test.pair.pair.exponent);
  const bool is_curved = test.pair.pair.is_curved();
  const double rounding = 1e-15 * size;  // of the closed forms themselves
  EXPECT_LE(depth.at_least, test.depth + rounding);
  EXPECT_GE(ToDouble(depth.at_most), test.depth - rounding);
  EXPECT_NEAR(ToDouble(depth.height), test.depth, is_curved ? 1e-10 * size : rounding);
  EXPECT_GE(depth.at_least, test.depth - (is_curved ? 1e-2 : 4e-14) * size);
  EXPECT_NEAR(NormSquared(depth.n_A), 1, 1e-14);
  EXPECT_EQ(depth.normal_is_unique, test.is_unique);
  if (!test.is_unique) return;
  EXPECT_NEAR(Dot(depth.n_A, test.n_A), 1, 1e-8);
}

TEST(ComputePenetration, OfClosedForms) {
  for (const Case& test : ClosedForms()) {
    SCOPED_TRACE(test.name);
    ExpectClosedForm(test, test.pair.coarse);
    ExpectClosedForm(test, test.pair.fine);
  }
}

// The facet's own corners may all be beside the foot of the perpendicular: a face is many
// triangles.
TEST(ComputePenetration, PointIsUnderTheOriginAndNotAtACornerOfTheFace) {
  const TestPair test(Made(MakeBox({8, 8, 1}, 0)), HullOf({{0, 0, 0}}), {{3, -2, 0.75}, {}});
  const Penetration depth = Depth(test, test.coarse);
  EXPECT_NEAR(ToDouble(depth.height), 0.25, 1e-14);
  EXPECT_NEAR(depth.p_A.x, 3, 1e-13);
  EXPECT_NEAR(depth.p_A.y, -2, 1e-13);
  EXPECT_NEAR(depth.p_A.z, 1, 1e-13);
}

TEST(ComputePenetration, OfMoreThanTheRoomHoldsIsAnHonestBracket) {
  // Coincident spheroids, 0.1 % from balls: everywhere nearly a minimum.
  const TestPair test(Made(MakeEllipsoid({1, 1, 1.001}, 0)), Made(MakeEllipsoid({1, 1, 1.001}, 0)),
                      {});
  const Penetration depth = Depth(test, test.coarse);
  EXPECT_LE(depth.at_least, 2);
  EXPECT_GE(depth.at_least, 2 - 0.02);
  EXPECT_NEAR(ToDouble(depth.height), 2, 1e-9);
  EXPECT_FALSE(depth.normal_is_unique);
}

TEST(ComputePenetration, StopsWhereTheBracketIsGoodEnough) {
  const TestPair test(Octahedron(), Octahedron(), {{0.1, 0.2, 0.3}, {0.1, 0.2, 0.3, 0.9}});
  PenetrationLimits limits;
  limits.good_enough = 1;
  const Penetration rough = Depth(test, test.coarse, limits);
  const Penetration depth = Depth(test, test.coarse);
  EXPECT_LT(rough.at_least, depth.at_least);
  EXPECT_GE(rough.at_most, depth.at_most);
}

TEST(ComputePenetration, WritesAProofOfTheLowerEnd) {
  const auto proof = std::make_unique<DepthProof>();
  const TestPair test(Cube(1), Cube(1), {{1.5, 0.2, 0.1}, {}});
  PenetrationLimits limits;
  limits.proof = proof.get();
  Depth(test, test.coarse, limits);
  EXPECT_FALSE(proof->is_truncated);
  EXPECT_GE(proof->vertex_count, 8);
  EXPECT_EQ(proof->facet_count, 2 * proof->vertex_count - 4);
}

TEST(ComputePenetration, WritesNoProofOfATouchNorOfCurvedCores) {
  const auto proof = std::make_unique<DepthProof>();
  PenetrationLimits limits;
  limits.proof = proof.get();
  const TestPair touching(Cube(1), Cube(1), {{2, 0, 0}, {}});
  EXPECT_EQ(ToDouble(Depth(touching, touching.coarse, limits).height), 0);
  EXPECT_EQ(proof->facet_count, 0);
  const TestPair curved(Made(MakeCylinder(1, 1, 0)), Cube(1), {{1.5, 0, 0}, {}});
  EXPECT_NEAR(ToDouble(Depth(curved, curved.coarse, limits).height), 0.5, 1e-9);
  EXPECT_EQ(proof->facet_count, 0);
}

TEST(ComputePenetration, SaysThatAProofIsTooLargeForItsRoom) {
  const auto proof = std::make_unique<DepthProof>();
  std::vector<Vec3d> points;  // a spiral on the unit sphere
  for (int i = 0; i < 600; ++i) {
    const double z = (2.0 * i + 1) / 600 - 1;
    const double r = std::sqrt(1 - z * z);
    points.push_back({r * std::cos(2.4 * i), r * std::sin(2.4 * i), z});
  }
  const TestPair test(HullOf(points), HullOf({{0, 0, 0}}), {});
  PenetrationLimits limits;
  limits.proof = proof.get();
  EXPECT_NEAR(ToDouble(Depth(test, test.coarse, limits).height), 1, 0.01);
  EXPECT_TRUE(proof->is_truncated);
  EXPECT_EQ(proof->vertex_count, 0);
  EXPECT_EQ(proof->facet_count, 0);
}

// The four belt vertices of an octahedron, 2^-400 off their plane, enclose the origin and are flat
// on the polytope's grid.
TEST(ComputePenetration, StartsAnewWhereTheSetIsFlatToRounding) {
  const TestPair test(HullOf({{1, 0, 0x1p-400},
                              {-1, 0, 0x1p-400},
                              {0, 1, -0x1p-400},
                              {0, -1, -0x1p-400},
                              {0, 0, 1},
                              {0, 0, -1}}),
                      HullOf({{0, 0, 0}}), {});
  MinkowskiDifference<Dd> difference(test.pair, test.fine);
  EnclosingSet<Dd> belt;
  for (const Vec3d& d : {Vec3d{1, 0, 0}, Vec3d{-1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, -1, 0}}) {
    belt.vertex[belt.size++] = difference.Support(To<Dd>(d));
  }
  const Penetration depth = ComputePenetration(difference, belt, {});
  ASSERT_TRUE(depth.is_known);
  const double unit = std::ldexp(1.0, test.pair.exponent);
  EXPECT_NEAR(unit * ToDouble(depth.height), 1 / std::sqrt(3.0), 1e-15);
}

// A - B itself is flat on the grid: nothing is claimed.
TEST(ComputePenetration, IsUnknownOfWhatIsFlatToRounding) {
  const TestPair test(Made(MakeBox({1, 1, 0x1p-400}, 0)), HullOf({{0, 0, 0}}), {});
  EXPECT_FALSE(Depth(test, test.coarse).is_known);
  EXPECT_FALSE(Depth(test, test.fine).is_known);
}

MinkowskiVertex<double> At(double x, double y, double z) {
  MinkowskiVertex<double> vertex = {{x, y, z}, {}, 0, 0, false};
  ExpandingPolytope::PutOnGrid(&vertex.w);
  return vertex;
}

EnclosingSet<double> SetOf(const std::vector<MinkowskiVertex<double>>& vertices) {
  EnclosingSet<double> set;
  for (const MinkowskiVertex<double>& vertex : vertices) set.vertex[set.size++] = vertex;
  return set;
}

// The first facet that sees the point, -1 if none does.
int FacetSeeing(const ExpandingPolytope& polytope, const Vec3d& point) {
  int seeing = -1;
  polytope.VisitFacets([&](int f) {
    if (seeing < 0 && polytope.Sees(f, point)) seeing = f;
  });
  return seeing;
}

// Returns how many facets there are.
int ExpectConvexAndClosed(const ExpandingPolytope& polytope) {
  std::vector<int> facets;
  polytope.VisitFacets([&](int f) { facets.push_back(f); });
  for (const int f : facets) {
    const PolytopeFacet& facet = polytope.facet(f);
    for (int v = 0; v < polytope.vertex_count(); ++v) {
      EXPECT_FALSE(polytope.Sees(f, polytope.vertex(v).w));
    }
    for (int i = 0; i < 3; ++i) {
      const PolytopeFacet& other = polytope.facet(facet.neighbor[i]);
      EXPECT_TRUE(std::find(facets.begin(), facets.end(), facet.neighbor[i]) != facets.end());
      const auto back = std::find(other.neighbor.begin(), other.neighbor.end(), f);
      if (back == other.neighbor.end()) {
        ADD_FAILURE() << "facet " << f << " is not the neighbour of its neighbour";
        continue;
      }
      const auto edge = back - other.neighbor.begin();
      EXPECT_EQ(other.corner[edge], facet.corner[(i + 1) % 3]);
      EXPECT_EQ(other.corner[(edge + 1) % 3], facet.corner[i]);
    }
  }
  return static_cast<int>(facets.size());
}

// Grown from the octahedron by the points of a lattice, full of coplanar and collinear ones, in an
// order that leaves many of them in faces and edges.
TEST(ExpandingPolytope, StaysConvexAndClosedOnALattice) {
  const auto polytope = std::make_unique<ExpandingPolytope>();
  ASSERT_TRUE(polytope->Start(SetOf({At(0.5, 0, 0), At(0, 0.5, 0), At(0, 0, 0.5), At(-0.5, 0, 0),
                                     At(0, -0.5, 0), At(0, 0, -0.5)})));
  EXPECT_TRUE(polytope->HoldsOrigin());
  int inserted = 0;
  for (int i = 0; i < 125; ++i) {
    const int k = 57 * i % 125;
    const auto w = At(k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2);
    const int facet = FacetSeeing(*polytope, w.w);
    if (facet < 0) continue;
    polytope->Insert(facet, w);
    ++inserted;
  }
  EXPECT_GE(inserted, 8);
  EXPECT_GE(ExpectConvexAndClosed(*polytope), 12);
  polytope->VisitNear(HUGE_VAL, [&](int f) {
    EXPECT_NEAR(polytope->facet(f).offset, 2, 1e-15);  // the cube of half 2
    EXPECT_LE(polytope->ErrorOf(f), 1e-13);
  });
}

// A vertex far out swallows most of what was there, and fewer facets are left than there were.
TEST(ExpandingPolytope, ForgetsTheFacetsThatAVertexSwallows) {
  const auto polytope = std::make_unique<ExpandingPolytope>();
  std::vector<MinkowskiVertex<double>> set = {At(1, 0, -1), At(-1, 1, -1), At(-1, -1, -1),
                                              At(0, 0, 0.5)};
  for (const double x : {-0.125, 0.125}) {
    for (const double y : {-0.125, 0.125}) set.push_back(At(x, y, 0.4375));
  }
  set.push_back(At(0, 0, 4));
  set.push_back(At(0, 0, -4));
  ASSERT_TRUE(polytope->Start(SetOf(set)));
  EXPECT_EQ(ExpectConvexAndClosed(*polytope), 6);  // the triangle and a tip on either side
  EXPECT_TRUE(polytope->HoldsOrigin());
  const int below = FacetSeeing(*polytope, {0, 0, -5});
  EXPECT_NE(below, FacetSeeing(*polytope, {0, 0, 5}));
}

// What spans no more than what is chosen already is passed over; a flat set is no start at all.
TEST(ExpandingPolytope, StartsFromWhatSpansSpace) {
  const auto polytope = std::make_unique<ExpandingPolytope>();
  ASSERT_TRUE(polytope->Start(
      SetOf({At(1, 0, 0), At(1, 0, 0), At(-1, 0, 0), At(0, 0, 0), At(0, 1, 0), At(0, 0, 1)})));
  EXPECT_EQ(ExpectConvexAndClosed(*polytope), 4);
  EXPECT_FALSE(polytope->HoldsOrigin());  // it is on an edge
}

TEST(ExpandingPolytope, DoesNotStartFromAFlatSet) {
  const auto polytope = std::make_unique<ExpandingPolytope>();
  EXPECT_FALSE(polytope->Start(
      SetOf({At(1, 0, 0), At(-1, 1, 0), At(-1, -1, 0), At(0.25, 0, 0), At(2, 1, 0)})));
}

// Three corners within 1e-20 of one line: the plane says nothing, the line does.
TEST(ExpandingPolytope, MeasuresATriangleTooThinForItsPlane) {
  for (const double height : {0.5, 0.0}) {
    const auto polytope = std::make_unique<ExpandingPolytope>();
    ASSERT_TRUE(polytope->Start(SetOf(
        {At(-1, 0, height), At(0, 0x1p-60, height), At(1, 0, height), At(0, -1, height - 2)})));
    int thin = 0;
    polytope->VisitFacets([&](int f) {
      const PolytopeFacet& facet = polytope->facet(f);
      EXPECT_NEAR(NormSquared(facet.n_A), 1, 1e-14);
      EXPECT_LE(facet.error, 1e-12);
      if (std::find(facet.corner.begin(), facet.corner.end(), 3) != facet.corner.end()) return;
      ++thin;
      EXPECT_NEAR(facet.offset, height, 1e-14);
    });
    EXPECT_EQ(thin, 1);
  }
}

// The squares of such edges' products are below what doubles resolve. A regular tetrahedron is
// around the origin: each of its planes is 1 / sqrt(3) of a coordinate away.
TEST(ExpandingPolytope, MeasuresTrianglesTooSmallForTheirSquares) {
  constexpr double kSize = 0x1p-110;
  const auto polytope = std::make_unique<ExpandingPolytope>();
  ASSERT_TRUE(polytope->Start(SetOf({At(kSize, kSize, kSize), At(kSize, -kSize, -kSize),
                                     At(-kSize, kSize, -kSize), At(-kSize, -kSize, kSize)})));
  polytope->VisitFacets([&](int f) {
    const PolytopeFacet& facet = polytope->facet(f);
    EXPECT_LE(facet.offset - facet.error, kSize / std::sqrt(3.0));
    EXPECT_GE(facet.offset + facet.error, kSize / std::sqrt(3.0));
    EXPECT_LE(facet.error, 4 * kSize);
  });
}

}  // namespace
}  // namespace clearance

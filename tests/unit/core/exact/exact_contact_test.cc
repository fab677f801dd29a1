// SPDX-License-Identifier: Apache-2.0
//
// Contacts that are known by construction: lattice bodies that touch in every kind of feature,
// turned by rotations that are rational to the last bit, and moved apart or together by as little
// as a double can say.

#include "core/exact/exact_contact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinDouble = std::numeric_limits<double>::denorm_min();

using Points = std::vector<Vec3d>;

ConvexShapePtr Hull(const Points& points, double scale = 1) {
  std::vector<double> xyz;
  for (const Vec3d& p : points) xyz.insert(xyz.end(), {scale * p.x, scale * p.y, scale * p.z});
  return std::get<ConvexShapePtr>(MakeHull(xyz, 0));
}

ConvexShapePtr Ball(double radius, double more = 0) {
  return std::get<ConvexShapePtr>(MakeSphere(radius, more));
}

Points Cube(const Vec3d& center) {
  Points points;
  for (const double x : {-4, 4}) {
    for (const double y : {-4, 4}) {
      for (const double z : {-4, 4}) points.push_back(center + Vec3d{x, y, z});
    }
  }
  return points;
}

Points Octahedron(const Vec3d& center) {
  Points points;
  for (const double s : {-4.0, 4.0}) {
    for (const Vec3d& p : {Vec3d{s, 0, 0}, Vec3d{0, s, 0}, Vec3d{0, 0, s}}) {
      points.push_back(center + p);
    }
  }
  return points;
}

ExactVerdict Decide(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b,
                    const Pose& pose_b) {
  const auto verdict = DecideExactly({a, pose_a}, {b, pose_b});
  EXPECT_TRUE(verdict.has_value());
  return verdict.value_or(ExactVerdict{ExactContact::kTouching, kInfinity, -kInfinity});
}

ExactVerdict Decide(const ConvexShapePtr& a, const ConvexShapePtr& b, const Vec3d& p_WB) {
  return Decide(*a, {}, *b, {p_WB, {}});
}

// Bodies that touch where they are; moving b along `apart` separates them.
struct Row {
  std::string name;
  Points a, b;
  Vec3d apart;
  bool is_flat = false;  // moving b the other way separates them too
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

const Points kRidgeBelow = {{-4, 0, 0}, {4, 0, 0}, {0, -4, -4}, {0, 4, -4}};

std::vector<Row> Rows() {
  const Points square = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}};
  return {
      {"vertex_vertex", Octahedron({0, 0, 0}), Octahedron({8, 0, 0}), {1, 0, 0}},
      {"cube_corners", Cube({0, 0, 0}), Cube({8, 8, 8}), {1, 1, 1}},
      {"vertex_edge", Cube({0, 0, 0}), Octahedron({8, 4, 0}), {1, 0, 0}},
      {"vertex_face", Cube({0, 0, 0}), Octahedron({8, 1, 1}), {1, 0, 0}},
      {"edges_crossing", kRidgeBelow, {{0, -4, 0}, {0, 4, 0}, {-4, 0, 4}, {4, 0, 4}}, {0, 0, 1}},
      {"edges_parallel", kRidgeBelow, {{-2, 0, 0}, {2, 0, 0}, {0, -4, 4}, {0, 4, 4}}, {0, 0, 1}},
      {"edge_face", Cube({0, 0, -4}), {{-2, 0, 0}, {2, 0, 0}, {0, -4, 4}, {0, 4, 4}}, {0, 0, 1}},
      {"faces", Cube({0, 0, 0}), Cube({8, 2, 3}), {1, 0, 0}},
      {"equal_faces", Cube({0, 0, 0}), Cube({0, 0, 8}), {0, 0, 1}},
      {"point_on_face", Cube({0, 0, 0}), {{4, 1, 2}}, {1, 0, 0}},
      {"point_on_corner", Cube({0, 0, 0}), {{4, 4, 4}}, {1, 1, 1}},
      {"segment_on_edge", Cube({0, 0, 0}), {{4, 4, -9}, {4, 4, 1}}, {1, 1, 0}},
      {"equal_points", {{1, 2, 3}}, {{1, 2, 3}}, {1, 0, 0}, true},
      {"point_in_triangle", {{-4, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 1, 0}}, {0, 0, 1}, true},
      {"segments_crossing", {{-4, 0, 0}, {4, 0, 0}}, {{0, -1, 0}, {0, 3, 0}}, {0, 0, 1}, true},
      {"coplanar_squares", square, {{2, 2, 0}, {6, 2, 0}, {6, 6, 0}, {2, 6, 0}}, {0, 0, 1}, true},
      {"equal_squares", square, square, {0, 0, 1}, true},
  };
}

class ExactContactOf : public ::testing::TestWithParam<Row> {
 protected:
  // Of the row's bodies, with b moved along `apart`, both turned by kTurn and then moved by
  // `shift`; the same whichever body comes first.
  ExactContact Contact(double move, const Vec3d& shift) const {
    // R = [7 -24 0; 24 7 0; 0 0 25] / 25.
    const Vec3d t = (move / 25) * GetParam().apart;
    const Vec3d turned = {7 * t.x - 24 * t.y, 24 * t.x + 7 * t.y, 25 * t.z};
    const ConvexShapePtr a = Hull(GetParam().a);
    const ConvexShapePtr b = Hull(GetParam().b);
    const Pose pose_a = {shift, kTurn};
    const Pose pose_b = {shift + turned, kTurn};
    const ExactVerdict verdict = Decide(*a, pose_a, *b, pose_b);
    const ExactVerdict swapped = Decide(*b, pose_b, *a, pose_a);
    EXPECT_EQ(verdict.contact, swapped.contact);
    EXPECT_EQ(verdict.lower, swapped.lower);
    EXPECT_EQ(verdict.upper, swapped.upper);
    return verdict.contact;
  }

  ExactContact MovedTogether() const {
    return GetParam().is_flat ? ExactContact::kSeparated : ExactContact::kPenetrating;
  }

  // |q| = 4095/4096: near enough to 1 for a valid pose; the rotation is rational all the same.
  static constexpr Quaternion kTurn = {0, 0, 2457.0 / 4096, 3276.0 / 4096};
};

INSTANTIATE_TEST_SUITE_P(All, ExactContactOf, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

TEST_P(ExactContactOf, IsTouching) {
  EXPECT_EQ(Contact(0, {}), ExactContact::kTouching);
  EXPECT_EQ(Contact(0, {1e8, -1e8, 12345678.5}), ExactContact::kTouching);
}

TEST_P(ExactContactOf, ChangesWithTheLeastMove) {
  const double tiny = 25 * std::ldexp(1, -1060);
  EXPECT_EQ(Contact(tiny, {}), ExactContact::kSeparated);
  EXPECT_EQ(Contact(-tiny, {}), MovedTogether());
}

TEST_P(ExactContactOf, ChangesWithTheLeastMoveFarFromTheOrigin) {
  const double tiny = 25 * std::ldexp(1, -26);  // an ulp of 1e8, times 25
  EXPECT_EQ(Contact(tiny, {1e8, -1e8, 1e8}), ExactContact::kSeparated);
  EXPECT_EQ(Contact(-tiny, {1e8, -1e8, 1e8}), MovedTogether());
}

TEST_P(ExactContactOf, IsTheSameAtAnyScale) {
  for (const int exponent : {-1060, -500, 500, 1000}) {
    const double scale = std::ldexp(1, exponent);
    const ConvexShapePtr a = Hull(GetParam().a, scale);
    const ConvexShapePtr b = Hull(GetParam().b, scale);
    EXPECT_EQ(Decide(a, b, {}).contact, ExactContact::kTouching) << exponent;
    EXPECT_EQ(Decide(a, b, scale * GetParam().apart).contact, ExactContact::kSeparated);
  }
}

TEST(ExactContact, OfBodiesAroundACommonPointIsPenetrating) {
  // The differences hold the origin in a vertex, an edge or a face of none of them.
  const auto cube = Hull(Cube({0, 0, 0}));
  const auto octahedron = Hull(Octahedron({0, 0, 0}));
  const auto needle = Hull({{-9, 0, 0}, {9, 0, 0}});
  for (const auto& [a, b] : {std::pair(cube, cube), std::pair(octahedron, octahedron),
                             std::pair(cube, octahedron), std::pair(cube, needle)}) {
    const ExactVerdict verdict = Decide(a, b, {});
    EXPECT_EQ(verdict.contact, ExactContact::kPenetrating);
    EXPECT_EQ(verdict.lower, -kInfinity);
    EXPECT_EQ(verdict.upper, -kMinDouble);
  }
  EXPECT_EQ(Decide(cube, needle, {0, 4, 0}).contact, ExactContact::kTouching);
}

TEST(ExactContact, BracketsTheDistanceByUlps) {
  const auto a = Hull(Cube({0, 0, 0}));
  const auto b = Hull(Octahedron({8, 0, 0}));
  const ExactVerdict verdict = Decide(a, b, {1, 0, 0});
  EXPECT_EQ(verdict.contact, ExactContact::kSeparated);
  EXPECT_LE(verdict.lower, 1);
  EXPECT_GE(verdict.upper, 1);
  EXPECT_LE(verdict.upper - verdict.lower, std::ldexp(1, -51));
  // Between the cube's corner (4, 4, 4) and the octahedron's face x + y + z = 16 + 4: 8 / sqrt(3).
  const ExactVerdict slanted = Decide(a, b, {0, 8, 8});
  EXPECT_EQ(slanted.contact, ExactContact::kSeparated);
  EXPECT_NEAR(slanted.lower, 8 / std::sqrt(3.0), std::ldexp(1, -48));
}

TEST(ExactContact, OfBallsComparesWithTheSumOfRadii) {
  const double above = std::nextafter(4, 5);
  const double below = std::nextafter(4, 3);
  EXPECT_EQ(Decide(Ball(2), Ball(3), {3, 4, 0}).contact, ExactContact::kTouching);
  const ExactVerdict apart = Decide(Ball(2), Ball(3), {3, above, 0});
  EXPECT_EQ(apart.contact, ExactContact::kSeparated);
  EXPECT_NEAR(apart.lower, 0.8 * (above - 4), std::ldexp(1, -90));
  EXPECT_LE(apart.lower, apart.upper);
  const ExactVerdict together = Decide(Ball(2), Ball(3), {3, below, 0});
  EXPECT_EQ(together.contact, ExactContact::kPenetrating);
  EXPECT_NEAR(together.upper, 0.8 * (below - 4), std::ldexp(1, -90));
  EXPECT_LE(together.lower, together.upper);
  const ExactVerdict concentric = Decide(Ball(2), Ball(3), {});
  EXPECT_EQ(concentric.contact, ExactContact::kPenetrating);
  EXPECT_EQ(concentric.upper, -5);
}

TEST(ExactContact, CountsWhatRoundingTookOffARadius) {
  const double little = std::ldexp(1, -60);
  const auto ball = Ball(1, little);
  EXPECT_EQ(Decide(*ball, {{-little, 0, 0}, {}}, *Ball(4), {{5, 0, 0}, {}}).contact,
            ExactContact::kTouching);
  const ExactVerdict verdict = Decide(ball, Ball(4), {3, 4, 0});
  EXPECT_EQ(verdict.contact, ExactContact::kPenetrating);
  EXPECT_EQ(verdict.lower, -little);
  EXPECT_EQ(verdict.upper, -little);
}

TEST(ExactContact, OfARoundedBoxIsThatOfItsCoreAndRadius) {
  const auto rounded = std::get<ConvexShapePtr>(MakeBox({1, 1, 1}, 13));
  // From the corner (1, 1, 1) by (3, 4, 12): 13 away.
  EXPECT_EQ(Decide(rounded, Hull({{4, 5, 13}}), {}).contact, ExactContact::kTouching);
  EXPECT_EQ(Decide(rounded, Hull({{4, 5, 13}}), {0, 0, kMinDouble}).contact,
            ExactContact::kSeparated);
  EXPECT_EQ(Decide(rounded, Hull({{4, 5, 13}}), {0, 0, -kMinDouble}).contact,
            ExactContact::kPenetrating);
}

TEST(ExactContact, WhereTheDistanceIsBelowAllDoublesHasItsSign) {
  // The bodies are 7/25 of the least double apart.
  const Pose turned = {{}, {0, 0, 2457.0 / 4096, 3276.0 / 4096}};
  const auto wall = Hull({{0, -4, -4}, {0, 4, -4}, {0, -4, 4}, {0, 4, 4}, {-4, 0, 0}});
  const auto post = Hull({{0, 0, 0}, {4, 1, 0}});
  const ExactVerdict verdict = Decide(*wall, turned, *post, {{kMinDouble, 0, 0}, turned.q_WS});
  EXPECT_EQ(verdict.contact, ExactContact::kSeparated);
  EXPECT_EQ(verdict.lower, kMinDouble);
  EXPECT_EQ(verdict.upper, kMinDouble);
}

TEST(ExactContact, OfSizesFromBothEndsOfTheRangeIsDecided) {
  const auto large = Hull(Cube({0, 0, 0}), 1e299);
  const auto small = Hull(Octahedron({0, 0, 0}), 1e-299);
  const Quaternion slightly = {1e-299, -1e-200, 1e-100, 1};
  const double side = 4 * 1e299;
  const ExactVerdict verdict =
      Decide(*large, {{}, slightly}, *small, {{1e-298, 0, 0}, {0, 0, 1, 1e-299}});
  EXPECT_EQ(verdict.contact, ExactContact::kPenetrating);
  EXPECT_EQ(Decide(large, small, {side, 0, 0}).contact, ExactContact::kPenetrating);
  EXPECT_EQ(Decide(large, Hull({{0, 0, 0}, {1e-300, 0, 0}}), {side, 0, 0}).contact,
            ExactContact::kTouching);
}

TEST(ExactContact, IsNotDecidedForShapesThatAreNotHeldExactly) {
  const auto uneven = Hull({{1e300, 0, 0}, {-1e300, 0, 0}, {0, 1e-300, 0}});
  EXPECT_FALSE(uneven->is_exact());
  const auto point = Hull({{0, 0, 0}});
  const Pose pose;
  EXPECT_FALSE(DecideExactly({*uneven, pose}, {*point, pose}).has_value());
  EXPECT_FALSE(DecideExactly({*point, pose}, {*uneven, pose}).has_value());
}

TEST(ExactContact, IsNotDecidedForCurvedShapes) {
  const auto cylinder = std::get<ConvexShapePtr>(MakeCylinder(1, 1, 0));
  const auto point = Hull({{0, 0, 0}});
  const Pose pose;
  EXPECT_FALSE(DecideExactly({*cylinder, pose}, {*point, pose}).has_value());
  EXPECT_FALSE(DecideExactly({*point, pose}, {*cylinder, pose}).has_value());
}

// A lattice of sixty thousand points of the plane z = 0. One coordinate is so small that its hull
// is not proved and all of them are kept, and that every height has a thousand bits.
ConvexShapePtr ManyPointsOfAPlane() {
  Points points = {{1, 1, 0}, {kMinDouble, 0.25, 0}};
  for (int x = -123; x < 123; ++x) {
    for (int y = -123; y < 123; ++y) points.push_back({x / 128.0, y / 128.0, 0});
  }
  return Hull(points);
}

TEST(ExactContact, IsNotDecidedBeyondTheLimitOfWork) {
  const auto plane = ManyPointsOfAPlane();
  ASSERT_TRUE(plane->is_exact());
  ASSERT_GT(plane->vertex_count(), 60000U);
  const auto above = Hull({{0, 0, 1}}), inside = Hull({{0.3, 0.2, 0}});
  const Pose straight;
  EXPECT_EQ(Decide(*plane, straight, *above, straight).contact, ExactContact::kSeparated);
  EXPECT_EQ(Decide(*plane, straight, *inside, straight).contact, ExactContact::kTouching);
  // Rotations from all over the range of doubles make these heights ten times as long. Apart, they
  // end the search for the nearest point; in contact, which a few corners show, that for a normal.
  const Pose slightly = {{}, {1e-300, 1e-170, 1e-100, 1}};
  const Pose otherwise = {{}, {1e-290, -1e-120, 1e-300, 1}};
  EXPECT_FALSE(DecideExactly({*plane, slightly}, {*above, otherwise}).has_value());
  EXPECT_FALSE(DecideExactly({*plane, slightly}, {*inside, slightly}).has_value());
}

TEST(ExactContact, TakesThePoseInsideTheBodyExactly) {
  // The body's x axis is (7, 24, 0) / 25 in the world; its cube, turned back, stands at
  // (100 + 7, 24, 0) with axes along the world's.
  const auto cube = Hull(Cube({0, 0, 0}));
  const Quaternion turn = {0, 0, 2457.0 / 4096, 3276.0 / 4096};
  const Quaternion back = {0, 0, -turn.z, turn.w};
  const Pose body = {{100, 0, 0}, turn};
  const Pose local = {{25, 0, 0}, back};
  const auto wall = Hull({{111, 0, -9}, {111, 60, -9}, {111, 0, 9}, {111, 60, 9}});
  const auto at = [&](double x) {
    const Pose pose = {{x, 0, 0}, {}};
    return DecideExactly({*cube, body, local}, {*wall, pose})->contact;
  };
  EXPECT_EQ(at(0), ExactContact::kTouching);  // 100 + 7 + 4 = 111
  EXPECT_EQ(at(kMinDouble), ExactContact::kSeparated);
  EXPECT_EQ(at(-kMinDouble), ExactContact::kPenetrating);
}

}  // namespace
}  // namespace clearance

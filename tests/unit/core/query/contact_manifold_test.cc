// SPDX-License-Identifier: Apache-2.0
//
// Contacts whose corners are known by hand.

#include "core/query/contact_manifold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/math/rotation.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

constexpr double kHalfSqrt2 = 0.7071067811865476;

ContactManifold Solve(const PosedShape& a, const PosedShape& b,
                      const ManifoldOptions& options = {}) {
  return ComputeManifold(a, b, Distance(a, b, {}), options);
}

ContactManifold Solve(const ConvexShapePtr& a, const Pose& pose_a, const ConvexShapePtr& b,
                      const Pose& pose_b) {
  return Solve({*a, pose_a}, {*b, pose_b});
}

// The rotation by `angle` about a coordinate axis.
Quaternion AboutX(double angle) { return {std::sin(angle / 2), 0, 0, std::cos(angle / 2)}; }
Quaternion AboutY(double angle) { return {0, std::sin(angle / 2), 0, std::cos(angle / 2)}; }
Quaternion AboutZ(double angle) { return {0, 0, std::sin(angle / 2), std::cos(angle / 2)}; }

// The points of A's surface, each the expected one nearest to it, in any order.
void ExpectPoints(const ContactManifold& manifold, const std::vector<Vec3d>& want) {
  ASSERT_EQ(manifold.size, static_cast<int>(want.size()));
  EXPECT_FALSE(manifold.is_truncated);
  for (const Vec3d& p : want) {
    double nearest = HUGE_VAL;
    for (int i = 0; i < manifold.size; ++i) {
      nearest = std::fmin(nearest, NormSquared(manifold.points[i].p_WA - p));
    }
    EXPECT_LT(std::sqrt(nearest), 1e-12) << p.x << " " << p.y << " " << p.z;
  }
}

void ExpectDistances(const ContactManifold& manifold, double distance) {
  for (int i = 0; i < manifold.size; ++i) {
    EXPECT_NEAR(manifold.points[i].distance, distance, 1e-13);
  }
}

bool IsVertex(const Feature& f) { return f.first == f.second; }
bool IsEdge(const Feature& f) { return f.first < f.second; }
bool IsFace(const Feature& f) { return f.first > f.second; }

int CountOf(const ContactManifold& manifold, bool (*is_a)(const Feature&),
            bool (*is_b)(const Feature&)) {
  return static_cast<int>(
      std::count_if(manifold.points.begin(), manifold.points.begin() + manifold.size,
                    [&](const ContactPoint& p) { return is_a(p.feature_a) && is_b(p.feature_b); }));
}

TEST(ContactManifold, OfABoxOnALargerOneHasItsFourCorners) {
  for (const double gap : {0.0, 1e-9, 0.25}) {
    const ContactManifold manifold = Solve(Box(5, 5, 1), {}, Box(1, 1, 1), At(0.5, 0.25, 2 + gap));
    ExpectPoints(manifold, {{1.5, 1.25, 1}, {-0.5, 1.25, 1}, {-0.5, -0.75, 1}, {1.5, -0.75, 1}});
    ExpectDistances(manifold, gap);
    EXPECT_EQ(CountOf(manifold, IsFace, IsVertex), 4);
  }
}

TEST(ContactManifold, NamesTheCallersOwnVertices) {
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, Box(1, 1, 1), At(0.5, 0.25, 2));
  ASSERT_EQ(manifold.size, 4);
  // A's top has the corners 4, 5, 7, 6 of the box; B's corners at the bottom are 0 to 3, in order
  // around beginning with the least.
  const std::uint32_t want[] = {0, 1, 3, 2};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(manifold.points[i].feature_a, (Feature{6, 4}));
    EXPECT_EQ(manifold.points[i].feature_b, (Feature{want[i], want[i]}));
  }
}

TEST(ContactManifold, OfBoxesThatOverlapInPartHasCrossingsToo) {
  const ContactManifold manifold = Solve(Box(1, 1, 1), {}, Box(1, 1, 1), At(0.5, 0.5, 2));
  ExpectPoints(manifold, {{1, 1, 1}, {-0.5, 1, 1}, {-0.5, -0.5, 1}, {1, -0.5, 1}});
  EXPECT_EQ(CountOf(manifold, IsVertex, IsFace), 1);
  EXPECT_EQ(CountOf(manifold, IsFace, IsVertex), 1);
  EXPECT_EQ(CountOf(manifold, IsEdge, IsEdge), 2);
}

TEST(ContactManifold, OfEqualBoxesHasFourCornersWhateverThePose) {
  for (int i = 0; i < 100; ++i) {
    const Quaternion turn = {0.1 * i, 1 - 0.03 * i, 0.7, 0.2 + 0.01 * i};
    const double norm =
        std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w);
    const Pose a = {{0.3 * i, 0.1, 7},
                    {turn.x / norm, turn.y / norm, turn.z / norm, turn.w / norm}};
    const Mat3<double> R_WA = RotationMatrix<double>(a.q_WS);
    const Pose b = {a.p_WS + R_WA * Vec3d{0, 0, 2.0625}, a.q_WS};
    const ContactManifold manifold = Solve(Box(1, 1, 1), a, Box(1, 1, 1), b);
    std::vector<Vec3d> want;
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {-1.0, 1.0}) want.push_back(a.p_WS + R_WA * Vec3d{x, y, 1});
    }
    ExpectPoints(manifold, want);
    EXPECT_EQ(CountOf(manifold, IsVertex, IsFace), 4);
  }
}

TEST(ContactManifold, RockingBox_KeepsFourPointsAndSeparations) {
  // The lower edge of its bottom is 0.0625 above.
  const double angle = 1e-3;
  const Pose b = {{0, 0, 1.0625 + std::cos(angle) + std::sin(angle)}, AboutY(angle)};
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, Box(1, 1, 1), b);
  ASSERT_EQ(manifold.size, 4);
  EXPECT_EQ(CountOf(manifold, IsFace, IsVertex), 4);
  int low = 0, high = 0;
  for (int i = 0; i < 4; ++i) {
    const double distance = manifold.points[i].distance;
    low += std::fabs(distance - 0.0625) < 1e-12 ? 1 : 0;
    high += std::fabs(distance - 0.0625 - 2 * std::sin(angle)) < 1e-12 ? 1 : 0;
  }
  EXPECT_EQ(low, 2);
  EXPECT_EQ(high, 2);
  ManifoldOptions options;
  options.max_separation = 0.063;
  const auto slab = Box(5, 5, 1), box = Box(1, 1, 1);
  EXPECT_EQ(Solve({*slab, {}}, {*box, b}, options).size, 2);
  options.max_separation = 0.0625 - 1e-9;
  EXPECT_EQ(Solve({*slab, {}}, {*box, b}, options).size, 0);
}

TEST(ContactManifold, OfAnEdgeOnAFaceHasItsTwoEnds) {
  const Pose b = {{0.25, 0, 1.125 + std::sqrt(2.0)}, AboutX(std::atan(1.0))};
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, Box(1, 1, 1), b);
  ExpectPoints(manifold, {{1.25, 0, 1}, {-0.75, 0, 1}});
  ExpectDistances(manifold, 0.125);
  EXPECT_EQ(CountOf(manifold, IsFace, IsVertex), 2);
}

TEST(ContactManifold, OfAnEdgeAcrossAFaceEndsAtItsBorder) {
  const Pose b = {{0, 0, 1.125 + std::sqrt(2.0)}, AboutX(std::atan(1.0))};
  const ContactManifold manifold = Solve(Box(1, 5, 1), {}, Box(3, 1, 1), b);
  ExpectPoints(manifold, {{1, 0, 1}, {-1, 0, 1}});
  EXPECT_EQ(CountOf(manifold, IsEdge, IsEdge), 2);
  // And the same with the roles exchanged.
  const ContactManifold swapped = Solve(Box(3, 1, 1), b, Box(1, 5, 1), {});
  ExpectPoints(swapped, {{1, 0, 1.125}, {-1, 0, 1.125}});
  EXPECT_EQ(CountOf(swapped, IsEdge, IsEdge), 2);
}

TEST(ContactManifold, OfACornerOnAFaceIsOnePoint) {
  const auto tip = Points({0, 0, 0, 1, 1, 2, -1, 1, 2, 0, -1, 2});
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, tip, At(0.5, 0.25, 1.25));
  ExpectPoints(manifold, {{0.5, 0.25, 1}});
  ExpectDistances(manifold, 0.25);
  EXPECT_EQ(manifold.points[0].feature_a, (Feature{6, 4}));
  EXPECT_EQ(manifold.points[0].feature_b, (Feature{0, 0}));
}

TEST(ContactManifold, OfCrossedEdgesIsOnePoint) {
  const Pose a = {{0, 0, 0}, AboutX(std::atan(1.0))};
  const Pose b = {{0.25, 0.125, 0.5 + 2 * std::sqrt(2.0)}, AboutY(std::atan(1.0))};
  const ContactManifold manifold = Solve(Box(3, 1, 1), a, Box(1, 3, 1), b);
  ExpectPoints(manifold, {{0.25, 0, std::sqrt(2.0)}});
  ExpectDistances(manifold, 0.5);
  EXPECT_EQ(CountOf(manifold, IsEdge, IsEdge), 1);
}

TEST(ContactManifold, OfParallelEdgesHasTheEndsOfTheirCommonPart) {
  const Quaternion turn = AboutX(std::atan(1.0));
  const Pose a = {{0, 0, 0}, turn}, b = {{1.5, 0, 0.5 + 2 * std::sqrt(2.0)}, turn};
  const ContactManifold manifold = Solve(Box(1, 1, 1), a, Box(1, 1, 1), b);
  ExpectPoints(manifold, {{0.5, 0, std::sqrt(2.0)}, {1, 0, std::sqrt(2.0)}});
  ExpectDistances(manifold, 0.5);
  EXPECT_EQ(CountOf(manifold, IsVertex, IsEdge), 1);
  EXPECT_EQ(CountOf(manifold, IsEdge, IsVertex), 1);
}

TEST(ContactManifold, OfAHexagonalPrismOnAPlaneHasSixPoints) {
  const double c = std::sqrt(3.0) / 2;
  std::vector<double> xyz;
  std::vector<Vec3d> want;
  for (const auto& [x, y] : std::initializer_list<std::pair<double, double>>{
           {1, 0}, {0.5, c}, {-0.5, c}, {-1, 0}, {-0.5, -c}, {0.5, -c}}) {
    xyz.insert(xyz.end(), {x, y, -1, x, y, 1});
    want.push_back({x, y, 1});
  }
  ExpectPoints(Solve(Box(5, 5, 1), {}, Points(xyz), At(0, 0, 2)), want);
}

TEST(ContactManifold, OfATriangleInAPlaneMeetsBothSidesOfAPolygon) {
  const auto triangle = Points({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const auto square = Points({0.25, 0.25, 0, 2, 0.25, 0, 0.25, 2, 0, 2, 2, 0});
  for (const double z : {-0.5, 0.5}) {
    const ContactManifold manifold = Solve(triangle, {}, square, At(0, 0, z));
    ExpectPoints(manifold, {{0.25, 0.25, 0}, {0.75, 0.25, 0}, {0.25, 0.75, 0}});
    ExpectDistances(manifold, 0.5);
  }
}

TEST(ContactManifold, OfACapsuleLyingOnABoxHasTwoPoints) {
  const Pose lying = {{0.25, 0, 1.5}, AboutY(std::atan(1.0) * 2)};
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, Capsule(0.5, 1), lying);
  ExpectPoints(manifold, {{1.25, 0, 1}, {-0.75, 0, 1}});
  ExpectDistances(manifold, 0);
  // Pressed in by 0.125, less than the radius: the normal is still that of the cores.
  const Pose pressed = {{0.25, 0, 1.375}, lying.q_WS};
  ExpectDistances(Solve(Box(5, 5, 1), {}, Capsule(0.5, 1), pressed), -0.125);
  EXPECT_EQ(Solve(Box(5, 5, 1), {}, Capsule(0.5, 1), pressed).size, 2);
}

TEST(ContactManifold, OfRoundedBodiesHasPointsOfTheirSurfaces) {
  const ContactManifold manifold =
      Solve(Box(5, 5, 1, 0.25), {}, Box(1, 1, 1, 0.125), At(0, 0, 2.5));
  ExpectPoints(manifold, {{1, 1, 1.25}, {-1, 1, 1.25}, {1, -1, 1.25}, {-1, -1, 1.25}});
  ExpectDistances(manifold, 0.125);
}

TEST(ContactManifold, OfASphereIsOnePoint) {
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, Sphere(0.5), At(0.5, 0.25, 1.5));
  ExpectPoints(manifold, {{0.5, 0.25, 1}});
  EXPECT_EQ(manifold.points[0].feature_b, (Feature{0, 0}));
}

TEST(ContactManifold, OfACylinderStandingIsAnOctagonAndLyingALine) {
  const auto cylinder = std::get<ConvexShapePtr>(MakeCylinder(0.5, 2, 0));
  const double c = 0.5 * kHalfSqrt2;
  ExpectPoints(Solve(Box(5, 5, 1), {}, cylinder, At(0, 0, 3)), {{0.5, 0, 1},
                                                                {c, c, 1},
                                                                {0, 0.5, 1},
                                                                {-c, c, 1},
                                                                {-0.5, 0, 1},
                                                                {-c, -c, 1},
                                                                {0, -0.5, 1},
                                                                {c, -c, 1}});
  const Pose lying = {{0, 0, 1.75}, AboutX(std::atan(1.0) * 2)};
  const ContactManifold line = Solve(Box(5, 5, 1), {}, cylinder, lying);
  ExpectPoints(line, {{0, 2, 1}, {0, -2, 1}});
  ExpectDistances(line, 0.25);
  const Pose leaning = {{0, 0, 4}, AboutX(0.5)};
  EXPECT_EQ(Solve(Box(5, 5, 1), {}, cylinder, leaning).size, 1);
}

TEST(ContactManifold, OfACylinderOverAnEdgeIsCutOffThere) {
  const auto cylinder = std::get<ConvexShapePtr>(MakeCylinder(0.5, 2, 0));
  const double c = 0.5 * kHalfSqrt2;
  const std::vector<Vec3d> want = {
      {4.5, 0, 1}, {5 - c, c, 1}, {5, 0.5, 1}, {5, -0.5, 1}, {5 - c, -c, 1}};
  ExpectPoints(Solve(Box(5, 5, 1), {}, cylinder, At(5, 0, 3)), want);
  ExpectPoints(Solve(cylinder, At(5, 0, -1), Box(5, 5, 1), At(0, 0, 2)), want);
}

TEST(ContactManifold, OfACone) {
  const auto cone = std::get<ConvexShapePtr>(MakeCone(1, 1, 0));
  EXPECT_EQ(Solve(Box(5, 5, 1), {}, cone, At(0, 0, 2.5)).size, 8);
  // On its side: the side leans from the axis by atan(1/2).
  const Pose lying = {{0, 0, 3}, AboutX(-2 * std::atan(1.0) - std::atan(0.5))};
  const ContactManifold line = Solve(Box(5, 5, 1), {}, cone, lying);
  ASSERT_EQ(line.size, 2);
  EXPECT_EQ(line.points[0].feature_b, (Feature{8, 8}));
  EXPECT_EQ(line.points[1].feature_b, (Feature{9, 9}));
  const Pose on_its_tip = {{0, 0, 3}, {1, 0, 0, 0}};
  const ContactManifold tip = Solve(Box(5, 5, 1), {}, cone, on_its_tip);
  ASSERT_EQ(tip.size, 1);
  EXPECT_EQ(tip.points[0].feature_b, (Feature{8, 8}));
}

TEST(ContactManifold, OfABoxOnAStandingCylinderKeepsItsCorners) {
  const auto cylinder = std::get<ConvexShapePtr>(MakeCylinder(5, 1, 0));
  ExpectPoints(Solve(cylinder, {}, Box(1, 1, 1), At(0, 0, 2)),
               {{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}});
}

TEST(ContactManifold, OfAnEllipsoidIsOnePoint) {
  const auto ellipsoid = std::get<ConvexShapePtr>(MakeEllipsoid({3, 2, 1}, 0));
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, ellipsoid, At(0, 0, 2.25));
  ASSERT_EQ(manifold.size, 1);
  EXPECT_NEAR(manifold.points[0].distance, 0.25, 1e-9);
}

TEST(ContactManifold, IsMirroredWhereTheBodiesAreSwapped) {
  const Pose a = {{1, 2, 3}, AboutZ(0.3)}, b = {{1.25, 2.25, 5.5}, AboutZ(1.1)};
  const auto box = Box(1, 1.5, 1);
  const ContactManifold manifold = Solve(box, a, Box(1.25, 1, 1), b);
  const ContactManifold swapped = Solve(Box(1.25, 1, 1), b, box, a);
  ASSERT_GE(manifold.size, 5);
  ASSERT_EQ(manifold.size, swapped.size);
  for (int i = 0; i < manifold.size; ++i) {
    const ContactPoint& p = manifold.points[i];
    const auto* q = std::find_if(
        swapped.points.begin(), swapped.points.begin() + swapped.size, [&](const auto& other) {
          return other.feature_a == p.feature_b && other.feature_b == p.feature_a;
        });
    ASSERT_NE(q, swapped.points.begin() + swapped.size);
    EXPECT_LT(NormSquared(p.p_WA - q->p_WB), 1e-26);
    EXPECT_LT(NormSquared(p.p_WB - q->p_WA), 1e-26);
    EXPECT_NEAR(p.distance, q->distance, 1e-13);
  }
}

// A prism of unit radius, its corners 2 i and 2 i + 1 at the angle i - first, of `count` around.
ConvexShapePtr RoundPrism(int count, int first) {
  std::vector<double> xyz;
  for (int i = 0; i < count; ++i) {
    const double angle = (i - first) * std::atan(1.0) * 8 / count;
    for (const double z : {-1.0, 1.0}) {
      xyz.insert(xyz.end(), {std::cos(angle), std::sin(angle), z});
    }
  }
  return Points(xyz);
}

TEST(ContactManifold, OfManyCornersKeepsTheDeepestAndTheWidest) {
  for (int lowest = 0; lowest < 8; ++lowest) {
    const Pose b = {{0, 0, 2.5}, AboutY(1e-3)};  // the side towards +x is the lowest
    const ContactManifold manifold = Solve(Box(5, 5, 1), {}, RoundPrism(40, lowest), b);
    EXPECT_TRUE(manifold.is_truncated);
    ASSERT_EQ(manifold.size, ContactManifold::kCapacity);
    double area = 0;
    const ContactPoint* deepest = manifold.points.begin();
    for (int i = 0; i < manifold.size; ++i) {
      const Vec3d& p = manifold.points[i].p_WA;
      const Vec3d& q = manifold.points[(i + 1) % manifold.size].p_WA;
      area += (p.x * q.y - p.y * q.x) / 2;
      if (manifold.points[i].distance < deepest->distance) deepest = &manifold.points[i];
    }
    EXPECT_EQ(deepest->feature_b.first, 2 * lowest);
    EXPECT_GT(area, 0.96 * 3.13) << "of 16 corners at best 0.975 of the disc";
  }
}

TEST(ContactManifold, OfAFaceWithHundredsOfCornersIsThinned) {
  const ContactManifold manifold = Solve(Box(5, 5, 1), {}, RoundPrism(300, 0), At(0, 0, 2));
  EXPECT_TRUE(manifold.is_truncated);
  EXPECT_EQ(manifold.size, ContactManifold::kCapacity);
}

TEST(ContactManifold, OfAThinnedFaceUnderASmallOneIsStillCalledTruncated) {
  // The plate's four corners lie well inside the face of 300.
  for (const bool is_below : {true, false}) {
    const auto prism = RoundPrism(300, 0), plate = Box(0.5, 0.5, 1);
    const ContactManifold manifold =
        is_below ? Solve(prism, {}, plate, At(0, 0, 2)) : Solve(plate, {}, prism, At(0, 0, 2));
    EXPECT_EQ(manifold.size, 4) << is_below;
    EXPECT_TRUE(manifold.is_truncated) << is_below;
  }
}

// Its lower edge has a corner in the middle, 2^-60 before the others: in the frame of the contact
// the three are in one line, and the middle one is their mean.
TEST(ContactManifold, OfThreeCornersInOneLineHasAllThree) {
  const auto plate = Points({-1,  0, 0, 1,   0, 0, 1,   2,  0, -1,  2, 0,        -1, 0,
                             0.5, 1, 0, 0.5, 1, 2, 0.5, -1, 2, 0.5, 0, -0x1p-60, 0});
  const auto slab = Box(5, 5, 1);
  ManifoldOptions options;
  options.max_separation = 0.063;
  const Pose b = {{0, 1, 1.0625}, AboutX(1e-3)};
  const ContactManifold manifold = Solve({*slab, {}}, {*plate, b}, options);
  ExpectPoints(manifold, {{-1, 1, 1}, {0, 1, 1}, {1, 1, 1}});
  ExpectDistances(manifold, 0.0625);
  EXPECT_EQ(CountOf(manifold, IsFace, IsVertex), 3);
  // Around their mean, which counts as on the x axis: the right one, the middle, the left one.
  const std::uint32_t want[] = {0, 1, 8};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(manifold.points[i].feature_b, (Feature{want[i], want[i]}));
}

TEST(ContactManifold, IsEmptyWhereNothingIsKnownToBeInContact) {
  const auto box = Box(1, 1, 1);
  DistanceAnswer answer = Distance({*box, {}}, {*box, At(3, 0, 0)}, {});
  answer.state = State::kBeyond;
  EXPECT_EQ(ComputeManifold({*box, {}}, {*box, At(3, 0, 0)}, answer).size, 0);
  answer.state = State::kUndecided;
  EXPECT_EQ(ComputeManifold({*box, {}}, {*box, At(3, 0, 0)}, answer).size, 0);
}

TEST(ContactManifold, FarFromTheOriginAndOfAnyUnitIsTheSame) {
  const ContactManifold one = Solve(Box(1, 2, 1), {}, Box(1, 1, 1), {{0.5, 0.5, 2}, AboutZ(0.25)});
  const Vec3d far = {1 << 26, -(1 << 26), 1 << 25};
  const ContactManifold moved =
      Solve(Box(1, 2, 1), {far, {}}, Box(1, 1, 1), {far + Vec3d{0.5, 0.5, 2}, AboutZ(0.25)});
  ASSERT_EQ(one.size, moved.size);
  for (const int power : {-300, 300}) {
    const double s = std::ldexp(1.0, power);
    const ContactManifold scaled =
        Solve(Box(s, 2 * s, s), {}, Box(s, s, s), {{0.5 * s, 0.5 * s, 2 * s}, AboutZ(0.25)});
    ASSERT_EQ(one.size, scaled.size);
    for (int i = 0; i < one.size; ++i) {
      EXPECT_EQ(s * one.points[i].p_AoA, scaled.points[i].p_AoA);
      EXPECT_EQ(one.points[i].feature_a, scaled.points[i].feature_a);
    }
  }
  for (int i = 0; i < one.size; ++i) {
    EXPECT_EQ(one.points[i].feature_b, moved.points[i].feature_b);
    EXPECT_LT(NormSquared(one.points[i].p_AoA - moved.points[i].p_AoA), 1e-28);
  }
}

TEST(ContactManifold, OfABodyTooSmallToHaveAFaceBesideTheOtherIsOnePoint) {
  const double tiny = 0x1p-700;
  const ContactManifold manifold =
      Solve(Box(1, 1, 1), {}, Box(tiny, tiny, tiny), At(0.5, 0.5, 1.5));
  ASSERT_EQ(manifold.size, 1);
  EXPECT_EQ(manifold.points[0].distance, 0.5);
}

TEST(ContactManifold, HoldsForAShapeWithItsOwnPoseInTheBody) {
  const auto slab = Box(5, 5, 1), box = Box(1, 1, 1);
  const Pose a = {{1, 2, 3}, AboutZ(0.7)};
  const Pose local = {{0.5, 0, -1}, {}};
  const Mat3<double> R_WA = RotationMatrix<double>(a.q_WS);
  const Pose b = {a.p_WS + R_WA * Vec3d{1, 1, 1}, a.q_WS};
  const ContactManifold manifold = Solve({*slab, a, local}, {*box, b});
  std::vector<Vec3d> want;
  for (const double x : {0.0, 2.0}) {
    for (const double y : {0.0, 2.0}) want.push_back(a.p_WS + R_WA * Vec3d{x, y, 0});
  }
  ExpectPoints(manifold, want);
  for (int i = 0; i < manifold.size; ++i) {
    EXPECT_LT(NormSquared(manifold.points[i].p_AoA + a.p_WS - manifold.points[i].p_WA), 1e-28);
  }
}

}  // namespace
}  // namespace clearance

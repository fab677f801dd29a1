// SPDX-License-Identifier: Apache-2.0
//
// Bounds on signed distances against closed forms, one pair for each of the ways in which a pair is
// settled or left. Random pairs against the exact oracle: tests/property/intersection_test.cc.

#include "core/narrow/separation_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

constexpr double kTenth = 0.1;

ConvexShapePtr BoxOf(const Vec3d& half, double radius = 0) {
  return std::get<ConvexShapePtr>(MakeBox(half, radius));
}

ConvexShapePtr HullOfPoints(const std::vector<double>& xyz, double radius = 0) {
  return std::get<ConvexShapePtr>(MakeHull(xyz, radius));
}

ConvexShapePtr Octahedron(double size, double radius = 0) {
  const double s = size;
  return HullOfPoints({s, 0, 0, -s, 0, 0, 0, s, 0, 0, -s, 0, 0, 0, s, 0, 0, -s}, radius);
}

// On a sphere of radius 1, with both poles of x.
ConvexShapePtr Round(int points) {
  testing::Random random(1);
  std::vector<double> xyz = {1, 0, 0, -1, 0, 0};
  for (int i = 2; i < points; ++i) {
    const Vec3d p = random.Direction();
    xyz.insert(xyz.end(), {p.x, p.y, p.z});
  }
  return HullOfPoints(xyz);
}

Quaternion Turn(const Vec3d& axis, double angle_rad) {
  const Vec3d v = std::sin(angle_rad / 2) * axis;
  return {v.x, v.y, v.z, std::cos(angle_rad / 2)};
}

using Bound = void (*)(absl::Span<const SeparationPair>, absl::Span<SeparationBounds>);

// Also among others, in every lane.
SeparationBounds BoundsOf(Bound bound, const PosedShape& a, const PosedShape& b) {
  SeparationBounds alone;
  const SeparationPair pair = {&a, &b};
  bound({&pair, 1}, {&alone, 1});
  const ConvexShapePtr other = BoxOf({1, 2, 3});
  const Pose X_WO = {{1, 0.5, 0.25}, Turn({0, 0, 1}, 1)};
  const PosedShape other_a = {*other, kIdentityPose}, other_b = {*other, X_WO};
  // As many as one vector has lanes for, and more.
  for (const std::size_t count : {std::size_t{5}, std::size_t{17}}) {
    for (std::size_t place = 0; place < count; ++place) {
      std::vector<SeparationPair> pairs(count, {&other_a, &other_b});
      pairs[place] = pair;
      std::vector<SeparationBounds> bounds(pairs.size());
      bound(pairs, absl::MakeSpan(bounds));
      EXPECT_EQ(bounds[place].lower, alone.lower);
      EXPECT_EQ(bounds[place].upper, alone.upper);
      EXPECT_EQ(bounds[place].iterations, alone.iterations);
    }
  }
  return alone;
}

void ExpectHolds(const SeparationBounds& bounds, double distance) {
  EXPECT_LE(bounds.lower, distance);
  EXPECT_GE(bounds.upper, distance);
}

void ExpectSettled(const SeparationBounds& bounds, double distance) {
  EXPECT_TRUE(bounds.IsSettled()) << bounds.lower << " " << bounds.upper;
  ExpectHolds(bounds, distance);
}

SeparationBounds OfBoxes(const ConvexShapePtr& a, const Pose& X_WA, const ConvexShapePtr& b,
                         const Pose& X_WB) {
  return BoundsOf(BoundBoxes, {*a, X_WA}, {*b, X_WB});
}

TEST(BoundBoxes, TellsApartFarAndNearAndOverlapping) {
  const ConvexShapePtr cube = BoxOf({1, 1, 1});
  ExpectSettled(OfBoxes(cube, {}, cube, {{9, 0, 0}, {}}), 7);
  ExpectSettled(OfBoxes(cube, {}, cube, {{2.1, 0.5, 0}, {}}), 0.1);
  ExpectSettled(OfBoxes(cube, {}, cube, {{0.5, 1.9, 0}, {}}), -0.1);
  ExpectSettled(OfBoxes(cube, {}, cube, {{0.5, -0.5, -1.9}, {}}), -0.1);
}

TEST(BoundBoxes, LeavesContactsAlone) {
  const ConvexShapePtr cube = BoxOf({1, 1, 1});
  for (const double gap : {0.0, 1e-12, -1e-12, -1e-7}) {
    const SeparationBounds bounds = OfBoxes(cube, {}, cube, {{2 + gap, 0.5, 0}, {}});
    EXPECT_FALSE(bounds.IsSettled()) << gap;
    ExpectHolds(bounds, gap);
  }
}

// Ridges that cross: along no face's normal are these boxes apart.
TEST(BoundBoxes, FindsTheAxisThatOnlyEdgesHave) {
  const ConvexShapePtr cube = BoxOf({1, 1, 1});
  const double eighth = std::atan(1.0);
  const Pose ridge_along_y = {{1, 2, 3}, Turn({0, 1, 0}, eighth)};
  for (const double gap : {kTenth, -kTenth}) {
    const Pose ridge_along_z = {{1 + 2 * std::sqrt(2.0) + gap, 2, 3}, Turn({0, 0, 1}, eighth)};
    ExpectSettled(OfBoxes(cube, ridge_along_y, cube, ridge_along_z), gap);
    ExpectSettled(OfBoxes(cube, ridge_along_z, cube, ridge_along_y), gap);
  }
}

// Edges that are parallel to within less than their cross product can tell.
TEST(BoundBoxes, DoesWithoutTheAxesOfParallelEdges) {
  const ConvexShapePtr a = BoxOf({1, 2, 0.5}), b = BoxOf({0.5, 1, 1});
  for (const double angle : {0.0, 1e-15, 1e-9, 5e-7}) {
    const Pose X_WB = {{0, 0, 1.4}, Turn({0.6, 0.8, 0}, angle)};
    const SeparationBounds bounds = OfBoxes(a, {}, b, X_WB);
    ExpectSettled(bounds, -0.1 - angle);
    EXPECT_LT(bounds.upper, -0.09);
  }
  // Too little to tell the overlap along their cross product, and too much to leave it out.
  const SeparationBounds between = OfBoxes(a, {}, b, {{0, 0, 1.4}, Turn({0.6, 0.8, 0}, 1e-5)});
  EXPECT_FALSE(between.IsSettled());
  ExpectHolds(between, -0.1);
}

TEST(BoundBoxes, TakesRadiiAndCentersIntoAccount) {
  const ConvexShapePtr rounded = BoxOf({1, 1, 1}, 0.25);
  ExpectSettled(OfBoxes(rounded, {}, rounded, {{2.6, 0, 0}, {}}), 0.1);
  ExpectSettled(OfBoxes(rounded, {}, rounded, {{2.4, 0, 0}, {}}), -0.1);
  ExpectSettled(OfBoxes(rounded, {}, rounded, {{1.5, 0, 0}, {}}), -1);
  std::vector<double> corners;
  for (int i = 0; i < 8; ++i) {
    corners.insert(corners.end(), {i % 2 + 4.0, i / 2 % 2 + 8.0, i / 4 - 2.0});
  }
  const ConvexShapePtr aside = HullOfPoints(corners);
  ASSERT_TRUE(aside->box_corners().is_box);
  ASSERT_EQ(aside->center(), (Vec3d{4.5, 8.5, -1.5}));
  const Pose quarter = {{}, Turn({0, 0, 1}, 2 * std::atan(1.0))};  // its centre at -8.5 4.5 -1.5
  ExpectSettled(OfBoxes(rounded, {{-8.5, 4.5, 0.5}, {}}, aside, quarter), 0.25);
}

TEST(BoundBoxes, ClaimsNothingOutOfRange) {
  for (const double size : {1e-200, 1e-40, 1e40, 1e200}) {
    const ConvexShapePtr cube = BoxOf({size, size, size});
    const SeparationBounds bounds = OfBoxes(cube, {}, cube, {{9 * size, 0, 0}, {}});
    EXPECT_EQ(bounds.lower, -HUGE_VAL) << size;
    EXPECT_EQ(bounds.upper, HUGE_VAL) << size;
  }
  const ConvexShapePtr small = BoxOf({1e-20, 1e-20, 1e-20});
  ExpectSettled(OfBoxes(small, {}, small, {{2.1e-20, 0, 0}, {}}), 1e-21);
}

SeparationBounds OfHulls(const ConvexShapePtr& a, const ConvexShapePtr& b, const Vec3d& p_WB) {
  const Pose X_WB = {p_WB, {}};
  return BoundsOf(BoundHulls, {*a, kIdentityPose}, {*b, X_WB});
}

TEST(BoundHulls, TellsApartFarAndNearAndOverlapping) {
  const ConvexShapePtr shape = Octahedron(1);
  const SeparationBounds far = OfHulls(shape, shape, {9, 0, 0});
  ExpectSettled(far, 7);
  EXPECT_EQ(far.iterations, 0U);
  // Along a face's normal: it is 1 / sqrt(3) from the centre.
  const double s = 1 / std::sqrt(3.0);
  for (const double gap : {kTenth, -kTenth}) {
    const double p = (2 * s + gap) * s;
    const SeparationBounds bounds = OfHulls(shape, shape, {p, p, p});
    ExpectSettled(bounds, gap);
    EXPECT_EQ(bounds.iterations == 0, gap > 0);  // the first plane parts them
  }
}

TEST(BoundHulls, ScansAndClimbsAlike) {
  for (const int points : {15, 100, 700}) {
    const ConvexShapePtr shape = Round(points);
    ASSERT_EQ(shape->scan_blocks().empty(), points == 700);
    ExpectSettled(OfHulls(shape, shape, {2.01, 0, 0}), 0.01);
    const SeparationBounds deep = OfHulls(shape, BoxOf({0.5, 0.25, 0.125}), {0.3, 0.1, 0.2});
    EXPECT_LT(deep.upper, 0);
    EXPECT_GT(deep.lower, -2);
  }
}

TEST(BoundHulls, LeavesContactsAlone) {
  const ConvexShapePtr shape = Octahedron(1);
  const double s = 1 / std::sqrt(3.0);
  for (const double gap : {1e-12, -1e-12, 1e-6, -1e-6}) {
    const double p = (2 * s + gap) * s;
    const SeparationBounds bounds = OfHulls(shape, shape, {p, p, p});
    EXPECT_FALSE(bounds.IsSettled()) << gap;
    ExpectHolds(bounds, gap);
  }
  ExpectHolds(OfHulls(shape, shape, {}), -2 * s);
}

TEST(BoundHulls, TakesRadiiAndSinglePointsIntoAccount) {
  const ConvexShapePtr point = HullOfPoints({0, 0, 0}, 0.5);
  ExpectSettled(OfHulls(point, point, {1.01, 0, 0}), 0.01);
  ExpectSettled(OfHulls(point, point, {0.75, 0, 0}), -0.25);
  const ConvexShapePtr shape = Octahedron(1, 0.25);
  ExpectSettled(OfHulls(shape, point, {1.8, 0, 0}), 0.05);
  ExpectHolds(OfHulls(shape, point, {1.7, 0, 0}), -0.05);
  ExpectSettled(OfHulls(shape, shape, {1.9, 0.01, 0.02}), -0.5 - 0.07 / std::sqrt(3.0));
}

// Flat on both sides: there is no tetrahedron to hold the origin.
TEST(BoundHulls, NeverProvesAnOverlapOfWhatHasNoInside) {
  const ConvexShapePtr square = HullOfPoints({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
  const SeparationBounds bounds = OfHulls(square, square, {0.3, 0.2, 0});
  EXPECT_FALSE(bounds.IsSettled());
  ExpectHolds(bounds, 0);
}

TEST(BoundHulls, ClaimsNothingOutOfRange) {
  for (const double size : {1e-200, 1e-40, 1e40, 1e200}) {
    const SeparationBounds bounds = OfHulls(Octahedron(size), Octahedron(size), {1.5 * size, 0, 0});
    EXPECT_EQ(bounds.lower, -HUGE_VAL) << size;
    EXPECT_EQ(bounds.upper, HUGE_VAL) << size;
  }
}

}  // namespace
}  // namespace clearance

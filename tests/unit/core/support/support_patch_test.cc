// SPDX-License-Identifier: Apache-2.0
//
// What curved cores touch a plane with, by hand; contact_manifold_test.cc has the polytopes.

#include "core/support/support_patch.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <variant>
#include <vector>

#include "core/math/tolerance.h"
#include "core/shape/make_shape.h"
#include "core/support/curved_support.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

ConvexShapePtr Made(const ShapeOrError& made) { return std::get<ConvexShapePtr>(made); }

// Largest lengths are 1, so that normalised coordinates are the plain ones.
ConvexShapePtr Cylinder(double half_length) { return Made(MakeCylinder(1, half_length, 0)); }
ConvexShapePtr Cone(double half_length) { return Made(MakeCone(1, half_length, 0)); }

void ExpectPoint(const SupportPatch& patch, const Vec3d& corner, std::uint32_t name) {
  ASSERT_EQ(patch.size, 1);
  EXPECT_EQ(patch.feature, (Feature{name, name}));
  EXPECT_EQ(patch.name[0], name);
  EXPECT_LE(Norm(patch.corner[0] - corner), 4 * kRoundoff);
}

void ExpectLine(const SupportPatch& patch, const std::array<Vec3d, 2>& ends, const Feature& line) {
  ASSERT_EQ(patch.size, 2);
  EXPECT_EQ(patch.feature, line);
  EXPECT_EQ(patch.name[0], line.first);
  EXPECT_EQ(patch.name[1], line.second);
  for (int i = 0; i < 2; ++i) EXPECT_LE(Norm(patch.corner[i] - ends[i]), 4 * kRoundoff);
}

// A fan of the unit circle at height z, counter-clockwise from outside.
void ExpectCap(const SupportPatch& patch, double z, const Vec3d& normal, const Feature& cap) {
  ASSERT_EQ(patch.size, 8);
  EXPECT_EQ(patch.feature, cap);
  EXPECT_EQ(patch.normal, normal);
  for (int i = 0; i < 8; ++i) {
    const Vec3d& p = patch.corner[i];
    EXPECT_EQ(p.z, z);
    EXPECT_NEAR(p.x * p.x + p.y * p.y, 1, 4 * kRoundoff);
    EXPECT_GT(Dot(normal, Cross(p - Vec3d{0, 0, z}, patch.corner[(i + 1) % 8] - p)), 0.5);
  }
}

TEST(FindSupportPatch, OfACylinderIsACapALineOrAPointOfARim) {
  const ConvexShapePtr cylinder = Cylinder(0.5);
  ExpectCap(FindSupportPatch(*cylinder, {0, 0, 1}, 0), 0.5, {0, 0, 1}, {7, 0});
  ExpectCap(FindSupportPatch(*cylinder, {0, 0, -1}, 0), -0.5, {0, 0, -1}, {9, 8});
  ExpectLine(FindSupportPatch(*cylinder, {1, 0, 0}, 0), {{{1, 0, 0.5}, {1, 0, -0.5}}}, {16, 17});
  ExpectPoint(FindSupportPatch(*cylinder, {0.6, 0, 0.8}, 0), {1, 0, 0.5}, 16);
  ExpectPoint(FindSupportPatch(*cylinder, {0, -0.6, -0.8}, 0), {0, -1, -0.5}, 17);
}

TEST(FindSupportPatch, OfADiscIsEitherSideOrAPointOfTheRim) {
  const ConvexShapePtr disc = Cylinder(0);
  ExpectCap(FindSupportPatch(*disc, {0, 0, 1}, 0), 0, {0, 0, 1}, {7, 0});
  ExpectCap(FindSupportPatch(*disc, {0, 0, -1}, 0), 0, {0, 0, -1}, {9, 8});
  ExpectPoint(FindSupportPatch(*disc, {0, 1, 0}, 0), {0, 1, 0}, 16);
}

TEST(FindSupportPatch, OfAConeIsItsBaseALineTheApexOrAPointOfTheRim) {
  const ConvexShapePtr cone = Cone(0.5);  // its side leans by 45 degrees
  ExpectCap(FindSupportPatch(*cone, {0, 0, -1}, 0), -0.5, {0, 0, -1}, {1, 0});
  const double half = std::sqrt(0.5);
  ExpectLine(FindSupportPatch(*cone, {half, 0, half}, 0), {{{0, 0, 0.5}, {1, 0, -0.5}}}, {8, 9});
  ExpectPoint(FindSupportPatch(*cone, {0.8, 0, 0.6}, 0), {1, 0, -0.5}, 9);
  ExpectPoint(FindSupportPatch(*cone, {0, -0.8, -0.6}, 0), {0, -1, -0.5}, 9);
  ExpectPoint(FindSupportPatch(*cone, {0.6, 0, 0.8}, 0), {0, 0, 0.5}, 8);
  ExpectPoint(FindSupportPatch(*cone, {0, 0, 1}, 0), {0, 0, 0.5}, 8);
}

// Also where rounding puts the tilt on both sides of its limit.
TEST(FindSupportPatch, OfAFlatConeIsEitherSideOrAPointOfTheRim) {
  const ConvexShapePtr disc = Cone(0);
  ExpectCap(FindSupportPatch(*disc, {0, 0, 1}, 0), 0, {0, 0, 1}, {7, 0});
  ExpectCap(FindSupportPatch(*disc, {0, 0, -1}, 0), 0, {0, 0, -1}, {1, 0});
  ExpectPoint(FindSupportPatch(*disc, {0, 1, 0}, 0), {0, 1, 0}, 9);
  Random random(RunSeed());
  int caps = 0, points = 0;
  for (int i = 0; i < Effort(2000); ++i) {
    const double turn = random.Uniform(0, 2 * kPi);
    const Vec3d d = {kContactFaceSine * std::cos(turn), kContactFaceSine * std::sin(turn),
                     std::sqrt(1 - kContactFaceSine * kContactFaceSine)};
    const ConvexShapePtr other = Made(MakeCone(random.Uniform(0.5, 1), 0, 0));
    const SupportPatch patch = FindSupportPatch(*other, d, 0);
    ASSERT_TRUE(patch.size == 8 || patch.size == 1) << patch.size;
    ++(patch.size == 8 ? caps : points);
  }
  EXPECT_GT(caps, Effort(2000) / 10);
  EXPECT_GT(points, Effort(2000) / 10);
}

TEST(FindSupportPatch, OfAnEllipsoidIsItsHighestPoint) {
  const ConvexShapePtr ellipsoid = Made(MakeEllipsoid({1, 0.5, 0.25}, 0));
  ExpectPoint(FindSupportPatch(*ellipsoid, {0, 0, -1}, 0), {0, 0, -0.25}, 0);
}

// By the closed-form support: no corner is higher than it, and none lower than the tilt allows.
TEST(FindSupportPatch, ReachesToTheSupport) {
  Random random(RunSeed());
  const std::vector<ConvexShapePtr> bodies = {Cylinder(0.5), Cylinder(0), Cone(0.5), Cone(0),
                                              Made(MakeEllipsoid({1, 0.5, 0.25}, 0))};
  std::array<int, 9> of_size{};
  for (int i = 0; i < Effort(20000); ++i) {
    const ConvexShape& body = *bodies[i % bodies.size()];
    Vec3d d = random.Direction();
    if (random.OneIn(4)) d = {0.02 * d.x, 0.02 * d.y, random.Sign()};
    if (random.OneIn(4)) d = {d.x, d.y, 0.02 * d.z};
    if (random.OneIn(4)) d = {d.x, d.y, std::sqrt(d.x * d.x + d.y * d.y)};
    d = Normalized(d);
    const double highest = Dot(d, CurvedSupportPoint(body, d));
    const SupportPatch patch = FindSupportPatch(body, d, 0);
    ++of_size[patch.size];
    for (int k = 0; k < patch.size; ++k) {
      EXPECT_LE(Dot(d, patch.corner[k]), highest + 16 * kRoundoff);
      EXPECT_GE(Dot(d, patch.corner[k]), highest - 2.01 * kContactFaceSine);
    }
  }
  EXPECT_GT(of_size[1], Effort(1000));
  EXPECT_GT(of_size[2], Effort(1000));
  EXPECT_GT(of_size[8], Effort(1000));
}

}  // namespace
}  // namespace clearance

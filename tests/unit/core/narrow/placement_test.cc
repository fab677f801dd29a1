// SPDX-License-Identifier: Apache-2.0
//
// Placements against exact rationals (GMP).

#include "core/narrow/placement.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

TEST(Placement, FarFromTheOrigin_KeepsDigitsOfTheDifference) {
  const TestPair near(Cube(1), Cube(1), {{3, 0, 0}, {}});
  TestPair far(Cube(1), Cube(1), {{3, 0, 0}, {}});
  far.a_pose.p_WS = {1e8, -2e8, 1e7};
  far.b_pose.p_WS = {1e8 + 3, -2e8, 1e7};
  const CenterOffset offset = ComputeCenterOffset({*far.a, far.a_pose}, {*far.b, far.b_pose});
  const Placement<double> placed =
      MakePlacement<double>(near.pair, {*far.a, far.a_pose}, {*far.b, far.b_pose}, offset);
  EXPECT_EQ(placed.p_AB, near.coarse.p_AB);
}

TEST(Placement, ScalesByAPowerOfTwoWithoutChangingABit) {
  const Quaternion q{0.1, 0.2, 0.3, 0.927361849549570};
  for (const int power : {-900, -1, 40, 900}) {
    const double scale = std::ldexp(1.0, power);
    const TestPair one(Cube(1), Octahedron(), {{3, 1, 0.3}, q});
    const TestPair scaled(Cube(scale),
                          HullOf({{scale, 0, 0},
                                  {-scale, 0, 0},
                                  {0, scale, 0},
                                  {0, -scale, 0},
                                  {0, 0, scale},
                                  {0, 0, -scale}}),
                          {{3 * scale, 1 * scale, 0.3 * scale}, q});
    EXPECT_EQ(scaled.coarse.p_AB, one.coarse.p_AB) << power;
    EXPECT_EQ(scaled.coarse.error, one.coarse.error) << power;
    EXPECT_EQ(scaled.pair.exponent, one.pair.exponent + power);
  }
}

TEST(Placement, SaysByHowMuchItsDoublesAreOff) {
  const Quaternion q{0.1, 0.2, 0.3, 0.927361849549570};
  const TestPair test(Cube(1), Octahedron(), {{3, 1, 0.3}, q});
  const Vec3<DoubleDouble> fine = test.fine.p_AB;
  const Vec3d difference = test.coarse.p_AB - ToDouble(fine);
  EXPECT_LE(std::sqrt(NormSquared(difference)), test.coarse.error);
  EXPECT_GT(test.coarse.error, 0);
  EXPECT_LT(test.fine.error, 0x1p-90);
}

mpq_class Exact(double x) { return mpq_class(x); }
mpq_class Exact(const DoubleDouble& x) { return mpq_class(x.hi) + mpq_class(x.lo); }

// A's body is far off, and A as far back inside of it; where B stands nearly cancels what is left,
// the distance of the shapes' centres. Up to there more digits are added up than double-double has.
class PlacementInsideBodies : public ::testing::Test {
 protected:
  template <class T>
  void ExpectErrorWithinBounds() const {
    const PosedShape a = {*shape_a_, pose_a_, local_a_}, b = {*shape_b_, pose_b_, local_b_};
    const CenterOffset offset = ComputeCenterOffset(a, b);
    const ShapePair pair = MakeShapePair(*shape_a_, *shape_b_, ReachExponent(offset));
    const Placement<T> placed = MakePlacement<T>(pair, a, b, offset);
    const mpq_class metres = Exact(pose_b_.p_WS.x) + Exact(local_b_.p_WS.x) +
                             Exact(shape_b_->center().x) - Exact(shape_a_->center().x);
    const mpq_class error =
        Exact(placed.p_AB.x) - metres / mpq_class(std::ldexp(1.0, pair.exponent));
    EXPECT_NE(error, 0);
    EXPECT_LE(abs(error), Exact(placed.error));
    EXPECT_LE(placed.error, std::ldexp(kFar, -95 - pair.exponent));
  }

  static constexpr double kFar = 0x1.5555555555555p+30;
  const ConvexShapePtr shape_a_ = HullOf({{5, 7, 3}, {5.3, 7, 3}, {5, 7.7, 3}, {5, 7, 3.1}});
  const ConvexShapePtr shape_b_ = HullOf({{4, 7, 3}, {4.1, 7, 3}, {4, 7.7, 3}, {4, 7, 3.1}});
  const Pose pose_a_ = {{-kFar, 0, 0}, {}};
  const Pose pose_b_ = {{shape_a_->center().x - shape_b_->center().x, 0, 0}, {}};
  const Pose local_a_ = {{kFar, 0, 0}, {}};
  const Pose local_b_ = {{0x1.1999999999999p-75, 0, 0}, {}};
};

TEST_F(PlacementInsideBodies, CountsTheRoundingOfCentresThatAreSums) {
  ExpectErrorWithinBounds<double>();
  ExpectErrorWithinBounds<DoubleDouble>();
}

TEST(MakeShapePair, LetsAPointHaveNoSizeOfItsOwn) {
  const TestPair test(HullOf({{0, 0, 0}}), Cube(0x1p-600), {});
  EXPECT_EQ(test.pair.exponent, -600);
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Where the work limit is reached nothing is claimed.

#include <gtest/gtest.h>

#include <variant>

#include "core/exact/exact_difference.h"
#include "core/exact/nearest_point.h"
#include "core/exact/origin_cone.h"
#include "core/math/tolerance.h"
#include "core/shape/make_shape.h"

namespace clearance {
namespace {

// Two cubes with a common corner.
class WorkLimit : public ::testing::Test {
 protected:
  ExactDifference Cubes() const {
    return ExactDifference(MakeExactBody(*cube_, {&at_origin_}), MakeExactBody(*cube_, {&aside_}));
  }

 private:
  ConvexShapePtr cube_ = std::get<ConvexShapePtr>(MakeBox({1, 1, 1}, 0));
  Pose at_origin_;
  Pose aside_ = {{2, 2, 2}, {}};
};

TEST_F(WorkLimit, IsFarFromASimplePair) {
  ExactDifference difference = Cubes();
  difference.Charge(kMaxExactWork - 200000);
  const auto nearest = FindNearestPoint(difference);
  ASSERT_TRUE(nearest.has_value());
  EXPECT_TRUE(IsZero(nearest->direction));
  EXPECT_EQ(IsOriginInside(difference, nearest->corral), false);
}

TEST_F(WorkLimit, LeavesTheNearestPointUnknown) {
  ExactDifference difference = Cubes();
  difference.Charge(kMaxExactWork);
  EXPECT_FALSE(FindNearestPoint(difference).has_value());
}

TEST_F(WorkLimit, LeavesTheSideOfTheBoundaryUnknown) {
  ExactDifference difference = Cubes();
  const auto nearest = FindNearestPoint(difference);
  ASSERT_TRUE(nearest.has_value());
  difference.Charge(kMaxExactWork);
  EXPECT_FALSE(IsOriginInside(difference, nearest->corral).has_value());
}

}  // namespace
}  // namespace clearance

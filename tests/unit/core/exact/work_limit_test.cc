// SPDX-License-Identifier: Apache-2.0
//
// Where the work limit is reached nothing is claimed.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <variant>

#include "core/exact/exact_difference.h"
#include "core/exact/exact_nearest_point.h"
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

// Between the costs of two steps, wherever they are: that they touch is found out or not, and once
// there is work enough, always.
TEST_F(WorkLimit, WhereverItIsReachedNothingWrongIsClaimed) {
  ExactDifference difference = Cubes();
  const auto nearest = FindNearestPoint(difference);
  ASSERT_TRUE(nearest.has_value());
  int unknown = 0, touching = 0;
  for (std::int64_t left = 0; left < 400; ++left) {
    ExactDifference limited = Cubes();
    limited.Charge(kMaxExactWork - left);
    const std::optional<bool> is_inside = IsOriginInside(limited, nearest->corral);
    EXPECT_EQ(is_inside.has_value(), touching > 0 || is_inside == false) << left;
    ++(is_inside == false ? touching : unknown);
  }
  EXPECT_GT(unknown, 50);
  EXPECT_GT(touching, 50);
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The tests of the service see every fault by its text; here is what a message cannot show.

#include <gtest/gtest.h>

#include <limits>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "core/shape/rigid_body.h"
#include "server/convert/wire_errors.h"
#include "server/engine/row_check.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class RowFaults : public ::testing::Test {
 protected:
  RowFaults() {
    table_.Open(0, MakeBody(std::get<ConvexShapePtr>(MakePoint(1))), 0);
    questions_.pairs = {
        3, {slots_, 0}, {slots_, 0}, {identity_, 0}, {poses_.data(), kPoseNumbers, "poses_b"}};
    questions_.max_distances = {&max_distance_, 0};
  }

  const std::uint32_t slots_[1] = {0};
  const double identity_[7] = {0, 0, 0, 0, 0, 0, 1};
  double max_distance_ = std::numeric_limits<double>::infinity();
  std::vector<double> poses_ = {5, 0, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0, 1};
  ShapeTable table_;
  DistanceQuestions questions_;
};

TEST_F(RowFaults, AreNoneOfGoodRows) { EXPECT_TRUE(FindFaults(questions_, table_).empty()); }

TEST_F(RowFaults, AreFoundInTheOrderOfTheRows) {
  poses_[7] = kNan;
  poses_[14] = kNan;
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].index, 1u);
  EXPECT_EQ(faults[0].column_row, 1u);
  EXPECT_EQ(faults[1].index, 2u);
}

TEST_F(RowFaults, OfAColumnThatStandsForAllNameItsOnlyRow) {
  max_distance_ = -1;
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[2].index, 2u);
  EXPECT_EQ(faults[2].column_row, 0u);
  EXPECT_EQ(faults[2].fault, Fault::kNotALength);
  EXPECT_EQ(faults[2].value, -1);
}

TEST_F(RowFaults, NameTheFirstOfSeveralInOneRow) {
  poses_[7] = kNan;
  max_distance_ = -1;
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[1].fault, Fault::kNotFinite);
  EXPECT_STREQ(faults[1].column, "poses_b");
}

TEST_F(RowFaults, NameTheComponentThatIsNotFinite) {
  poses_[11] = kNan;
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].component, 4u);
  v1::Error error;
  FillRowError(faults[0], table_, &error);
  EXPECT_EQ(error.field(), "poses_b[1]");
  EXPECT_EQ(error.message(), "poses_b[1].qy is nan, must be finite");
}

TEST_F(RowFaults, NameTheLengthOfAQuaternion) {
  poses_[13] = 2;
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), 1u);
  v1::Error error;
  FillRowError(faults[0], table_, &error);
  EXPECT_EQ(error.limit(), "unit length within 0.001");
  EXPECT_EQ(error.message(),
            "the quaternion of poses_b[1] has length 2, must be 1 within 0.001 (order x y z qx qy "
            "qz qw)");
}

TEST_F(RowFaults, AllowAQuaternionWithinTheSlack) {
  poses_[6] = 1.0009;
  EXPECT_TRUE(FindFaults(questions_, table_).empty());
  poses_[6] = 1.0011;
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].fault, Fault::kNotUnitLength);
}

TEST_F(RowFaults, AllowAnInfiniteMaximum) {
  max_distance_ = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(FindFaults(questions_, table_).empty());
}

}  // namespace
}  // namespace clearance::server

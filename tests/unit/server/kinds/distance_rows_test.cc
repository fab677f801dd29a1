// SPDX-License-Identifier: Apache-2.0
//
// The loop over rows: columns, refusals, and when it looks whether to stop. The oracle of the
// numbers is the core called directly, bit for bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "core/shape/rigid_body.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

constexpr std::uint32_t kRows = 1000;

class Answering : public ::testing::Test {
 protected:
  Answering() {
    witnesses_.add_offsets(0);
    table_.Open(0, MakeBody(std::get<ConvexShapePtr>(MakeBox({1, 2, 3}, 0.1))), 0);
    for (std::uint32_t i = 0; i < kRows; ++i) {
      for (const double number : {4.0 + i, 0.25, 0.5, 0.0, 0.6, 0.0, 0.8}) poses_.push_back(number);
    }
    questions_.pairs = {
        kRows, {slots_, 0}, {slots_, 0}, {identity_, 0}, {poses_.data(), kPoseNumbers}};
    questions_.max_distances = {&max_distance_, 0};
  }

  void Answer(std::uint32_t first, std::uint32_t count, absl::FunctionRef<bool()> should_stop) {
    states_.assign(count, 0);
    lower_.assign(count, 0);
    upper_.assign(count, 0);
    Columns columns;
    columns.states = absl::MakeSpan(states_);
    columns.lower_bounds = absl::MakeSpan(lower_);
    columns.upper_bounds = absl::MakeSpan(upper_);
    columns.witnesses = &witnesses_;
    AnswerRows(questions_, Work{first, count, faults_, table_, should_stop, tally_, undecided_},
               columns);
  }

  DistanceAnswer AskCore(std::uint32_t row) const {
    const ConvexShape& box = *table_.body(0)->pieces()[0].shape;
    const double* const p = questions_.pairs.poses_b.at(row);
    const Pose X_WA;
    const Pose X_WB{{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
    return Distance({box, X_WA}, {box, X_WB}, {});
  }

  const std::uint32_t slots_[1] = {0};
  const double identity_[7] = {0, 0, 0, 0, 0, 0, 1};
  const double max_distance_ = std::numeric_limits<double>::infinity();
  std::vector<double> poses_;
  ShapeTable table_;
  DistanceQuestions questions_;
  std::vector<RowFault> faults_;
  BatchTally tally_{QueryKind::kDistance};
  std::vector<UndecidedRow> undecided_;
  std::vector<int> states_;
  std::vector<double> lower_, upper_;
  v1::WitnessColumns witnesses_;
};

TEST_F(Answering, PutsWhatTheCoreSaysIntoItsRow) {
  Answer(10, 5, [] { return false; });
  for (std::uint32_t i = 0; i < 5; ++i) {
    const DistanceAnswer expected = AskCore(10 + i);
    EXPECT_EQ(states_[i], static_cast<int>(expected.state));
    EXPECT_EQ(lower_[i], expected.bracket.lower);
    EXPECT_EQ(upper_[i], expected.bracket.upper);
  }
  EXPECT_EQ(tally_.rows(), 5u);
  EXPECT_TRUE(undecided_.empty());
}

TEST_F(Answering, FaultyRows_AreRefused_ColumnsStayZero) {
  faults_ = {{11, 11, Fault::kNotFinite, "poses_b", 0}};
  Answer(10, 3, [] { return false; });
  EXPECT_THAT(states_, ::testing::ElementsAre(1, v1::STATE_REFUSED, 1));
  EXPECT_EQ(upper_[1], 0);
  EXPECT_EQ(tally_.refused(), 1u);
  ASSERT_EQ(witnesses_.offsets_size(), 4);
  EXPECT_EQ(witnesses_.offsets(1), witnesses_.offsets(2));
}

TEST_F(Answering, StoppedBeforeItBeginsDoesNoWork) {
  Answer(0, kRows, [] { return true; });
  EXPECT_THAT(states_, ::testing::Each(static_cast<int>(State::kUndecided)));
  EXPECT_THAT(lower_, ::testing::Each(-std::numeric_limits<double>::infinity()));
  ASSERT_EQ(undecided_.size(), kRows);
  EXPECT_EQ(undecided_[7].index, 7u);
  EXPECT_EQ(undecided_[7].reason, UndecidedReason::kBudget);
  EXPECT_EQ(tally_.undecided()[static_cast<std::size_t>(UndecidedReason::kBudget)], kRows);
}

TEST_F(Answering, LooksWhetherToStopAtLeastEverySixtyFourRows) {
  int asked = 0;
  Answer(0, kRows, [&asked] { return ++asked > 3; });
  ASSERT_FALSE(undecided_.empty());
  EXPECT_LE(undecided_.front().index, 3 * 64u);
  EXPECT_GT(undecided_.front().index, 0u);
  EXPECT_EQ(undecided_.size(), kRows - undecided_.front().index);
}

TEST_F(Answering, LooksMoreOftenWhereRowsAreDear) {
  std::vector<double> points;
  for (int i = 0; i < 1000; ++i) {
    const double z = -1 + (2 * i + 1) / 1000.0;
    points.insert(points.end(), {i * 1e-4, z, z * z});
  }
  table_.Open(0, MakeBody(std::get<ConvexShapePtr>(MakeHull(points, 0))), 0);
  int asked = 0;
  Answer(0, 64, [&asked] { return ++asked > 1; });
  EXPECT_GT(undecided_.size(), 0u);
}

// Boxes far away and one that is near: the fourth piece is the nearest, and its own vertices are
// named.
TEST_F(Answering, NamesThePieceThatIsNearestAndItsVertices) {
  std::vector<Piece> pieces;
  for (const double x : {90.0, 60.0, 30.0, 0.0}) {
    pieces.push_back({std::get<ConvexShapePtr>(MakeBox({1, 1, 1}, 0)), {{x, 0, 0}, {}}});
  }
  table_.Open(1, std::get<RigidBodyPtr>(MakeCompound(pieces)), 0);
  const std::uint32_t slots_b[1] = {1};
  questions_.pairs.slots_b = {slots_b, 0};
  std::vector<std::uint32_t> pieces_a(1, 7), pieces_b(1, 7), flags(1, 7);
  states_.assign(1, 0);
  Columns columns;
  columns.states = absl::MakeSpan(states_);
  columns.pieces_a = absl::MakeSpan(pieces_a);
  columns.pieces_b = absl::MakeSpan(pieces_b);
  columns.flags = absl::MakeSpan(flags);
  columns.witnesses = &witnesses_;
  AnswerRows(questions_, Work{0, 1, faults_, table_, [] { return false; }, tally_, undecided_},
             columns);
  EXPECT_THAT(states_, ::testing::ElementsAre(static_cast<int>(State::kSeparated)));
  EXPECT_THAT(pieces_a, ::testing::ElementsAre(0u));
  EXPECT_THAT(pieces_b, ::testing::ElementsAre(3u));
  ASSERT_FALSE(witnesses_.vertices_b().empty());
  EXPECT_THAT(witnesses_.vertices_b(), ::testing::Each(::testing::Lt(8u)));
}

TEST_F(Answering, WantsNoColumnButTheStates) {
  states_.assign(4, 0);
  Columns columns;
  columns.states = absl::MakeSpan(states_);
  AnswerRows(questions_, Work{10, 4, faults_, table_, [] { return false; }, tally_, undecided_},
             columns);
  EXPECT_THAT(states_, ::testing::Each(static_cast<int>(State::kSeparated)));
}

}  // namespace
}  // namespace clearance::server

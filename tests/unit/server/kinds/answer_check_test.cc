// SPDX-License-Identifier: Apache-2.0
//
// Which answers are checked, and what becomes of those that do not stand. The judge is one of the
// test's own that objects to what it is told to, or core/proof given a corrupted answer.

#include "server/engine/answer_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/query/body_query.h"
#include "core/shape/make_shape.h"
#include "server/engine/row_loop.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

Judges Objecting() {
  const auto object = [](const clearance::Check&) {
    clearance::Check check;
    check.contradiction = {Claim::kLower, 1.5, 1.25};
    return check;
  };
  return {object};
}

RigidBodyPtr BoxBody() { return MakeBody(std::get<ConvexShapePtr>(MakeBox({1, 2, 3}, 0.1))); }

// So many pieces in a row, 10 m apart.
RigidBodyPtr RowOfBoxes(int count) {
  std::vector<Piece> pieces;
  for (int i = 0; i < count; ++i) {
    pieces.push_back({std::get<ConvexShapePtr>(MakeBox({1, 1, 1}, 0)), {{0, 10.0 * i, 0}, {}}});
  }
  return std::get<RigidBodyPtr>(MakeCompound(std::move(pieces)));
}

class AnswerChecking : public testing::Test {
 protected:
  AnswerChecking() { table_.Open(0, BoxBody(), 0, "v1-sha256-of-the-box"); }

  double Checked(QueryKind kind) { return metrics_.Checks(kind).checked->Value(); }
  double Contradicted(QueryKind kind) { return metrics_.Checks(kind).contradicted->Value(); }

  // Two boxes, B at (x, 0.25, 0.5).
  AskedDistance Asked(const RigidBody& body, double x) {
    return {{body, body, {}, {{x, 0.25, 0.5}, {}}}, {}};
  }
  static DistanceAnswer Answer(const AskedDistance& asked) {
    return Distance(asked.pair.PosedA(), asked.pair.PosedB(), asked.options);
  }

  // Answers so many rows with slot 0 on both sides.
  std::vector<double> AnswerRowsOf(AnswerChecker* checker, std::uint32_t rows) {
    const Answered answered = AnswerUntil([] { return false; }, checker, rows);
    EXPECT_THAT(answered.states, Each(static_cast<int>(State::kSeparated)));
    return answered.lower;
  }

  struct Answered {
    std::vector<int> states;
    std::vector<double> lower;
  };
  Answered AnswerUntil(absl::FunctionRef<bool()> should_stop, AnswerChecker* checker,
                       std::uint32_t rows) {
    std::vector<double> poses;
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (const double number : {8.0 + i, 0.25, 0.5, 0.0, 0.6, 0.0, 0.8}) poses.push_back(number);
    }
    const double identity[7] = {0, 0, 0, 0, 0, 0, 1};
    const std::uint32_t slot = 0;
    const double max_distance = std::numeric_limits<double>::infinity();
    DistanceQuestions questions;
    questions.pairs = {rows, {&slot, 0}, {&slot, 0}, {identity, 0}, {poses.data(), kPoseNumbers}};
    questions.max_distances = {&max_distance, 0};
    Answered answered = {std::vector<int>(rows), std::vector<double>(rows)};
    Columns columns;
    columns.states = absl::MakeSpan(answered.states);
    columns.lower_bounds = absl::MakeSpan(answered.lower);
    BatchTally tally(QueryKind::kDistance);
    std::vector<UndecidedRow> undecided;
    PartChecks checks(checker, QueryKind::kDistance, rows);
    AnswerRows(questions, Work{0, rows, {}, table_, should_stop, tally, undecided, &checks},
               columns);
    return answered;
  }

  ShapeTable table_;
  Metrics metrics_{"test"};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kHuman, LogLevel::kInfo,
           [this](absl::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(AnswerChecking, TakesOneRowInSoMany) {
  AnswerChecker checker(100, metrics_, log_);
  AnswerRowsOf(&checker, 1000);
  EXPECT_EQ(Checked(QueryKind::kDistance), 10);
  for (int i = 0; i < 1000; ++i) AnswerRowsOf(&checker, 1);
  EXPECT_EQ(Checked(QueryKind::kDistance), 20);
  EXPECT_EQ(Checked(QueryKind::kIntersection), 0);
  EXPECT_EQ(Contradicted(QueryKind::kDistance), 0);
  EXPECT_THAT(lines_, SizeIs(0));
}

TEST_F(AnswerChecking, TakesNoRowWhereItIsOff) {
  AnswerChecker checker(0, metrics_, log_, Objecting());
  AnswerRowsOf(&checker, 1000);
  EXPECT_EQ(Checked(QueryKind::kDistance), 0);
}

TEST_F(AnswerChecking, LeavesTheAnswerAsItIsWhateverIsFound) {
  AnswerChecker checker(1, metrics_, log_, Objecting());
  EXPECT_EQ(AnswerRowsOf(&checker, 50), AnswerRowsOf(nullptr, 50));
  EXPECT_EQ(Checked(QueryKind::kDistance), 50);
  EXPECT_EQ(Contradicted(QueryKind::kDistance), 50);
}

// However few rows there were since the last look: a check takes as long as many of them. Rows that
// were asked together with the one that was checked have their answers all the same.
TEST_F(AnswerChecking, LooksWhetherToStopAfterEachCheck) {
  bool has_stopped = false;
  const auto stop = [&has_stopped](const clearance::Check&) {
    has_stopped = true;
    return clearance::Check();
  };
  AnswerChecker checker(1, metrics_, log_, {stop});
  const std::uint32_t rows = kDistanceRowsAtOnce + 2;
  const Answered answered = AnswerUntil([&has_stopped] { return has_stopped; }, &checker, rows);
  std::vector<int> expected(kDistanceRowsAtOnce, static_cast<int>(State::kSeparated));
  expected.resize(rows, static_cast<int>(State::kUndecided));
  EXPECT_EQ(answered.states, expected);
  EXPECT_EQ(Checked(QueryKind::kDistance), 1);
}

TEST_F(AnswerChecking, FindsACorruptedAnswerByItself) {
  AnswerChecker checker(1, metrics_, log_);
  const RigidBodyPtr box = BoxBody();
  const AskedDistance asked = Asked(*box, 4);
  DistanceAnswer answer = Answer(asked);
  checker.Check(asked, answer, {"a", "b"});
  EXPECT_EQ(Contradicted(QueryKind::kDistance), 0);
  answer.bracket.lower += 1e-6;
  answer.bracket.upper += 1e-6;
  answer.distance += 1e-6;
  checker.Check(asked, answer, {"a", "b"});
  EXPECT_EQ(Checked(QueryKind::kDistance), 2);
  EXPECT_EQ(Contradicted(QueryKind::kDistance), 1);
  EXPECT_THAT(lines_, SizeIs(1));
}

TEST_F(AnswerChecking, LogsAllThatItTakesToAskAgain) {
  AnswerChecker checker(1, metrics_, log_, Objecting());
  AnswerRowsOf(&checker, 1);
  ASSERT_THAT(lines_, SizeIs(1));
  for (const char* const part :
       {" ERROR ", "claim=\"lower bound\"", "claimed=0x1.8p+0", "proved=0x1.4p+0",
        "question=\"distance max_distance inf tolerance 0x0p+0 exact 0\"",
        "shape_a=v1-sha256-of-the-box", "shape_b=v1-sha256-of-the-box",
        "pose_a=\"0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x1p+0\"",
        "pose_b=\"0x1p+3 0x1p-2 0x1p-1 0x0p+0 0x1.3333333333333p-1 0x0p+0 "
        "0x1.999999999999ap-1\"",
        "answer=\"state 1 lower 0x1.", "pieces 0 0\"", "held_back=0"}) {
    EXPECT_THAT(lines_[0], HasSubstr(part));
  }
}

TEST_F(AnswerChecking, LogsTheQuestionOfEachKind) {
  AnswerChecker checker(1, metrics_, log_, Objecting());
  const RigidBodyPtr box = BoxBody();
  const AskedPair pair = Asked(*box, 4).pair;
  IntersectionAnswer contact = Intersection(pair.PosedA(), pair.PosedB());
  checker.Check(AskedIntersection{pair, {.exact = true}}, contact, {"a", "b"});
  AskedTimeOfCollision moving{pair};
  moving.motion_b.displacement = {-4, 0, 0};
  moving.options.target_distance = 0.25;
  checker.Check(moving, TimeOfCollision(moving.MovingA(), moving.MovingB(), moving.options),
                {"a", "b"});
  ASSERT_THAT(lines_, SizeIs(2));
  EXPECT_THAT(lines_[0], HasSubstr("question=\"intersection exact 1\""));
  EXPECT_THAT(lines_[1], HasSubstr("question=\"time_of_collision target_distance 0x1p-2 "
                                   "ignore_initial_contact 0 motion_a displacement 0x0p+0 "));
  EXPECT_THAT(lines_[1], HasSubstr("motion_b displacement -0x1p+2 0x0p+0 0x0p+0 rotation 0x0p+0 "));
  EXPECT_EQ(Contradicted(QueryKind::kIntersection), 1);
  EXPECT_EQ(Contradicted(QueryKind::kTimeOfCollision), 1);
  EXPECT_EQ(Contradicted(QueryKind::kDistance), 0);
}

TEST_F(AnswerChecking, DoesNotFillTheLog) {
  AnswerChecker checker(1, metrics_, log_, Objecting());
  AnswerRowsOf(&checker, 1000);
  EXPECT_EQ(Contradicted(QueryKind::kDistance), 1000);
  EXPECT_THAT(lines_, SizeIs(AnswerChecker::kContradictionsAnHour));
}

TEST_F(AnswerChecking, CountsUndecidedAnswersAsNotChecked) {
  AnswerChecker checker(1, metrics_, log_, Objecting());
  const RigidBodyPtr box = BoxBody();
  DistanceAnswer answer;
  answer.reason = UndecidedReason::kIterations;
  checker.Check(Asked(*box, 4), answer, {"a", "b"});
  EXPECT_EQ(metrics_.Checks(QueryKind::kDistance).unchecked_undecided->Value(), 1);
  EXPECT_EQ(Checked(QueryKind::kDistance), 0);
  EXPECT_EQ(Contradicted(QueryKind::kDistance), 0);
}

TEST_F(AnswerChecking, CountsWhatWouldTakeTooLongAsNotChecked) {
  AnswerChecker checker(1, metrics_, log_, Objecting());
  const auto check = [&](const RigidBodyPtr& body) {
    const AskedDistance asked = Asked(*body, 50);
    checker.Check(asked, Answer(asked), {"a", "b"});
  };
  check(RowOfBoxes(4));  // as many pairs as are allowed
  EXPECT_EQ(Checked(QueryKind::kDistance), 1);
  check(RowOfBoxes(5));
  EXPECT_EQ(Checked(QueryKind::kDistance), 1);
  std::vector<double> points;
  for (int i = 0; i <= static_cast<int>(AnswerChecker::kMaxScan) / 2; ++i) {
    const double z = i / 1000.0 - 1;
    points.insert(points.end(), {z * z, z * z * z, z});
  }
  check(MakeBody(std::get<ConvexShapePtr>(MakeHull(points, 0))));
  EXPECT_EQ(Checked(QueryKind::kDistance), 1);
  EXPECT_EQ(metrics_.Checks(QueryKind::kDistance).unchecked_too_large->Value(), 2);
}

// Two blocks 2^-200 apart: exact arithmetic knows it, and the checker's 113 bits cannot.
TEST_F(AnswerChecking, LeavesOpenWhatOnlyExactArithmeticTells) {
  const auto block = [](double x_from, double x_to) {
    std::vector<double> points;
    for (int i = 0; i < 8; ++i) {
      points.insert(points.end(), {i & 1 ? x_from : x_to, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0});
    }
    return MakeBody(std::get<ConvexShapePtr>(MakeHull(points, 0)));
  };
  const RigidBodyPtr a = block(-1, 0);
  const RigidBodyPtr b = block(0x1p-200, 1);
  AnswerChecker checker(1, metrics_, log_);
  const AskedDistance asked{{*a, *b, {}, {}}, {.exact = true}};
  const DistanceAnswer answer = Answer(asked);
  ASSERT_EQ(answer.state, State::kSeparated);
  checker.Check(asked, answer, {"a", "b"});
  const AskedIntersection contact{asked.pair, {.exact = true}};
  checker.Check(contact,
                Intersection(contact.pair.PosedA(), contact.pair.PosedB(), {.exact = true}),
                {"a", "b"});
  for (const QueryKind kind : {QueryKind::kDistance, QueryKind::kIntersection}) {
    EXPECT_EQ(Checked(kind), 1);
    EXPECT_EQ(Contradicted(kind), 0);
  }
}

TEST_F(AnswerChecking, TellsTheTimeThatItTook) {
  constexpr absl::Duration kLong = absl::Milliseconds(1);
  const auto wait = [=](const clearance::Check&) {
    const SteadyTime began = SteadyNow();
    while (SteadyNow() < began + kLong) continue;
    return clearance::Check();
  };
  AnswerChecker checker(1, metrics_, log_, {wait});
  const RigidBodyPtr box = BoxBody();
  const AskedDistance asked = Asked(*box, 4);
  PartChecks checks(&checker, QueryKind::kDistance, 2);
  EXPECT_EQ(checks.took(), absl::ZeroDuration());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(checks.Wants());
    checks.Check(asked, Answer(asked), {"a", "b"});
  }
  EXPECT_GE(checks.took(), 2 * kLong);
}

}  // namespace
}  // namespace clearance::server

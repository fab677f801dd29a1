// SPDX-License-Identifier: Apache-2.0
//
// The loop over rows about a scene: columns, refusals, and when it stops. The oracle of the numbers
// is the core called directly, bit for bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

using ::testing::Each;

constexpr std::uint32_t kSceneRows = 200;
constexpr std::size_t kOwn = 2;

// Ten balls on the x axis, and two balls that come nearer to it row by row.
class SceneRows : public ::testing::Test {
 protected:
  SceneRows() {
    const RigidBodyPtr ball = MakeBody(std::get<ConvexShapePtr>(MakeSphere(0.5, 0)));
    std::vector<SceneBody> bodies;
    for (BodyId id = 0; id < 10; ++id)
      bodies.push_back({.id = 100 + id, .body = ball, .X_WB = {{2.0 * id, 0, 0}, {}}});
    scene_ = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bodies}));
    for (const BodyId id : {1u, 2u}) own_.push_back({.id = id, .body = ball, .X_WB = {}});
    for (std::uint32_t row = 0; row < kSceneRows; ++row) {
      const double y = 2 - 0.01 * row;
      for (const double x : {4.0, 40.0}) poses_.insert(poses_.end(), {x, y, 0.1, 0, 0, 0, 1});
    }
    questions_.wants_free_radii = true;
    questions_.configurations = {
        .count = kSceneRows,
        .asked = {.scene = scene_.get(), .bodies = own_, .rules = &rules_},
        .poses = {poses_.data(), kOwn * kPoseNumbers, "configurations.poses"}};
  }

  void Answer(const RowRange& rows, absl::FunctionRef<bool()> should_stop) {
    const std::vector<RowFault> all = FindFaults(questions_, table_);
    std::vector<RowFault> faults;
    for (const RowFault& fault : all) {
      if (fault.index >= rows.first && fault.index < rows.first + rows.count)
        faults.push_back(fault);
    }
    AnswerRows(questions_,
               Work{rows.first, rows.count, faults, table_, should_stop, tally_, undecided_,
                    checks_ ? &*checks_ : nullptr},
               Slice<CheckKind>(columns(), rows));
  }

  Columns columns() {
    return {.states = absl::MakeSpan(states_),
            .upper_bounds = absl::MakeSpan(upper_),
            .bodies_a = absl::MakeSpan(a_),
            .bodies_b = absl::MakeSpan(b_),
            .free_radii = absl::MakeSpan(radii_),
            .listed = listed_};
  }

  void ListPairs() {
    list_.add_offsets(0);
    listed_.offsets = list_.mutable_offsets();
    listed_.bodies_a = list_.mutable_bodies_a();
    listed_.bodies_b = list_.mutable_bodies_b();
    listed_.is_self = list_.mutable_is_self();
    listed_.states = list_.mutable_verdicts();
    listed_.truncated = absl::MakeSpan(truncated_);
  }

  CheckAnswer AskCore(std::uint32_t row) {
    std::vector<Pose> poses;
    for (std::size_t k = 0; k < kOwn; ++k)
      poses.push_back(PoseOfBody(questions_.configurations, k, row));
    return CheckScene({.scene = *scene_, .bodies = own_, .poses = poses, .rules = &rules_},
                      {.wants_free_radius = true}, &scratch_);
  }

  ScenePtr scene_;
  std::vector<SceneBody> own_;
  PairRules rules_;
  std::vector<double> poses_;
  CheckQuestions questions_;
  const ShapeTable table_;
  BatchTally tally_{QueryKind::kCheck};
  std::vector<UndecidedRow> undecided_;
  std::optional<PartChecks> checks_;
  SceneScratch scratch_;
  std::vector<int> states_ = std::vector<int>(kSceneRows, 0);
  std::vector<std::uint32_t> a_ = std::vector<std::uint32_t>(kSceneRows, 0);
  std::vector<std::uint32_t> b_ = a_;
  std::vector<double> upper_ = std::vector<double>(kSceneRows, kNoBound);  // as MakeColumns()
  std::vector<double> radii_ = std::vector<double>(kSceneRows, 0);
  v1::VerdictPairColumns list_;
  std::array<bool, kSceneRows> truncated_ = {};
  PairList listed_;  // nothing is listed unless a test says so
};

TEST_F(SceneRows, AreThoseOfTheCoreInAnySlices) {
  Answer({0, 70}, [] { return false; });
  Answer({70, kSceneRows - 70}, [] { return false; });
  int touching = 0;
  for (std::uint32_t row = 0; row < kSceneRows; ++row) {
    const CheckAnswer answer = AskCore(row);
    ASSERT_EQ(states_[row], static_cast<int>(answer.verdict)) << row;
    EXPECT_EQ(radii_[row], answer.free_radius) << row;
    if (answer.verdict == Verdict::kFree) continue;
    ++touching;
    EXPECT_EQ(a_[row], answer.first.pair.a) << row;
    EXPECT_EQ(b_[row], answer.first.pair.b) << row;
    EXPECT_EQ(upper_[row], answer.first.bracket.upper) << row;
  }
  EXPECT_GT(touching, 50);
  EXPECT_LT(touching, 150);
  EXPECT_EQ(tally_.states()[static_cast<int>(Verdict::kTouching)],
            static_cast<std::uint32_t>(touching));
  EXPECT_EQ(tally_.rows(), kSceneRows);
  EXPECT_GT(tally_.scene_work().exact, 0u);
}

// Rows that are asked side by side, with others among them that are refused.
TEST_F(SceneRows, AreThoseOfTheCoreWhereTheyAreAskedAhead) {
  questions_.wants_free_radii = false;
  questions_.max_pairs = 4;
  ListPairs();
  for (const std::uint32_t row : {0u, 7u, 31u, 32u, 33u, 99u, 150u, kSceneRows - 1})
    poses_[7 * kOwn * row] = NAN;
  Answer({0, 100}, [] { return false; });
  Answer({100, kSceneRows - 100}, [] { return false; });
  int touching = 0;
  for (std::uint32_t row = 0; row < kSceneRows; ++row) {
    const std::uint32_t listed =
        list_.offsets(static_cast<int>(row) + 1) - list_.offsets(static_cast<int>(row));
    if (std::isnan(poses_[7 * kOwn * row])) {
      EXPECT_EQ(states_[row], v1::VERDICT_REFUSED) << row;
      continue;
    }
    const CheckAnswer answer = AskCore(row);
    ASSERT_EQ(states_[row], static_cast<int>(answer.verdict)) << row;
    EXPECT_EQ(listed > 0, answer.verdict != Verdict::kFree) << row;
    if (answer.verdict == Verdict::kFree) continue;
    ++touching;
    EXPECT_EQ(a_[row], answer.first.pair.a) << row;
    EXPECT_EQ(b_[row], answer.first.pair.b) << row;
    EXPECT_EQ(upper_[row], answer.first.bracket.upper) << row;
  }
  EXPECT_GT(touching, 50);
  EXPECT_LT(touching, 150);
  EXPECT_EQ(tally_.refused(), 8u);
}

TEST_F(SceneRows, ThatAreAskedAheadStopWhenToldTo) {
  questions_.wants_free_radii = false;
  int looks = 0;
  Answer({0, kSceneRows}, [&] { return ++looks > 2; });
  EXPECT_EQ(looks, 3);
  ASSERT_FALSE(undecided_.empty());
  const std::uint32_t first = undecided_.front().index;
  EXPECT_GT(first, 0u);
  EXPECT_EQ(undecided_.size(), kSceneRows - first);
  for (std::uint32_t row = 0; row < kSceneRows; ++row) {
    const Verdict verdict = row < first ? AskCore(row).verdict : Verdict::kUndecided;
    EXPECT_EQ(states_[row], static_cast<int>(verdict)) << row;
  }
}

TEST_F(SceneRows, ThatAreBadAreRefusedByThemselves) {
  poses_[7 * (2 * 5 + 1)] = NAN;     // row 5, body 1
  poses_[7 * (2 * 9) + 6] = 2;       // row 9, body 0
  poses_[7 * (2 * 11) + 1] = 1e308;  // row 11, body 0
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].index, 5u);
  EXPECT_EQ(faults[0].column_row, 11u);
  EXPECT_EQ(faults[0].fault, Fault::kNotFinite);
  EXPECT_EQ(faults[1].column_row, 18u);
  EXPECT_EQ(faults[1].fault, Fault::kNotUnitLength);
  EXPECT_EQ(faults[2].fault, Fault::kNotRepresentable);
  EXPECT_STREQ(faults[2].column, "configurations.poses");
  Answer({0, kSceneRows}, [] { return false; });
  EXPECT_EQ(states_[5], v1::VERDICT_REFUSED);
  EXPECT_EQ(states_[9], v1::VERDICT_REFUSED);
  EXPECT_EQ(states_[10], static_cast<int>(AskCore(10).verdict));
  EXPECT_EQ(tally_.refused(), 3u);
}

// What stands for all rows is refused in all of them.
TEST_F(SceneRows, AreAllRefusedWhereTheirOnePoseIsBad) {
  poses_[7 + 3] = 2;  // body 1
  questions_.configurations.poses.stride = 0;
  const std::vector<RowFault> faults = FindFaults(questions_, table_);
  ASSERT_EQ(faults.size(), kSceneRows);
  for (std::uint32_t row = 0; row < kSceneRows; ++row) {
    EXPECT_EQ(faults[row].index, row);
    EXPECT_EQ(faults[row].column_row, 1u);
    EXPECT_EQ(faults[row].fault, Fault::kNotUnitLength);
  }
}

// A motion stands for all rows where all of its columns do.
TEST_F(SceneRows, RefusedAloneIfAColumnOfTheMotionDiffers) {
  std::vector<double> displacements(kSceneRows * kOwn * 3, 0.5);
  displacements[3 * (kOwn * 7 + 1)] = NAN;  // row 7, body 1
  SweepQuestions questions;
  questions.configurations = questions_.configurations;
  questions.configurations.poses.stride = 0;
  questions.displacements = {displacements.data(), kOwn * 3};
  ASSERT_EQ(FindFaults(questions, table_).size(), 1u);
  EXPECT_EQ(FindFaults(questions, table_)[0].index, 7u);
  EXPECT_EQ(FindFaults(questions, table_)[0].column_row, 15u);
  displacements[3] = HUGE_VAL;  // body 1
  questions.displacements.stride = 0;
  const std::vector<RowFault> faults = FindFaults(questions, table_);
  ASSERT_EQ(faults.size(), kSceneRows);
  EXPECT_EQ(faults[5].index, 5u);
  EXPECT_EQ(faults[5].column_row, 1u);
  EXPECT_EQ(faults[5].fault, Fault::kNotFinite);
}

TEST_F(SceneRows, StopWhenToldToBetweenRows) {
  int looks = 0;
  Answer({0, kSceneRows}, [&] { return ++looks > 2; });
  ASSERT_FALSE(undecided_.empty());
  const std::uint32_t first = undecided_.front().index;
  EXPECT_GT(first, 0u);
  EXPECT_EQ(undecided_.size(), kSceneRows - first);
  for (std::uint32_t row = first; row < kSceneRows; ++row) {
    EXPECT_EQ(states_[row], static_cast<int>(Verdict::kUndecided));
    EXPECT_EQ(upper_[row], HUGE_VAL);
    EXPECT_EQ(radii_[row], 0);
  }
  EXPECT_EQ(states_[first - 1], static_cast<int>(AskCore(first - 1).verdict));
}

// An empty list that says that it is whole would be taken for a row where nothing touches.
TEST_F(SceneRows, ThatNobodyAskedDoNotListAllThatThereIs) {
  questions_.max_pairs = 4;
  ListPairs();
  poses_[7 * (2 * 5)] = NAN;  // row 5
  int looks = 0;
  Answer({0, kSceneRows}, [&] { return ++looks > 2; });
  ASSERT_FALSE(undecided_.empty());
  const std::uint32_t first = undecided_.front().index;
  ASSERT_GT(first, 5u);
  ASSERT_EQ(list_.offsets_size(), static_cast<int>(kSceneRows) + 1);
  for (std::uint32_t row = 0; row < kSceneRows; ++row) {
    const bool is_asked = row != 5 && row < first;
    EXPECT_EQ(truncated_[row], !is_asked) << row;
    if (is_asked) continue;
    EXPECT_EQ(list_.offsets(static_cast<int>(row)), list_.offsets(static_cast<int>(row) + 1))
        << row;
  }
}

TEST_F(SceneRows, ThatNobodyAskedDoNotListAllThatARayMeets) {
  const double numbers[] = {-4, 0, 0, 1};
  const std::uint32_t all = ~0u;
  RayQuestions rays;
  rays.count = kSceneRows;
  rays.asked.scene = scene_.get();
  rays.origins = {numbers, 0};
  rays.displacements = {poses_.data(), kPoseNumbers};
  rays.radii = {numbers + 3, 0};
  rays.groups = rays.masks = {&all, 0};
  rays.max_pairs = 4;
  ListPairs();
  const Columns columns = {.states = absl::MakeSpan(states_), .listed = listed_};
  AnswerRows(rays,
             Work{0, kSceneRows, {}, table_, [] { return true; }, tally_, undecided_, nullptr},
             columns);
  EXPECT_EQ(undecided_.size(), kSceneRows);
  EXPECT_THAT(truncated_, Each(true));
}

// Query bodies that overlap as many bodies of the scene as this without touching one.
TEST_F(SceneRows, StopWhenToldToInTheMiddleOfOne) {
  const RigidBodyPtr bar = MakeBody(std::get<ConvexShapePtr>(MakeBox({100, 0.001, 1}, 0)));
  const double half = std::sqrt(0.5);
  const Quaternion q_WB = {0, 0, std::sqrt((1 - half) / 2), std::sqrt((1 + half) / 2)};
  std::vector<SceneBody> bars;
  for (BodyId id = 0; id < 3000; ++id)
    bars.push_back({.id = 100 + id, .body = bar, .X_WB = {{0, 0.01 * (1 + id), 0}, q_WB}});
  scene_ = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bars}));
  own_ = {{.id = 1, .body = bar, .X_WB = {{}, q_WB}}};
  questions_.configurations.asked.scene = scene_.get();
  questions_.configurations.asked.bodies = own_;
  questions_.configurations.poses = {};
  int looks = 0;
  Answer({0, kSceneRows}, [&] { return ++looks > 9; });
  EXPECT_EQ(looks, 10);
  EXPECT_THAT(states_, Each(static_cast<int>(Verdict::kUndecided)));
  EXPECT_THAT(upper_, Each(HUGE_VAL));
  ASSERT_EQ(undecided_.size(), kSceneRows);
  EXPECT_EQ(undecided_[0].index, 0u);
  EXPECT_EQ(undecided_[0].reason, UndecidedReason::kBudget);
  EXPECT_GT(tally_.scene_work().exact, 0u);
  EXPECT_LT(tally_.scene_work().exact, 3000u);
  EXPECT_EQ(tally_.undecided()[static_cast<int>(UndecidedReason::kBudget)], kSceneRows);
}

TEST_F(SceneRows, AreCheckedBySample) {
  Metrics metrics("test");
  Log log(LogFormat::kHuman, LogLevel::kInfo, [](absl::string_view) {});
  AnswerChecker checker(10, metrics, log);
  checks_.emplace(&checker, QueryKind::kCheck, kSceneRows);
  Answer({0, kSceneRows}, [] { return false; });
  EXPECT_EQ(metrics.Checks(QueryKind::kCheck).checked->Value(), kSceneRows / 10);
  EXPECT_EQ(metrics.Checks(QueryKind::kCheck).contradicted->Value(), 0);
  checker.Report({.kind = QueryKind::kCheck,
                  .look = {SceneContradiction{{1, 104, false}, Claim::kState, 1, 2}, true},
                  .bodies = own_},
                 {});
  EXPECT_EQ(metrics.Checks(QueryKind::kCheck).contradicted->Value(), 1);
  EXPECT_EQ(metrics.Checks(QueryKind::kCheck).unchecked_too_large->Value(), 0);
  checker.Report({.kind = QueryKind::kCheck, .look = {.is_too_large = true}}, {});
  EXPECT_EQ(metrics.Checks(QueryKind::kCheck).unchecked_too_large->Value(), 1);
  EXPECT_EQ(metrics.Checks(QueryKind::kCheck).checked->Value(), kSceneRows / 10 + 1);
  checker.Report({.kind = QueryKind::kCheck, .reason = UndecidedReason::kIterations}, {});
  EXPECT_EQ(metrics.Checks(QueryKind::kCheck).unchecked_undecided->Value(), 1);
}

TEST_F(SceneRows, Contradictions_AreLoggedWithPoses) {
  std::string logged;
  Metrics metrics("test");
  Log log(LogFormat::kHuman, LogLevel::kInfo,
          [&](absl::string_view line) { logged = std::string(line); });
  AnswerChecker checker(1, metrics, log);
  std::vector<SceneBody> bodies(12, own_[0]);
  for (BodyId id = 0; id < bodies.size(); ++id) bodies[id].id = 1 + id;
  bodies[10].X_WB.p_WS = {0.5, 0, 0};
  checker.Report({.kind = QueryKind::kCheck,
                  .look = {SceneContradiction{{11, 104, false}, Claim::kState, 1, 2}, false},
                  .bodies = bodies},
                 {});
  EXPECT_THAT(logged, ::testing::HasSubstr("; 8: 0x0p+0 "));
  EXPECT_THAT(logged, ::testing::HasSubstr("; 11: 0x1p-1 "));
  EXPECT_THAT(logged, ::testing::Not(::testing::HasSubstr("; 10: ")));
}

TEST_F(SceneRows, StandWhereTheyWereAttachedByDefault) {
  own_[1].X_WB = {{4.2, 0, 0}, {}};
  questions_.configurations.poses = {};
  Answer({0, kSceneRows}, [] { return false; });
  EXPECT_THAT(states_, Each(static_cast<int>(Verdict::kTouching)));
  EXPECT_THAT(a_, Each(1u));  // at the origin, where 100 is
  EXPECT_THAT(b_, Each(100u));
}

}  // namespace
}  // namespace clearance::server

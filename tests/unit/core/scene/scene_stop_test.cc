// SPDX-License-Identifier: Apache-2.0
//
// Questions that are told to stop midway. A thousand bars lie across each other without a
// contact: their boxes all overlap, so that every pair must be asked.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "core/scene/scene_query.h"
#include "core/shape/make_shape.h"

namespace clearance {
namespace {

constexpr int kBars = 1000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kNever = std::numeric_limits<int>::max();

// Bars along the diagonals of their boxes, side by side with gaps of two centimetres.
RigidBodyPtr Bar() { return MakeBody(std::get<ConvexShapePtr>(MakeBox({100, 0.01, 1}, 0))); }
Pose BarPose(int place) {
  const double eighth = std::atan(1.0) / 2;
  const double across = 0.04 * place * std::sqrt(0.5);
  return {{-across, across, 0}, {0, 0, std::sin(eighth), std::cos(eighth)}};
}

class SceneStop : public ::testing::Test {
 protected:
  SceneStop() {
    std::vector<SceneBody> bars;
    for (int i = 1; i <= kBars; ++i)
      bars.push_back({static_cast<BodyId>(i), bar_, BarPose(i), {}, 0});
    scene_ = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bars}));
    for (int i = 0; i < 2; ++i)
      own_.push_back({static_cast<BodyId>(10'000 + i), bar_, BarPose(-i), {}, 0});
    motions_.assign(own_.size(), {.displacement = {1e-4, 0, 0}, .rotation = {}, .pivot = {}});
  }

  // Calls ask(budget) with one that says stop at the look of this number; returns how often it was
  // asked.
  template <class Ask>
  int Looks(int stop_at, const Ask& ask) {
    int looks = 0;
    const auto should_stop = [&] { return looks++ >= stop_at; };
    Pacer pacer(should_stop);
    WorkBudget budget(&pacer);
    ask(&budget);
    EXPECT_EQ(pacer.has_stopped(), stop_at != kNever);
    return looks;
  }

  // Stops a question at some of the looks that it takes, the last among them.
  template <class Ask, class Stopped>
  void StopEverywhere(const Ask& ask, const Stopped& stopped) {
    const int all = Looks(kNever, [&](WorkBudget* budget) { EXPECT_FALSE(stopped(ask(budget))); });
    EXPECT_GE(all, 8);
    const int step = std::max(1, (all - 1) / 8);
    for (int stop_at = (all - 1) % step; stop_at < all; stop_at += step) {
      const int looks =
          Looks(stop_at, [&](WorkBudget* budget) { EXPECT_TRUE(stopped(ask(budget))); });
      EXPECT_EQ(looks, stop_at + 1);  // and goes on no further
    }
  }

  SceneQuery QueryWith(WorkBudget* budget) const {
    return {.scene = *scene_, .bodies = own_, .budget = budget};
  }

  const RigidBodyPtr bar_ = Bar();
  ScenePtr scene_;
  std::vector<SceneBody> own_;
  std::vector<Motion> motions_;
  SceneScratch scratch_;
};

TEST_F(SceneStop, ChecksEndUndecided) {
  StopEverywhere(
      [&](WorkBudget* budget) {
        return CheckScene(QueryWith(budget), {.wants_free_radius = true}, &scratch_);
      },
      [](const CheckAnswer& answer) {
        if (answer.reason == UndecidedReason::kNone) {
          EXPECT_EQ(answer.verdict, Verdict::kFree);
          EXPECT_GT(answer.free_radius, 0);
          EXPECT_GE(answer.counters.exact, 2U * kBars);
          return false;
        }
        EXPECT_EQ(answer.reason, UndecidedReason::kBudget);
        EXPECT_EQ(answer.verdict, Verdict::kUndecided);
        EXPECT_EQ(answer.free_radius, 0);
        EXPECT_EQ(answer.first.bracket.upper, kInfinity);
        EXPECT_EQ(answer.first.bracket.lower, -kInfinity);
        return true;
      });
}

// Rows that are checked side by side: those that are not done when it is said so, and none else.
TEST_F(SceneStop, ChecksOfManyRowsEndUndecided) {
  constexpr int kFewBars = 100;
  constexpr std::size_t kRows = 3 * kChecksAtOnce;
  std::vector<SceneBody> bars;
  for (int i = 1; i <= kFewBars; ++i)
    bars.push_back({static_cast<BodyId>(i), bar_, BarPose(i), {}, 0});
  scene_ = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bars}));
  std::vector<Pose> poses;
  for (std::size_t row = 0; row < kRows; ++row)
    poses.insert(poses.end(), {BarPose(-static_cast<int>(row) - 1), BarPose(-200)});
  std::vector<CheckAnswer> answers(kRows);
  int partly = 0;
  StopEverywhere(
      [&](WorkBudget* budget) -> std::vector<CheckAnswer>& {
        CheckConfigurations({QueryWith(budget), poses}, {}, absl::MakeSpan(answers), &scratch_);
        return answers;
      },
      [&](const std::vector<CheckAnswer>& found) {
        std::size_t stopped = 0;
        for (const CheckAnswer& answer : found) {
          const bool is_stopped = answer.reason == UndecidedReason::kBudget;
          EXPECT_EQ(answer.verdict, is_stopped ? Verdict::kUndecided : Verdict::kFree);
          const std::uint64_t least = is_stopped ? 0 : kFewBars;
          EXPECT_GE(answer.counters.exact, least);
          stopped += is_stopped ? 1 : 0;
        }
        if (stopped > 0 && stopped < kRows) ++partly;
        return stopped > 0;
      });
  EXPECT_GE(partly, 2);
}

TEST_F(SceneStop, MinimumDistancesEndUndecided) {
  // All are as near as the nearest.
  const std::vector<SceneBody> far = {{10'000, bar_, {{0, 0, 50}, {}}, {}, 0}};
  StopEverywhere(
      [&](WorkBudget* budget) {
        SceneQuery query = QueryWith(budget);
        query.bodies = far;
        return MinimumDistance(query, {}, &scratch_);
      },
      [](const MinimumDistanceAnswer& answer) {
        if (answer.distance.reason == UndecidedReason::kNone) {
          EXPECT_NEAR(answer.distance.distance, 48, 1e-9);
          return false;
        }
        EXPECT_EQ(answer.distance.reason, UndecidedReason::kBudget);
        EXPECT_EQ(answer.distance.state, State::kUndecided);
        EXPECT_FALSE(answer.has_pair);
        EXPECT_EQ(answer.free_radius, 0);
        EXPECT_EQ(answer.distance.bracket.lower, -kInfinity);
        return true;
      });
}

TEST_F(SceneStop, SweepsEndUndecidedFromTheStartOn) {
  StopEverywhere(
      [&](WorkBudget* budget) {
        return Sweep({QueryWith(budget), motions_}, {}, &scratch_);
      },
      [](const SweepAnswer& answer) {
        const TimeOfCollisionAnswer& contact = answer.earliest.contact;
        if (contact.reason == UndecidedReason::kNone) {
          EXPECT_EQ(contact.state, MotionState::kFree);
          return false;
        }
        EXPECT_EQ(contact.reason, UndecidedReason::kBudget);
        EXPECT_EQ(contact.state, MotionState::kUndecided);
        EXPECT_EQ(contact.t_free, 0);
        return true;
      });
}

TEST_F(SceneStop, RaysEndUndecidedOfEitherKind) {
  for (const RayKind kind : {RayKind::kClosest, RayKind::kAny}) {
    StopEverywhere(
        [&](WorkBudget* budget) {
          const Ray ray = {.origin = own_[0].X_WB.p_WS,
                           .displacement = {1, 1, 0},
                           .radius = 0,
                           .bits = {},
                           .budget = budget};
          return CastRay(*scene_, ray, kind, &scratch_);
        },
        [](const SweepAnswer& answer) {
          return answer.earliest.contact.reason == UndecidedReason::kBudget;
        });
  }
}

// Nothing but looking past bodies that are not asked takes time.
TEST_F(SceneStop, RaysPastWhatTheyDoNotAskEnd) {
  constexpr int kCount = 3000;
  std::vector<SceneBody> row;
  for (int i = 0; i < kCount; ++i)
    row.push_back({static_cast<BodyId>(i), bar_, {{0, 0, 3.0 * i}, {}}, {1, 1}, 0});
  const ScenePtr scene = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = row}));
  const auto ask = [&](WorkBudget* budget) {
    const Ray ray = {.origin = {0, 0, -5},
                     .displacement = {0, 0, 3.0 * kCount + 10},
                     .radius = 0,
                     .bits = {2, 2},
                     .budget = budget};
    return CastRay(*scene, ray, RayKind::kClosest, &scratch_);
  };
  const int all = Looks(kNever, [&](WorkBudget* budget) {
    const SweepAnswer answer = ask(budget);
    EXPECT_EQ(answer.earliest.contact.state, MotionState::kFree);
    EXPECT_EQ(answer.counters.candidates, 0U);
  });
  EXPECT_GE(all, 3);
  const int looks = Looks(1, [&](WorkBudget* budget) {
    EXPECT_EQ(ask(budget).earliest.contact.reason, UndecidedReason::kBudget);
  });
  EXPECT_EQ(looks, 2);
}

// A ball of so many corners on a spiral.
RigidBodyPtr Ball(int corners) {
  std::vector<double> points;
  for (int i = 0; i < corners; ++i) {
    const double z = 1 - (2.0 * i + 1) / corners, around = std::sqrt(1 - z * z),
                 angle_rad = 2.4 * i;
    points.insert(points.end(), {around * std::cos(angle_rad), around * std::sin(angle_rad), z});
  }
  return MakeBody(std::get<ConvexShapePtr>(MakeHull(points, 0)));
}

class SceneStopBySize : public SceneStop {
 protected:
  static constexpr int kBalls = 60;

  // One ball of the query's between as many of the scene that all touch its box.
  void Fill(const RigidBodyPtr& ball) {
    std::vector<SceneBody> balls;
    for (int i = 1; i <= kBalls; ++i) {
      balls.push_back({static_cast<BodyId>(i), ball, {{1.45, 1.45, 0.01 * i}, {}}, {}, 0});
    }
    scene_ = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = balls}));
    own_ = {{10'000, ball, {}, {}, 0}};
    motions_ = {{.displacement = {1e-4, 0, 0}, .rotation = {}, .pivot = {}}};
  }

  int LooksOfCheck() {
    return Looks(kNever, [&](WorkBudget* budget) {
      const CheckAnswer answer =
          CheckScene(QueryWith(budget), {.wants_free_radius = true}, &scratch_);
      EXPECT_EQ(answer.verdict, Verdict::kFree);
      EXPECT_EQ(answer.counters.exact, 2U * kBalls);
    });
  }
  int LooksOfMinimumDistance(bool exact) {
    return Looks(kNever, [&](WorkBudget* budget) {
      std::vector<PairDistance> all(kBalls);
      EXPECT_EQ(Nearest(QueryWith(budget), {.exact = exact}, absl::MakeSpan(all), &scratch_).size,
                all.size());
    });
  }
  int LooksOfSweep() {
    return Looks(kNever, [&](WorkBudget* budget) {
      const SweepAnswer answer = Sweep({QueryWith(budget), motions_}, {}, &scratch_);
      EXPECT_EQ(answer.counters.exact, 1U * kBalls);
    });
  }
};

// Pairs of large hulls may take a hundred times as long as those of small ones.
TEST_F(SceneStopBySize, LooksAreTheMoreTheMoreVerticesBodiesHave) {
  Fill(Ball(12));
  const int check = LooksOfCheck(), minimum = LooksOfMinimumDistance(false), sweep = LooksOfSweep();
  EXPECT_LE(check, 4);
  EXPECT_LE(minimum, 4);
  EXPECT_LE(sweep, 8);
  Fill(Ball(3000));
  EXPECT_GE(LooksOfCheck(), 2 * kBalls / 6);
  EXPECT_GE(LooksOfMinimumDistance(false), kBalls / 6);
  EXPECT_GE(LooksOfSweep(), kBalls / 2);
}

// Which may take a second.
TEST_F(SceneStopBySize, EveryDecisionInExactNumbersIsAfterALook) {
  Fill(Ball(12));
  EXPECT_GE(LooksOfMinimumDistance(true), kBalls);
}

// Ten thousand query bodies without an enabled pair: nothing but looking for one takes time.
TEST_F(SceneStop, LookingForPairsEnds) {
  std::vector<SceneBody> crowd;
  for (BodyId id = 0; id < 4000; ++id) crowd.push_back({id, bar_, BarPose(0), {1, 0}, 0});
  Looks(2, [&](WorkBudget* budget) {
    SceneQuery query = QueryWith(budget);
    query.bodies = crowd;
    EXPECT_EQ(MinimumDistance(query, {}, &scratch_).distance.reason, UndecidedReason::kBudget);
  });
  Looks(2, [&](WorkBudget* budget) {
    SceneQuery query = QueryWith(budget);
    query.bodies = crowd;
    const CheckAnswer answer = CheckScene(query, {}, &scratch_);
    EXPECT_EQ(answer.reason, UndecidedReason::kBudget);
    EXPECT_EQ(answer.counters.candidates, 0U);
  });
}

// A list is short then.
TEST_F(SceneStop, ListsEnd) {
  std::vector<PairDistance> nearest(kBars);
  int found = 0;
  const auto count = [&](const auto&) {
    ++found;
    return true;
  };
  for (SceneBody& body : own_) body.margin = 100;
  Looks(6, [&](WorkBudget* budget) {
    EXPECT_LT(Nearest(QueryWith(budget), {}, absl::MakeSpan(nearest), &scratch_).size,
              nearest.size());
  });
  Looks(6, [&](WorkBudget* budget) {
    EXPECT_EQ(CheckAll(QueryWith(budget), count, &scratch_).reason, UndecidedReason::kBudget);
  });
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 2 * kBars);
  found = 0;
  Looks(6, [&](WorkBudget* budget) {
    SweepAll({QueryWith(budget), motions_}, {}, count, &scratch_);
  });
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 2 * kBars);
}

}  // namespace
}  // namespace clearance

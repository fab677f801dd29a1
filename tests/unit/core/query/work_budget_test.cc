// SPDX-License-Identifier: Apache-2.0
//
// Questions about compounds and motions that end with their budget: by the clock soon after it says
// so, by the limit of steps at the same place whatever clock there is.

#include "core/query/work_budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "core/query/body_query.h"
#include "core/shape/make_shape.h"
#include "tests/support/body.h"
#include "tests/support/large_hulls.h"
#include "tests/support/random.h"
#include "tests/support/test_shape.h"

namespace clearance {
namespace {

constexpr int kPieces = 256;
// A pair of pieces takes two microseconds at least.
constexpr int kLooksAtCompounds = kPieces * kPieces / 128;
constexpr int kNever = std::numeric_limits<int>::max();

// Segments along the diagonals of their boxes, side by side: the balls around the pieces of two of
// these all overlap, so that each pair must be asked.
RigidBodyPtr Needles() {
  std::vector<Piece> pieces;
  for (int i = 0; i < kPieces; ++i) {
    const double across = 0.01 * i * std::sqrt(0.5);
    const Vec3d from = {-100 - across, -100 + across, 0}, to = {100 - across, 100 + across, 0};
    pieces.push_back({std::get<ConvexShapePtr>(MakeSegment(from, to, 0.001)), {}});
  }
  return std::get<RigidBodyPtr>(MakeCompound(std::move(pieces)));
}

const Pose kBehind = {{0.003, -0.003, 0}, {}};
const Motion kTurn = {.displacement = {}, .rotation = {0, 0, 1e-6}, .pivot = {}};

class Budgets : public ::testing::Test {
 protected:
  Budgets() : needles_(Needles()) {}

  // Calls ask(budget) with one whose clock says stop at the look of this number; returns how often
  // it was asked.
  template <class Ask>
  static int Looks(int stop_at, const Ask& ask) {
    int looks = 0;
    const auto should_stop = [&] { return looks++ >= stop_at; };
    Pacer pacer(should_stop);
    WorkBudget budget(&pacer);
    ask(&budget);
    return looks;
  }

  // Of one question: that it is asked for the time often enough, and ends at once when told to.
  template <class Ask>
  static void StopEverywhere(int least_looks, const Ask& ask) {
    const int all = Looks(kNever, [&](WorkBudget* budget) {
      EXPECT_EQ(ask(budget).reason, UndecidedReason::kNone);
      EXPECT_FALSE(budget->has_ended());
    });
    EXPECT_GE(all, least_looks);
    for (const int stop_at : {0, 1, 2, all / 7, all / 2, all - 1}) {
      const int looks = Looks(stop_at, [&](WorkBudget* budget) {
        const auto answer = ask(budget);
        EXPECT_EQ(answer.reason, UndecidedReason::kBudget) << stop_at;
        EXPECT_EQ(budget->reason(), UndecidedReason::kBudget);
      });
      EXPECT_EQ(looks, stop_at + 1);
    }
  }

  // Of one question: the least limit that lets it end is the same with and without a clock, and one
  // step less ends it.
  template <class Ask>
  static void LimitEverywhere(const Ask& ask) {
    const auto reason_with = [&](Pacer* pacer, std::uint64_t most) {
      WorkBudget budget(pacer, most);
      return ask(&budget).reason;
    };
    std::uint64_t low = 0, high = std::uint64_t{1} << 40;
    ASSERT_EQ(reason_with(nullptr, high), UndecidedReason::kNone);
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (reason_with(nullptr, middle) == UndecidedReason::kNone ? high : low) = middle;
    }
    const auto never = [] { return false; };
    Pacer pacer(never);
    EXPECT_EQ(reason_with(&pacer, high), UndecidedReason::kNone);
    EXPECT_EQ(reason_with(&pacer, low), UndecidedReason::kWork);
    EXPECT_EQ(reason_with(&pacer, 0), UndecidedReason::kWork);
  }

  DistanceAnswer AskDistance(WorkBudget* budget) const {
    DistanceOptions options;
    options.budget = budget;
    return Distance(PosedBody{*needles_, {}}, PosedBody{*needles_, kBehind}, options);
  }
  IntersectionAnswer AskIntersection(WorkBudget* budget) const {
    return Intersection(PosedBody{*needles_, {}}, PosedBody{*needles_, kBehind},
                        {.budget = budget});
  }
  TimeOfCollisionAnswer AskMotion(WorkBudget* budget) const {
    const Motion rest = {};
    MotionOptions options;
    options.budget = budget;
    return TimeOfCollision(MovingBody{*needles_, kIdentityPose, kTurn},
                           MovingBody{*needles_, kBehind, rest}, options);
  }

  const RigidBodyPtr needles_;
};

TEST_F(Budgets, EndDistancesOfCompounds) {
  StopEverywhere(kLooksAtCompounds, [&](WorkBudget* budget) { return AskDistance(budget); });
}
TEST_F(Budgets, EndIntersectionsOfCompounds) {
  StopEverywhere(kLooksAtCompounds, [&](WorkBudget* budget) { return AskIntersection(budget); });
}
TEST_F(Budgets, EndMotionsOfCompounds) {
  StopEverywhere(kLooksAtCompounds, [&](WorkBudget* budget) { return AskMotion(budget); });
}

// Two balls of many vertices, one deep in the other: one pair, and hundreds of searches.
class LargeHulls : public Budgets {
 protected:
  static constexpr int kVertices = 8192;
  static constexpr int kLooks = 8;

  LargeHulls() : ball_(Ball()) {}

  static ConvexShapePtr Ball() {
    testing::Random random(1);
    return testing::MakeShape(
        {.kind = testing::BodyKind::kHull,
         .points = PointsOf(testing::HullFamily::kSphere, kVertices, false, random),
         .radius = 0,
         .pose = {}});
  }

  const ConvexShapePtr ball_;
  const Pose at_ = {}, deep_ = {{0.01, 0.02, 0.03}, {}}, beside_ = {{2.5, 0, 0}, {}};
};

TEST_F(LargeHulls, StopInsideOfADistance) {
  StopEverywhere(kLooks, [&](WorkBudget* budget) {
    DepthProof proof;
    const DistanceAnswer answer = Distance(PosedShape{*ball_, at_}, PosedShape{*ball_, deep_},
                                           {.depth_proof = &proof, .budget = budget});
    EXPECT_TRUE(answer.reason == UndecidedReason::kNone || proof.facet_count == 0);
    return answer;
  });
}

TEST_F(LargeHulls, AreNotSearchedOnceTheClockHasStopped) {
  const auto ask = [&](WorkBudget* budget) {
    return Distance(PosedShape{*ball_, at_}, PosedShape{*ball_, beside_}, {.budget = budget});
  };
  EXPECT_GT(ask(nullptr).iterations, 3U);
  Looks(0, [&](WorkBudget* budget) { EXPECT_EQ(ask(budget).iterations, 0U); });
}

TEST_F(LargeHulls, StopInsideOfManyDistances) {
  StopEverywhere(kLooks, [&](WorkBudget* budget) {
    const DistanceQuestion question = {{*ball_, at_}, {*ball_, deep_}, {.budget = budget}};
    DistanceAnswer answer;
    Distances({&question, 1}, {&answer, 1});
    return answer;
  });
}

TEST_F(LargeHulls, StopInsideOfAMotion) {
  const Motion turns = {.displacement = {-1, 0, 0}, .rotation = {0, 0, 3}, .pivot = beside_.p_WS},
               rests = {};
  StopEverywhere(kLooks, [&](WorkBudget* budget) {
    return TimeOfCollision(MovingShape{*ball_, at_, rests}, MovingShape{*ball_, beside_, turns},
                           {.budget = budget});
  });
}

// Searches that the clock cut short prove nothing of when the hulls are free.
TEST_F(LargeHulls, StopWhereTheyTouchAtFirst) {
  const Motion leaves = {.displacement = {1, 0, 0}, .rotation = {0, 0, 1}, .pivot = {}}, rests = {};
  const auto ask = [&](WorkBudget* budget) {
    return TimeOfCollision(MovingShape{*ball_, at_, rests}, MovingShape{*ball_, deep_, leaves},
                           {.ignore_initial_contact = true, .budget = budget});
  };
  const double t_leave = ask(nullptr).t_leave;
  StopEverywhere(kLooks, [&](WorkBudget* budget) {
    const TimeOfCollisionAnswer answer = ask(budget);
    EXPECT_TRUE(answer.t_free == 0 || answer.t_free >= t_leave) << answer.t_free;
    return answer;
  });
}

TEST_F(Budgets, LimitDistancesOfCompounds) {
  LimitEverywhere([&](WorkBudget* budget) { return AskDistance(budget); });
}
TEST_F(Budgets, LimitIntersectionsOfCompounds) {
  LimitEverywhere([&](WorkBudget* budget) { return AskIntersection(budget); });
}
TEST_F(Budgets, LimitMotionsOfCompounds) {
  LimitEverywhere([&](WorkBudget* budget) { return AskMotion(budget); });
}

// What was proved before the end stays proved.
TEST_F(Budgets, LimitOneMotionThatTurns) {
  const ConvexShapePtr blade = std::get<ConvexShapePtr>(MakeBox({1, 0.01, 0.01}, 0));
  const ConvexShapePtr wall = std::get<ConvexShapePtr>(MakeBox({1, 0.01, 1}, 0));
  const Pose start = {}, beyond = {{0, 1.5, 0}, {}};
  const Motion turns = {.displacement = {0, 0.6, 0}, .rotation = {0, 0, 600}, .pivot = {}},
               rest = {};
  const auto ask = [&](WorkBudget* budget) {
    MotionOptions options;
    options.budget = budget;
    return TimeOfCollision(MovingShape{*blade, start, turns}, MovingShape{*wall, beyond, rest},
                           options);
  };
  const TimeOfCollisionAnswer whole = ask(nullptr);
  EXPECT_GT(whole.iterations, 64U);
  WorkBudget budget(nullptr, std::uint64_t{32} * kVerticesADistance);
  const TimeOfCollisionAnswer part = ask(&budget);
  EXPECT_EQ(part.state, MotionState::kUndecided);
  EXPECT_EQ(part.reason, UndecidedReason::kWork);
  EXPECT_GT(part.t_free, 0);
  EXPECT_LT(part.t_free, whole.t_free);
}

}  // namespace
}  // namespace clearance

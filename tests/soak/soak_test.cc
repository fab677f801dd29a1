// SPDX-License-Identifier: Apache-2.0
//
// That the soak is not blind: each kind of doctored answer is seen, by its own numbers, by another
// answer about the same pair or by the independent checker, and the answers as core gave them are
// passed. And that a case is a function of its index alone.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "core/proof/check_distance.h"
#include "core/query/distance.h"
#include "gtest/gtest.h"
#include "tests/soak/asker.h"
#include "tests/soak/case_maker.h"
#include "tests/soak/sanity.h"
#include "tests/soak/watch.h"
#include "tests/support/answer_checker.h"
#include "tests/support/random.h"
#include "tests/support/test_shape.h"

namespace clearance::soak {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Two boxes, turned a little against each other, `gap` apart along x or overlapping by that.
class Boxes {
 public:
  explicit Boxes(double gap)
      : shape_(testing::MakeShape(testing::MakeBoxBody({1, 1, 1}))),
        pose_b_{{2 + gap, 0.25, 0.125}, {}} {}

  PosedShape A() const { return {*shape_, pose_a_}; }
  PosedShape B() const { return {*shape_, pose_b_}; }
  Scale scale() const { return MeasureScale(2 * shape_->bounding_radius(), pose_a_, pose_b_); }

 private:
  ConvexShapePtr shape_;
  Pose pose_a_;
  Pose pose_b_;
};

using Change = std::function<void(DistanceAnswer*)>;

bool IsSeen(double gap, const Change& change) {
  const Boxes boxes(gap);
  DistanceAnswer answer = Distance(boxes.A(), boxes.B(), {});
  EXPECT_EQ(FindFault(boxes.scale(), {}, answer), "");
  change(&answer);
  return !FindFault(boxes.scale(), {}, answer).empty();
}

struct Doctoring {
  const char* name;
  Change change;
};

class DoctoredDistance : public ::testing::TestWithParam<Doctoring> {};

TEST_P(DoctoredDistance, IsSeenOfBodiesApart) { EXPECT_TRUE(IsSeen(0.5, GetParam().change)); }
TEST_P(DoctoredDistance, IsSeenOfBodiesThatOverlap) {
  EXPECT_TRUE(IsSeen(-0.5, GetParam().change));
}

INSTANTIATE_TEST_SUITE_P(
    All, DoctoredDistance,
    ::testing::Values(
        Doctoring{"NanDistance", [](DistanceAnswer* a) { a->distance = kNaN; }},
        Doctoring{"NanLower", [](DistanceAnswer* a) { a->bracket.lower = kNaN; }},
        Doctoring{"NanTolerance", [](DistanceAnswer* a) { a->tolerance = kNaN; }},
        Doctoring{"NanNormal", [](DistanceAnswer* a) { a->n_AB.y = kNaN; }},
        Doctoring{"NanWeight", [](DistanceAnswer* a) { a->witness.weights[0] = kNaN; }},
        Doctoring{"InfinitePoint", [](DistanceAnswer* a) { a->p_WA.z = INFINITY; }},
        Doctoring{"InfiniteUpper", [](DistanceAnswer* a) { a->bracket.upper = INFINITY; }},
        Doctoring{"LowerAboveUpper",
                  [](DistanceAnswer* a) { std::swap(a->bracket.lower, a->bracket.upper = 9); }},
        Doctoring{"DistanceOutside", [](DistanceAnswer* a) { a->distance += 1e-9; }},
        Doctoring{"UndecidedWithoutReason",
                  [](DistanceAnswer* a) { a->state = State::kUndecided; }},
        Doctoring{"ReasonWithoutUndecided",
                  [](DistanceAnswer* a) { a->reason = UndecidedReason::kPrecision; }},
        Doctoring{"CalledTouching", [](DistanceAnswer* a) { a->state = State::kTouching; }},
        Doctoring{"CalledBeyond", [](DistanceAnswer* a) { a->state = State::kBeyond; }},
        Doctoring{"NoState", [](DistanceAnswer* a) { a->state = State{}; }},
        Doctoring{"PointMoved", [](DistanceAnswer* a) { a->p_WB.y += 1e-9; }},
        Doctoring{"LocalPointMoved", [](DistanceAnswer* a) { a->p_AoA.x -= 1e-9; }},
        Doctoring{"NormalSwapped", [](DistanceAnswer* a) { a->n_AB = -a->n_AB; }},
        Doctoring{"NormalLonger", [](DistanceAnswer* a) { a->n_AB = 1.000001 * a->n_AB; }},
        Doctoring{"NoWitness", [](DistanceAnswer* a) { a->witness.size = 0; }}),
    [](const auto& doctoring) { return doctoring.param.name; });

// A bracket that is wrong but agrees with all else: only the independent checker sees it.
TEST(IndependentChecker, SeesWhatAgreesWithItself) {
  constexpr double kShift = 1e-8;  // beyond tau
  for (const double gap : {0.5, -0.5}) {
    const Boxes boxes(gap);
    DistanceAnswer answer = Distance(boxes.A(), boxes.B(), {});
    EXPECT_EQ(testing::FaultOf(CheckDistance(boxes.A(), boxes.B(), {}, answer)), "");
    answer.bracket.lower += kShift;
    answer.bracket.upper += kShift;
    answer.distance += kShift;
    answer.p_AoB = answer.p_AoB + kShift * answer.n_AB;
    answer.p_WB = answer.p_WB + kShift * answer.n_AB;
    EXPECT_EQ(FindFault(boxes.scale(), {}, answer), "");
    EXPECT_NE(testing::FaultOf(CheckDistance(boxes.A(), boxes.B(), {}, answer)), "");
  }
}

TEST(DoctoredIntersection, IsSeen) {
  const Boxes boxes(0.5);
  const IntersectionAnswer right = Intersection(boxes.A(), boxes.B());
  EXPECT_EQ(FindFault(right), "");
  IntersectionAnswer wrong = right;
  wrong.bracket.upper = kNaN;
  EXPECT_NE(FindFault(wrong), "");
  wrong = right;
  wrong.state = State::kUndecided;
  EXPECT_NE(FindFault(wrong), "");
  wrong = right;
  wrong.state = State::kBeyond;
  EXPECT_NE(FindFault(wrong), "");
}

TEST(Contradiction, IsSeenBetweenTwoAnswers) {
  const Proved apart = {State::kSeparated, {1, 2}};
  EXPECT_EQ(FindContradiction(apart, {State::kUndecided, {-1, 1}}), "");
  EXPECT_NE(FindContradiction(apart, {State::kSeparated, {2.5, 3}}), "");
  EXPECT_NE(FindContradiction(apart, {State::kPenetrating, {-INFINITY, INFINITY}}), "");
}

TEST(DoctoredMotion, IsSeen) {
  const Boxes boxes(0.5);
  const Motion towards = {{2, 0, 0}, {0, 0, 0.1}, {}};
  const Motion still;
  MotionProof proof;
  const MotionOptions options = {.proof = &proof};
  const MovingShape a = {boxes.A().shape, boxes.A().pose, towards};
  const MovingShape b = {boxes.B().shape, boxes.B().pose, still};
  const TimeOfCollisionAnswer right = TimeOfCollision(a, b, options);
  ASSERT_EQ(right.state, MotionState::kHit);
  EXPECT_EQ(FindFault(boxes.scale(), options, right), "");
  using MotionChange = std::function<void(TimeOfCollisionAnswer*)>;
  const MotionChange changes[] = {
      [](TimeOfCollisionAnswer* m) { m->t_free = kNaN; },
      [](TimeOfCollisionAnswer* m) { m->t_hit = 0; },
      [](TimeOfCollisionAnswer* m) { m->t_leave = 0.01; },
      [](TimeOfCollisionAnswer* m) { m->state = MotionState::kUndecided; },
      [](TimeOfCollisionAnswer* m) { m->state = MotionState::kFree; },
      [](TimeOfCollisionAnswer* m) { m->state = MotionState{}; },
      [](TimeOfCollisionAnswer* m) { m->p_WA.y += 1e-6; },
      [](TimeOfCollisionAnswer* m) { m->n_AB.x = kNaN; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    TimeOfCollisionAnswer wrong = right;
    changes[i](&wrong);
    EXPECT_NE(FindFault(boxes.scale(), options, wrong), "") << i;
  }
  proof.intervals[0].n_W.x = kNaN;
  EXPECT_NE(FindFault(boxes.scale(), options, right), "");
  proof.size = 0;
  EXPECT_NE(FindFault(boxes.scale(), options, right), "");
}

TEST(DoctoredMotion, IsSeenBesideTheDistanceAtItsStart) {
  TimeOfCollisionAnswer answer;
  answer.state = MotionState::kInitiallyOverlapping;
  EXPECT_EQ(FindContradiction({State::kPenetrating, {-2, -1}}, 1e-9, {}, answer), "");
  EXPECT_NE(FindContradiction({State::kSeparated, {1, 2}}, 1e-9, {}, answer), "");
  answer.state = MotionState::kFree;
  EXPECT_NE(FindContradiction({State::kPenetrating, {-2, -1}}, 1e-9, {}, answer), "");
}

TEST(DoctoredManifold, IsSeen) {
  const Boxes boxes(-0.5);
  const DistanceAnswer answer = Distance(boxes.A(), boxes.B(), {});
  const ContactManifold right = ComputeManifold(boxes.A(), boxes.B(), answer);
  EXPECT_EQ(FindFault(boxes.scale(), answer, right), "");
  ContactManifold wrong = right;
  wrong.size = 0;
  EXPECT_NE(FindFault(boxes.scale(), answer, wrong), "");
  wrong = right;
  wrong.points[0].p_AoB.x = kNaN;
  EXPECT_NE(FindFault(boxes.scale(), answer, wrong), "");
}

TEST(DoctoredDepthProof, IsSeen) {
  const Boxes boxes(-0.5);
  DepthProof proof;
  Distance(boxes.A(), boxes.B(), {.depth_proof = &proof});
  ASSERT_GE(proof.facet_count, 4);
  EXPECT_EQ(FindFault(proof), "");
  DepthProof wrong = proof;
  --wrong.facet_count;
  EXPECT_NE(FindFault(wrong), "");
  wrong = proof;
  wrong.facets[0][0] = static_cast<std::uint16_t>(wrong.vertex_count);
  EXPECT_NE(FindFault(wrong), "");
  wrong = proof;
  std::swap(wrong.facets[0][0], wrong.facets[0][1]);
  EXPECT_NE(FindFault(wrong), "");
}

TEST(CaseMaker, MakesACaseOfItsIndexAlone) {
  CaseMaker one(testing::RunSeed());
  CaseMaker other(testing::RunSeed());
  for (std::uint64_t i = 0; i < 2000; ++i) {
    other.Start(1999 - i);
    other.NextPair();
    one.Start(i);
    other.Start(i);
    const PairCase pair = one.NextPair();
    EXPECT_EQ(testing::Describe(pair.question), testing::Describe(other.NextPair().question));
    EXPECT_EQ(Describe(one.NextBodies()), Describe(other.NextBodies()));
  }
}

TEST(WatchdogDeathTest, NamesTheCaseThatNeverEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [] {
    NameCasesOnFatalSignals(17);
    PostOf(3).index = 4711;
    std::thread worker([] {
      while (PostOf(3).index == 4711) {
      }
    });
    const pthread_t handle = worker.native_handle();
    const Watchdog watchdog({handle, handle, handle, handle}, 0.1);
    worker.join();
  };
  EXPECT_DEATH(hang(), "HANG: worker 3 has been at case 4711.*--seed 17 --only 4711");
}

// A soak that never came to a state or a setting would prove nothing of it.
TEST(Asker, ComesToEveryStateAndSetting) {
  constexpr std::uint64_t kManyQueries = 2000;
  FindingPrinter printer(testing::RunSeed());
  Asker asker(CaseMaker(testing::RunSeed()), &PostOf(0), &printer, {});
  for (std::uint64_t i = 0; i < 20000; ++i) asker.Ask(i);
  Tally tally = asker.tally();
  const Row total = tally.Total();
  EXPECT_EQ(total.findings, 0U);
  EXPECT_GT(100 * total.checked, total.queries) << "hardly any answer proved anew";
  EXPECT_EQ(PostOf(0).queries.load(), total.queries);
  for (int s = 0; s < kSettingCount; ++s) {
    std::uint64_t queries = 0;
    for (int k = 0; k < kKindCount; ++k) {
      queries += tally.At(static_cast<Kind>(k), static_cast<Setting>(s)).queries;
    }
    EXPECT_GT(queries, 50U) << Name(static_cast<Setting>(s));
  }
  for (int k = 0; k < kKindCount; ++k) {
    const auto kind = static_cast<Kind>(k);
    Row row;
    for (int s = 0; s < kSettingCount; ++s) row.Add(tally.At(kind, static_cast<Setting>(s)));
    EXPECT_GT(row.queries, kind == Kind::kOracle ? 0U : 50U) << Name(kind);
    const bool has_states = kind != Kind::kOracle && kind != Kind::kManifold;
    for (std::size_t state = 1; has_states && state <= 3; ++state) {
      const bool is_possible = kind != Kind::kWithDepthProof || state == 3;
      // Contacts to the last bit are rare, and so are the questions of some kinds.
      const bool is_rare = state == 2 && row.queries < kManyQueries;
      EXPECT_TRUE(row.states[state] > 0 || !is_possible || is_rare)
          << Name(kind) << " state " << state << " of " << row.queries;
    }
  }
}

}  // namespace
}  // namespace clearance::soak

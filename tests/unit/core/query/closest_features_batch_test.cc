// SPDX-License-Identifier: Apache-2.0
//
// Answers from features side by side have the bits of Distance, which finishes one pair at a time;
// what they do not prove they leave alone.

#include "core/query/closest_features_batch.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "core/narrow/gjk_batch.h"
#include "core/shape/make_shape.h"
#include "hwy/targets.h"
#include "tests/support/generators.h"
#include "tests/support/same_bits.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

// Pairs with the features that a search names; those that overlap by it have none.
class GuessedPairs {
 public:
  void Add(const BodyPair& bodies) {
    Pair& pair = pairs_.emplace_back(bodies);
    FeatureGuess guess;
    const GuessTask task = {&pair.posed.difference()};
    GjkBatch({&task, 1}, {&guess, 1});
    if (guess.end != FeatureGuess::End::kNearest ||
        !IsForFeatureAnswers(pair.centered.pair, pair.limits))
      return;
    asked_.push_back(&pair);
    tasks_.push_back({&pair.posed, &pair.limits, HUGE_VAL, guess.pairs, guess.iterations, nullptr});
  }

  std::size_t size() const { return tasks_.size(); }
  FeatureTask& task(std::size_t i) { return tasks_[i]; }

  DistanceAnswer Alone(std::size_t i) const { return Distance(asked_[i]->a, asked_[i]->b, {}); }

  struct Answered {
    bool is_answered = false;
    DistanceAnswer answer;
  };

  // In runs of all lengths around those that vectors have.
  std::vector<Answered> Answer() {
    std::vector<Answered> all(size());
    std::array<FeatureOutcome, kDistancesAtOnce> outcomes;
    for (std::size_t i = 0; i < size(); ++i) tasks_[i].answer = &all[i].answer;
    for (std::size_t first = 0, length = 1; first < size(); first += length) {
      length = length % kDistancesAtOnce + 1;
      const auto run = absl::MakeConstSpan(tasks_).subspan(first, length);
      AnswerFromFeatures(run, {outcomes.data(), run.size()});
      for (std::size_t k = 0; k < run.size(); ++k)
        all[first + k].is_answered = outcomes[k] == FeatureOutcome::kAnswered;
    }
    return all;
  }

 private:
  struct Pair {
    explicit Pair(const BodyPair& bodies)
        : shape_a(MakeShape(bodies.a)),
          shape_b(MakeShape(bodies.b)),
          X_WA(bodies.a.pose),
          X_WB(bodies.b.pose),
          a{*shape_a, X_WA},
          b{*shape_b, X_WB},
          centered(a, b),
          limits(LimitsFor(centered.pair, 0.0)),
          posed(centered) {}

    const ConvexShapePtr shape_a, shape_b;
    const Pose X_WA, X_WB;
    const PosedShape a, b;
    const CenteredPair centered;
    const CoreLimits limits;
    const PosedPair posed;
  };

  std::deque<Pair> pairs_;
  std::vector<const Pair*> asked_;
  std::vector<FeatureTask> tasks_;
};

// Boxes, whose faces have four corners, and hulls, whose faces have three.
GuessedPairs RandomPairs(int count, Random& random) {
  GuessedPairs pairs;
  for (int i = 0; i < count; ++i) {
    pairs.Add(Generate(i % 2 == 0 ? Family::kBoxes : Family::kRandomHulls, random));
  }
  return pairs;
}

TEST(FeatureAnswers, AreThoseOfEachPairAlone) {
  Random random(RunSeed());
  GuessedPairs pairs = RandomPairs(Effort(2000), random);
  const std::vector<GuessedPairs::Answered> all = pairs.Answer();
  std::array<int, 5> of_size = {};
  int answered = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_answered) continue;
    ++answered;
    ++of_size[static_cast<std::size_t>(all[i].answer.witness.size)];
    EXPECT_TRUE(SameBits(all[i].answer, pairs.Alone(i))) << i;
    EXPECT_EQ(all[i].answer.iterations, pairs.task(i).iterations);
  }
  EXPECT_GT(answered, Effort(500));
  for (const int size : {1, 2, 3, 4}) {
    EXPECT_GT(of_size[static_cast<std::size_t>(size)], Effort(10)) << size << " vertices";
  }
}

TEST(FeatureAnswers, LeaveWrongFeaturesAndPairsBeyondTheCallersDistance) {
  Random random(RunSeed() + 1);
  GuessedPairs pairs = RandomPairs(Effort(1000), random);
  std::vector<GuessedPairs::Answered> right = pairs.Answer();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    FeatureTask& task = pairs.task(i);
    if (i % 2 == 0) {
      task.max_distance = right[i].answer.bracket.lower / 2;
    } else {
      const std::uint32_t count = task.posed->pair().a.vertex_count();
      for (VertexIndex& vertex : task.guess.a) vertex = (vertex + 1) % count;
    }
  }
  int tried = 0;
  const std::vector<GuessedPairs::Answered> all = pairs.Answer();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!right[i].is_answered) continue;
    ++tried;
    // A neighbour of a corner may be another corner of the same face: then the same point is right.
    if (all[i].is_answered) {
      EXPECT_TRUE(i % 2 == 1 && SameBits(all[i].answer, right[i].answer)) << i;
    } else {
      EXPECT_EQ(all[i].answer.state, State::kUndecided) << "written " << i;
    }
  }
  EXPECT_GT(tried, Effort(250));
}

TEST(FeatureAnswers, AreTheSameOnEveryVectorUnit) {
  Random random(RunSeed() + 2);
  GuessedPairs pairs = RandomPairs(Effort(500), random);
  std::vector<GuessedPairs::Answered> first;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    const std::vector<GuessedPairs::Answered> all = pairs.Answer();
    if (first.empty()) first = all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].is_answered, first[i].is_answered) << hwy::TargetName(target);
      EXPECT_TRUE(!all[i].is_answered || SameBits(all[i].answer, first[i].answer))
          << hwy::TargetName(target);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GT(first.size(), static_cast<std::size_t>(Effort(100)));
}

TEST(FeatureAnswers, AreForPolytopesWithoutRadiusAndWithoutTolerance) {
  Random random(RunSeed() + 3);
  const BodyPair boxes = Generate(Family::kBoxes, random);
  const ConvexShapePtr box = MakeShape(boxes.a);
  const auto cone = std::get<ConvexShapePtr>(MakeCone(1, 1, 0));
  // So little that its units say nothing of it.
  const auto dot = std::get<ConvexShapePtr>(MakePoint(5e-324));
  const Pose X_WA = boxes.a.pose, X_WB = boxes.b.pose;
  const CenteredPair centered({*box, X_WA}, {*box, X_WB});
  CoreLimits limits = LimitsFor(centered.pair, 0.0);
  EXPECT_TRUE(IsForFeatureAnswers(centered.pair, limits));
  limits.good_enough = 1;
  EXPECT_FALSE(IsForFeatureAnswers(centered.pair, limits));
  limits.good_enough = 0;
  const ShapePair rounded = {*dot, *box, 1, 0, 1, 0, 1, {}, 1};
  EXPECT_FALSE(IsForFeatureAnswers(rounded, limits));
  const ShapePair curved = {*box, *cone, 0, 1, 1, 1, 1, {}, 2};
  EXPECT_FALSE(IsForFeatureAnswers(curved, limits));
  const ShapePair tiny = {*box, *box, -1050, 1, 1, 1, 1, {}, 2};
  EXPECT_FALSE(IsForFeatureAnswers(tiny, limits));
}

}  // namespace
}  // namespace clearance::testing

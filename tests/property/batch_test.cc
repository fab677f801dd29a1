// SPDX-License-Identifier: Apache-2.0
//
// Pairs that are asked together have the answers that each has alone, to the last bit, whatever
// else is asked with them: Distance, one by one, is the oracle of Distances, Intersection of
// Intersections and TimeOfCollision of TimesOfCollision.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/query/body_query.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "tests/support/generators.h"
#include "tests/support/same_bits.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

// Shapes, poses and starts that questions refer to.
class Batch {
 public:
  void Add(const BodyPair& pair, Random& random) {
    const ConvexShapePtr& a = shapes_.emplace_back(MakeShape(pair.a));
    const ConvexShapePtr& b = shapes_.emplace_back(MakeShape(pair.b));
    const Pose& X_WA = poses_.emplace_back(pair.a.pose);
    const Pose& X_WB = poses_.emplace_back(pair.b.pose);
    DistanceOptions options;
    if (random.OneIn(4)) options.max_distance = random.Uniform(0, a->bounding_radius());
    if (random.OneIn(8)) options.tolerance = 1e-3 * a->bounding_radius();
    if (random.OneIn(8)) options.exact = true;
    if (random.OneIn(8)) {
      const Witness& start = starts_.emplace_back(RandomStart(*a, *b, random));
      if (start.size > 0) options.start = &start;
    }
    questions_.push_back({{*a, X_WA}, {*b, X_WB}, options});
  }

  const std::vector<DistanceQuestion>& questions() const { return questions_; }

  // Whether the same pairs touch.
  std::vector<IntersectionQuestion> Signs() const {
    std::vector<IntersectionQuestion> signs;
    for (const DistanceQuestion& question : questions_) {
      signs.push_back({question.a, question.b, {question.options.exact}});
    }
    return signs;
  }

  // Questions with options of which this is true.
  template <class Predicate>
  int Count(const Predicate& has) const {
    return static_cast<int>(
        std::count_if(questions_.begin(), questions_.end(),
                      [&](const DistanceQuestion& question) { return has(question.options); }));
  }

 private:
  std::deque<ConvexShapePtr> shapes_;
  std::deque<Pose> poses_;
  std::deque<Witness> starts_;
  std::vector<DistanceQuestion> questions_;
};

// The same in motion: what goes side by side, and everything that does not.
class SweepBatch {
 public:
  // A moves towards B's nearest point and past it, or only some way, or somewhere else.
  void Add(const BodyPair& pair, Random& random) {
    const ConvexShape& a = *shapes_.emplace_back(MakeShape(pair.a));
    const ConvexShape& b = *shapes_.emplace_back(MakeShape(pair.b));
    const Pose& X_WA = poses_.emplace_back(pair.a.pose);
    const Pose& X_WB = poses_.emplace_back(pair.b.pose);
    const DistanceAnswer apart = Distance(PosedShape{a, X_WA}, {b, X_WB}, {});
    Motion& motion_a = motions_.emplace_back(Motion{{}, {}, X_WA.p_WS});
    Motion& motion_b = motions_.emplace_back(Motion{{}, {}, X_WB.p_WS});
    const double size = a.bounding_radius() + b.bounding_radius();
    const Vec3d towards = apart.p_WB - apart.p_WA;
    motion_a.displacement = random.Uniform(0.5, 2) * towards + random.Uniform(0, size) * apart.n_AB;
    if (random.OneIn(2)) motion_a.displacement = motion_a.displacement + random.InCube(size / 4);
    if (random.OneIn(8)) motion_a.displacement = random.InCube(2 * size);
    if (random.OneIn(4)) motion_b.displacement = random.InCube(size / 4);
    if (random.OneIn(16)) motion_b.rotation = random.InCube(1);
    MotionOptions options;
    if (random.OneIn(16)) options.target_distance = random.Uniform(0, size / 16);
    if (random.OneIn(8)) options.ignore_initial_contact = true;
    if (random.OneIn(16)) options.proof = &proofs_.emplace_back();
    questions_.push_back({{a, X_WA, motion_a}, {b, X_WB, motion_b}, options});
  }

  const std::vector<TimeOfCollisionQuestion>& questions() const { return questions_; }

 private:
  std::deque<ConvexShapePtr> shapes_;
  std::deque<Pose> poses_;
  std::deque<Motion> motions_;
  std::deque<MotionProof> proofs_;
  std::vector<TimeOfCollisionQuestion> questions_;
};

TimeOfCollisionAnswer Alone(const TimeOfCollisionQuestion& question) {
  return TimeOfCollision(question.a, question.b, question.options);
}

bool IsSame(const IntersectionAnswer& a, const IntersectionAnswer& b) {
  return a.state == b.state && a.reason == b.reason && a.bracket.lower == b.bracket.lower &&
         a.bracket.upper == b.bracket.upper && a.iterations == b.iterations;
}

class BatchOfFamily : public ::testing::TestWithParam<int> {};

TEST_P(BatchOfFamily, AnswersAsOneByOne) {
  Random random(RunSeed() + static_cast<std::uint64_t>(GetParam()));
  Batch batch;
  for (int i = 0; i < Effort(1000); ++i) {
    batch.Add(Generate(static_cast<Family>(GetParam()), random), random);
  }
  EXPECT_GT(batch.Count([](const auto& options) { return std::isfinite(options.max_distance); }),
            Effort(150));
  EXPECT_GT(batch.Count([](const auto& options) { return options.tolerance > 0; }), Effort(60));
  EXPECT_GT(batch.Count([](const auto& options) { return options.exact; }), Effort(60));
  EXPECT_GT(batch.Count([](const auto& options) { return options.start != nullptr; }), Effort(60));
  const absl::Span<const DistanceQuestion> questions = batch.questions();
  std::vector<DistanceAnswer> answers(questions.size());
  // Runs of all lengths around those that the vectors and the groups have.
  for (std::size_t first = 0, length = 1; first < questions.size(); first += length) {
    length = static_cast<std::size_t>(1 + random.Below(70));
    const auto run = questions.subspan(first, length);
    Distances(run, absl::MakeSpan(answers).subspan(first, run.size()));
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const DistanceQuestion& question = questions[i];
    const DistanceAnswer alone = Distance(question.a, question.b, question.options);
    EXPECT_TRUE(SameBits(answers[i], alone)) << Name(static_cast<Family>(GetParam())) << " " << i;
  }
}

TEST_P(BatchOfFamily, TellsSignsAsOneByOne) {
  Random random(RunSeed() + 200 + static_cast<std::uint64_t>(GetParam()));
  Batch batch;
  for (int i = 0; i < Effort(1000); ++i) {
    // Among boxes, whose road is another one.
    const bool is_box = random.OneIn(3);
    batch.Add(Generate(is_box ? Family::kBoxes : static_cast<Family>(GetParam()), random), random);
  }
  const std::vector<IntersectionQuestion> signs = batch.Signs();
  const absl::Span<const IntersectionQuestion> questions = signs;
  std::vector<IntersectionAnswer> answers(questions.size());
  for (std::size_t first = 0, length = 1; first < questions.size(); first += length) {
    length = static_cast<std::size_t>(1 + random.Below(random.OneIn(2) ? 10 : 150));
    const auto run = questions.subspan(first, length);
    Intersections(run, absl::MakeSpan(answers).subspan(first, run.size()));
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& [a, b, options] = questions[i];
    EXPECT_TRUE(IsSame(answers[i], Intersection(a, b, options)))
        << Name(static_cast<Family>(GetParam())) << " " << i;
    EXPECT_EQ(answers[i].state, Distance(a, b, {.exact = options.exact}).state)
        << Name(static_cast<Family>(GetParam())) << " " << i;
  }
}

// With the directions of others, or any, as hints.
TEST_P(BatchOfFamily, TellsSignsWhateverTheHints) {
  Random random(RunSeed() + 500 + static_cast<std::uint64_t>(GetParam()));
  Batch batch;
  for (int i = 0; i < Effort(1000); ++i) {
    batch.Add(Generate(static_cast<Family>(GetParam()), random), random);
  }
  std::vector<IntersectionQuestion> questions = batch.Signs();
  std::vector<IntersectionAnswer> first(questions.size()), second(questions.size());
  std::vector<Vec3d> separating_axes(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i)
    questions[i].options.separating_axis = &separating_axes[i];
  Intersections(questions, absl::MakeSpan(first));
  for (Vec3d& separating_axis : separating_axes) {
    if (random.OneIn(8)) separating_axis = random.Uniform(1e-6, 1e6) * random.Direction();
    if (random.OneIn(8))
      separating_axis = separating_axes[static_cast<std::size_t>(
          random.Below(static_cast<int>(separating_axes.size())))];
  }
  Intersections(questions, absl::MakeSpan(second));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& [a, b, options] = questions[i];
    const IntersectionAnswer alone = Intersection(a, b, {options.exact});
    const std::string name =
        std::string(Name(static_cast<Family>(GetParam()))) + " " + std::to_string(i);
    EXPECT_TRUE(IsSame(first[i], alone)) << name;
    EXPECT_EQ(second[i].state, alone.state) << name;
    EXPECT_TRUE(alone.state == State::kSeparated || IsSame(second[i], alone)) << name;
    EXPECT_LE(second[i].bracket.lower, alone.bracket.upper) << name;
    EXPECT_LE(alone.bracket.lower, second[i].bracket.upper) << name;
  }
}

TEST_P(BatchOfFamily, MeetsAsOneByOne) {
  Random random(RunSeed() + 400 + static_cast<std::uint64_t>(GetParam()));
  SweepBatch batch;
  for (int i = 0; i < Effort(500); ++i) {
    const bool is_box = random.OneIn(3);
    batch.Add(Generate(is_box ? Family::kBoxes : static_cast<Family>(GetParam()), random), random);
  }
  const absl::Span<const TimeOfCollisionQuestion> questions = batch.questions();
  std::vector<TimeOfCollisionAnswer> answers(questions.size());
  for (std::size_t first = 0, length = 1; first < questions.size(); first += length) {
    length = static_cast<std::size_t>(1 + random.Below(random.OneIn(2) ? 10 : 70));
    const auto run = questions.subspan(first, length);
    TimesOfCollision(run, absl::MakeSpan(answers).subspan(first, run.size()));
  }
  std::array<int, 5> states = {};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    MotionProof together;
    if (questions[i].options.proof != nullptr) together = *questions[i].options.proof;
    EXPECT_TRUE(SameBits(answers[i], Alone(questions[i])))
        << Name(static_cast<Family>(GetParam())) << " " << i;
    if (questions[i].options.proof != nullptr) {
      EXPECT_EQ(together.size, questions[i].options.proof->size);
    }
    ++states[static_cast<std::size_t>(answers[i].state)];
  }
  EXPECT_GT(states[static_cast<std::size_t>(MotionState::kHit)], Effort(50));
  EXPECT_GT(states[static_cast<std::size_t>(MotionState::kFree)], Effort(15));
  EXPECT_GT(states[static_cast<std::size_t>(MotionState::kInitiallyOverlapping)], 0);
}

INSTANTIATE_TEST_SUITE_P(All, BatchOfFamily, ::testing::Range(0, kFamilyCount),
                         [](const auto& family) {
                           return Name(static_cast<Family>(family.param));
                         });

// On every instruction set that this processor has.
TEST(Batch, AnswersAlikeOnEveryVectorUnit) {
  Random random(RunSeed() + 100);
  Batch batch;
  for (int i = 0; i < Effort(500); ++i) {
    const Family family = i % 2 == 0 ? Family::kRandomHulls : Family::kBoxes;
    batch.Add(Generate(family, random), random);
  }
  const std::vector<IntersectionQuestion> signs = batch.Signs();
  std::vector<IntersectionAnswer> first_signs;
  std::vector<DistanceAnswer> first;
  int units = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    std::vector<DistanceAnswer> answers(batch.questions().size());
    Distances(batch.questions(), absl::MakeSpan(answers));
    if (first.empty()) first = answers;
    std::vector<IntersectionAnswer> sign_answers(signs.size());
    Intersections(signs, absl::MakeSpan(sign_answers));
    if (first_signs.empty()) first_signs = sign_answers;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_TRUE(SameBits(answers[i], first[i])) << hwy::TargetName(target);
      EXPECT_EQ(answers[i].iterations, first[i].iterations) << hwy::TargetName(target);
      EXPECT_TRUE(IsSame(sign_answers[i], first_signs[i])) << hwy::TargetName(target);
    }
    ++units;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(units, 1);
}

TEST(Batch, MeetsAlikeOnEveryVectorUnit) {
  Random random(RunSeed() + 101);
  SweepBatch batch;
  constexpr std::array kFamilies = {Family::kRandomHulls, Family::kBoxes, Family::kEllipsoids};
  for (int i = 0; i < Effort(500); ++i) {
    batch.Add(Generate(kFamilies[static_cast<std::size_t>(i % 3)], random), random);
  }
  const absl::Span<const TimeOfCollisionQuestion> questions = batch.questions();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    std::vector<TimeOfCollisionAnswer> answers(questions.size());
    TimesOfCollision(questions, absl::MakeSpan(answers));
    for (std::size_t i = 0; i < questions.size(); ++i) {
      EXPECT_TRUE(SameBits(answers[i], Alone(questions[i]))) << hwy::TargetName(target) << " " << i;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace clearance::testing

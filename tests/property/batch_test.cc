// SPDX-License-Identifier: Apache-2.0
//
// Pairs that are asked together have the answers that each has alone, to the last bit, whatever
// else is asked with them: Distance, one by one, is the oracle of Distances.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/query/body_query.h"
#include "core/query/distance.h"
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

INSTANTIATE_TEST_SUITE_P(All, BatchOfFamily, ::testing::Range(0, kFamilyCount),
                         [](const auto& family) {
                           return Name(static_cast<Family>(family.param));
                         });

// On every instruction set that this processor has.
TEST(Batch, AnswersAlikeOnEveryVectorUnit) {
  Random random(RunSeed() + 100);
  Batch batch;
  for (int i = 0; i < Effort(500); ++i) batch.Add(Generate(Family::kRandomHulls, random), random);
  std::vector<DistanceAnswer> first;
  int units = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    std::vector<DistanceAnswer> answers(batch.questions().size());
    Distances(batch.questions(), absl::MakeSpan(answers));
    if (first.empty()) first = answers;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_TRUE(SameBits(answers[i], first[i])) << hwy::TargetName(target);
      EXPECT_EQ(answers[i].iterations, first[i].iterations) << hwy::TargetName(target);
    }
    ++units;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(units, 1);
}

}  // namespace
}  // namespace clearance::testing

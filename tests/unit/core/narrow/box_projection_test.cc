// SPDX-License-Identifier: Apache-2.0
//
// Where boxes are guessed to be nearest: against the distance that a search proves, which knows
// nothing of boxes, and in closed forms of each kind of feature; and what no guess is made of.

#include "core/narrow/box_projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <variant>
#include <vector>

#include "core/narrow/closest_features.h"
#include "core/narrow/core_distance.h"
#include "hwy/targets.h"
#include "tests/support/random.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;
using End = FeatureGuess::End;

ConvexShapePtr BoxOf(const Vec3d& half) { return std::get<ConvexShapePtr>(MakeBox(half, 0)); }

struct Boxes {
  std::deque<TestPair> pairs;
  std::deque<MinkowskiDifference<double>> differences;
  std::vector<GuessTask> tasks;

  void Add(const Vec3d& half_a, const Vec3d& half_b, const Pose& X_WB) {
    const TestPair& test = pairs.emplace_back(BoxOf(half_a), BoxOf(half_b), X_WB);
    tasks.push_back({&differences.emplace_back(test.pair, test.coarse)});
  }
  void AddRandom(double least_offset, double greatest_offset, Random& random) {
    const auto half = [&random] {
      return Vec3d{random.Uniform(0.3, 1.2), random.Uniform(0.3, 1.2), random.Uniform(0.3, 1.2)};
    };
    const double offset = random.Uniform(least_offset, greatest_offset);
    Add(half(), half(), {offset * random.Direction(), random.Rotation()});
  }

  std::vector<FeatureGuess> Found() const {
    std::vector<FeatureGuess> found(tasks.size());
    ProjectBoxes(tasks, absl::MakeSpan(found));
    return found;
  }
  bool Finish(std::size_t i, const FeatureGuess& guess, CoreAnswer* answer) const {
    return guess.end == End::kNearest && FinishFromFeatures(differences[i], FeaturesOf(guess.pairs),
                                                            Limits(pairs[i].pair), answer);
  }
};

Boxes RandomBoxes(double least_offset, double greatest_offset, int count, std::uint64_t seed) {
  Random random(seed);
  Boxes boxes;
  for (int i = 0; i < count; ++i) boxes.AddRandom(least_offset, greatest_offset, random);
  return boxes;
}

// Of boxes that are apart, how many the guess answers.
int CountAnswered(const Boxes& boxes, int* apart) {
  int answered = 0;
  const std::vector<FeatureGuess> found = boxes.Found();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double distance = ReferenceDistance(boxes.pairs[i]);
    if (distance > 0) ++*apart;
    CoreAnswer answer;
    if (!boxes.Finish(i, found[i], &answer)) continue;
    ++answered;
    EXPECT_NEAR(ToDouble(answer.distance), distance, 1e-12);
  }
  std::printf("%d of %d that are apart, %zu in all\n", answered, *apart, found.size());
  return answered;
}

TEST(ProjectBoxes, AnswersNearlyAllThatAreFarApart) {
  const int count = Effort(1000);
  int apart = 0;
  const int answered = CountAnswered(RandomBoxes(4, 8, count, RunSeed()), &apart);
  EXPECT_EQ(apart, count);
  EXPECT_GE(100 * answered, 90 * count);
}

TEST(ProjectBoxes, AnswersMostThatAreNear) {
  int apart = 0;
  const int answered = CountAnswered(RandomBoxes(1.2, 3, Effort(2000), RunSeed() + 1), &apart);
  EXPECT_GE(apart, Effort(400));
  EXPECT_GE(100 * answered, 75 * apart);
}

// The shortest turn that takes one direction to another.
Quaternion FromTo(const Vec3d& from, const Vec3d& to) {
  const Vec3d v = Cross(from, to);
  const double w = 1 + Dot(from, to);
  const double norm = std::sqrt(NormSquared(v) + w * w);
  return {v.x / norm, v.y / norm, v.z / norm, w / norm};
}

TEST(ProjectBoxes, NamesCornersEdgesAndFaces) {
  const Vec3d cube = {1, 1, 1}, x = {1, 0, 0};
  const double root_3 = std::sqrt(3.0), root_2 = std::sqrt(2.0);
  const Vec3d diagonal = {1 / root_3, 1 / root_3, 1 / root_3};
  // An eighth of a turn about x, and then one back about z: an edge of B lies across A's along z.
  const double s = std::sin(M_PI / 8), c = std::cos(M_PI / 8);
  const Quaternion across = {c * s, -s * s, -c * s, c * c};
  Boxes boxes;
  boxes.Add(cube, cube, {{2 + root_3, 0.1, 0.2}, FromTo(diagonal, x)});
  boxes.Add(cube, cube, {(2 + root_3) * diagonal, FromTo(x, diagonal)});
  boxes.Add(cube, cube, {{5, 5, 5}, {}});
  boxes.Add(cube, cube, {{2.5 * root_2, 2.5 * root_2, 0.2}, across});
  struct Wanted {
    const char* features;
    int pairs;
    double distance;
  };
  const Wanted wanted[] = {{"a face and a corner", 3, 1},
                           {"a corner and a face", 3, 1},
                           {"two corners", 1, std::sqrt(27.0)},
                           {"two edges", 2, 5 - 2 * root_2}};
  const std::vector<FeatureGuess> found = boxes.Found();
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(wanted[i].features);
    ASSERT_EQ(found[i].end, End::kNearest);
    EXPECT_EQ(found[i].pairs.size, wanted[i].pairs);
    CoreAnswer answer;
    ASSERT_TRUE(boxes.Finish(i, found[i], &answer));
    const double unit = std::ldexp(1, boxes.pairs[i].pair.exponent);
    EXPECT_NEAR(unit * ToDouble(answer.distance), wanted[i].distance, 1e-12);
  }
}

TEST(ProjectBoxes, GuessesNothingIfOverlappingParallelOrBeyond) {
  Boxes boxes = RandomBoxes(0, 0.5, Effort(200), RunSeed() + 2);
  boxes.Add({1, 1, 1}, {1, 1, 1}, {{3, 0.5, 0.25}, {}});
  boxes.Add({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {{5, 6, 0}, {}});
  boxes.Add({1, 1, 1}, {1, 1, 1}, {{2, 0, 0}, {}});
  Random random(RunSeed() + 3);
  for (int i = 0; i < Effort(100); ++i) {
    boxes.AddRandom(6, 8, random);
    boxes.tasks.back().stop_above = 0.01;
  }
  for (const FeatureGuess& found : boxes.Found()) EXPECT_EQ(found.end, End::kLost);
}

TEST(ProjectBoxes, SameGuessInEveryLaneAndOnEveryVectorUnit) {
  const Boxes boxes = RandomBoxes(1, 5, Effort(300), RunSeed() + 4);
  const std::vector<FeatureGuess> all = boxes.Found();
  const auto expect_same = [&all](const FeatureGuess& found, std::size_t i) {
    ASSERT_EQ(found.end, all[i].end);
    if (found.end != End::kNearest) return;
    ASSERT_EQ(found.iterations, all[i].iterations);
    ASSERT_EQ(found.pairs.size, all[i].pairs.size);
    for (int k = 0; k < found.pairs.size; ++k) {
      ASSERT_EQ(found.pairs.a[k], all[i].pairs.a[k]);
      ASSERT_EQ(found.pairs.b[k], all[i].pairs.b[k]);
    }
  };
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    const std::vector<FeatureGuess> again = boxes.Found();
    for (std::size_t i = 0; i < all.size(); ++i) {
      expect_same(again[i], i);
      FeatureGuess alone;
      ProjectBoxes({&boxes.tasks[i], 1}, {&alone, 1});
      expect_same(alone, i);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace
}  // namespace clearance

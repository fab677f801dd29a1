// SPDX-License-Identifier: Apache-2.0
//
// How a guess ends, on pairs of which it is known: planted gaps and overlaps of boxes and of hulls
// with few and with many vertices. What the guess is worth is told by the answer that its features
// give, which proves itself, and by the reference search.

#include "core/narrow/gjk_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <deque>
#include <vector>

#include "core/narrow/core_distance.h"
#include "core/narrow/gjk.h"
#include "core/support/support.h"
#include "tests/support/random.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;
using End = FeatureGuess::End;

ConvexShapePtr RandomHull(int points, Random& random) {
  std::vector<Vec3d> cloud;
  for (int i = 0; i < points; ++i) cloud.push_back(random.Direction());
  return HullOf(cloud);
}

// Pairs of A - B along the line of the centres, so far apart that they have `gap` between them, or
// overlap by it.
struct Planted {
  std::deque<TestPair> pairs;
  std::deque<MinkowskiDifference<double>> differences;
  std::vector<GuessTask> tasks;

  void Add(const ConvexShapePtr& a, const ConvexShapePtr& b, double gap, Random& random) {
    const Quaternion q = random.Rotation();
    const Vec3d d = random.Direction();
    const auto reach = [](const ConvexShape& shape, const Vec3d& along) {
      const Vec3d top = shape.vertex(SupportVertex(shape, along, 0));
      return std::ldexp(Dot(along, top), shape.exponent()) + Dot(along, shape.center());
    };
    const Vec3d d_B = Transpose(RotationMatrix<double>(q)) * -d;
    const double touching = reach(*a, d) + reach(*b, d_B);
    Place(a, b, {(touching + gap) * d, q});
  }

  void Place(const ConvexShapePtr& a, const ConvexShapePtr& b, const Pose& X_WB) {
    const TestPair& test = pairs.emplace_back(a, b, X_WB);
    tasks.push_back({&differences.emplace_back(test.pair, test.coarse)});
  }

  std::vector<FeatureGuess> Found() const {
    std::vector<FeatureGuess> found(tasks.size());
    GjkBatch(tasks, absl::MakeSpan(found));
    return found;
  }
};

// As many as one block has, more, and more than are scanned.
constexpr int kPoints[] = {4, 12, 40, 200, 700};

Planted Apart(double least_gap, double greatest_gap, int count, Random& random) {
  Planted planted;
  for (int i = 0; i < count; ++i) {
    const ConvexShapePtr a = random.OneIn(3) ? Cube(random.Uniform(0.2, 1))
                                             : RandomHull(kPoints[random.Below(5)], random);
    planted.Add(a, RandomHull(kPoints[random.Below(5)], random),
                random.LogUniform(least_gap, greatest_gap), random);
  }
  return planted;
}

TEST(GjkBatch, FindsTheClosestFeatures) {
  Random random(RunSeed());
  const Planted planted = Apart(1e-3, 10, Effort(600), random);
  const std::vector<FeatureGuess> found = planted.Found();
  int finished = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].end, End::kNearest);
    CoreAnswer answer;
    if (!FinishFromFeatures(planted.differences[i], FeaturesOf(found[i].pairs),
                            Limits(planted.pairs[i].pair), &answer)) {
      continue;
    }
    ++finished;
    EXPECT_NEAR(ToDouble(answer.distance), ReferenceDistance(planted.pairs[i]), 1e-12);
  }
  EXPECT_GE(100 * finished, 93 * static_cast<int>(found.size()));
}

TEST(GjkBatch, FindsWhatHoldsTheOrigin) {
  Random random(RunSeed() + 1);
  Planted planted;
  for (int i = 0; i < Effort(300); ++i) {
    const ConvexShapePtr a = RandomHull(kPoints[1 + random.Below(4)], random);
    const ConvexShapePtr b = RandomHull(kPoints[1 + random.Below(4)], random);
    planted.Place(a, b, {0.2 * random.Direction(), random.Rotation()});
  }
  int enclosed = 0;
  const std::vector<FeatureGuess> found = planted.Found();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (ReferenceDistance(planted.pairs[i]) >= 0) continue;
    ++enclosed;
    EXPECT_EQ(found[i].end, End::kEncloses);
    EXPECT_EQ(found[i].pairs.size, 4);
  }
  EXPECT_GE(enclosed, Effort(250));
}

TEST(GjkBatch, StopsWhereThePairIsFartherThanAskedFor) {
  Random random(RunSeed() + 2);
  Planted planted = Apart(1, 5, Effort(200), random);
  for (GuessTask& task : planted.tasks) task.stop_above = 0.01;
  for (const FeatureGuess& found : planted.Found()) {
    EXPECT_EQ(found.end, End::kBeyond);
    EXPECT_GE(found.pairs.size, 1);
  }
}

TEST(GjkBatch, GivesUpWhereNothingIsToBeTold) {
  Planted planted;
  planted.Place(Cube(1), Cube(1), {{2, 0, 0}, {}});
  planted.Place(HullOf({{0, 0, 0}}), HullOf({{0, 0, 0}}), {{0, 0, 0}, {}});
  for (const FeatureGuess& found : planted.Found()) EXPECT_EQ(found.end, End::kLost);
}

// Whether a pair is alone or with how many others, and where a lane is left over.
TEST(GjkBatch, FindsTheSameInAnyCompany) {
  Random random(RunSeed() + 3);
  const Planted planted = Apart(1e-6, 10, 75, random);
  std::vector<FeatureGuess> alone(planted.tasks.size());
  for (std::size_t i = 0; i < alone.size(); ++i) GjkBatch({&planted.tasks[i], 1}, {&alone[i], 1});
  for (const std::size_t length : {2, 3, 7, 8, 9, 16, 33, 75}) {
    std::vector<FeatureGuess> found(alone.size());
    const absl::Span<const GuessTask> tasks = planted.tasks;
    for (std::size_t first = 0; first < tasks.size(); first += length) {
      GjkBatch(tasks.subspan(first, length), absl::MakeSpan(found).subspan(first, length));
    }
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(found[i].end, alone[i].end) << length << " " << i;
      EXPECT_EQ(found[i].iterations, alone[i].iterations) << length << " " << i;
      EXPECT_EQ(found[i].pairs.size, alone[i].pairs.size) << length << " " << i;
      EXPECT_EQ(found[i].pairs.a, alone[i].pairs.a) << length << " " << i;
      EXPECT_EQ(found[i].pairs.b, alone[i].pairs.b) << length << " " << i;
    }
  }
}

TEST(GjkBatch, HasNothingToDoWithoutTasks) { GjkBatch({}, {}); }

}  // namespace
}  // namespace clearance

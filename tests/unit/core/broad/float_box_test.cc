// SPDX-License-Identifier: Apache-2.0

#include "core/broad/float_box.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

FloatBox BoxOf(float low, float high) { return {{low, low, low}, {high, high, high}}; }

TEST(RoundUpToFloat, IsTheLeastFloatThatIsNotLess) {
  EXPECT_EQ(RoundUpToFloat(1.0), 1.0F);
  EXPECT_EQ(RoundUpToFloat(1 + 0x1p-40), 1.0F + 0x1p-23F);
  EXPECT_EQ(RoundUpToFloat(1 - 0x1p-40), 1.0F);
  EXPECT_EQ(RoundDownToFloat(1 + 0x1p-40), 1.0F);
  EXPECT_EQ(RoundDownToFloat(-1 - 0x1p-40), -(1.0F + 0x1p-23F));
  EXPECT_EQ(RoundUpToFloat(1e300), kInfinity);
  EXPECT_EQ(RoundUpToFloat(-1e300), -kLargest);
  EXPECT_EQ(RoundDownToFloat(1e300), kLargest);
  EXPECT_EQ(RoundDownToFloat(-1e300), -kInfinity);
  EXPECT_EQ(RoundUpToFloat(1e-300), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(RoundUpToFloat(-1e-300), 0.0F);
}

TEST(GapBound, IsJustBelowTheDistance) {
  const FloatBox a = BoxOf(0, 1);
  EXPECT_EQ(GapBound(a, BoxOf(1, 2)), 0.0F);
  EXPECT_EQ(GapBound(a, BoxOf(-1, 3)), 0.0F);
  const float diagonal = GapBound(a, BoxOf(2, 3));
  EXPECT_LT(diagonal, std::sqrt(3.0));
  EXPECT_GT(diagonal, std::sqrt(3.0) * (1 - 1e-5));
  EXPECT_EQ(GapBound(a, BoxOf(2, 3)), GapBound(BoxOf(2, 3), a));
}

TEST(GapBound, OfWhatIsTooSmallOrTooLargeStaysABound) {
  EXPECT_EQ(GapBound(BoxOf(0, 0), BoxOf(1e-19F, 1e-19F)), 0.0F);
  EXPECT_EQ(GapBound(BoxOf(-kInfinity, -kLargest), BoxOf(kLargest, kInfinity)),
            std::sqrt(3 * kLargestBoxGap * kLargestBoxGap) * kBoxGapGuard);
  EXPECT_EQ(GapBound(BoxOf(-kInfinity, kInfinity), BoxOf(-kInfinity, kInfinity)), 0.0F);
}

// Boxes of powers and of random numbers of every size, and what each is a part of.
FloatBox RandomBox(Random& random, double scale) {
  const Vec3d a = scale * random.InCube(1);
  const Vec3d size = scale * random.LogUniform(1e-3, 1) * random.InCube(1);
  return MakeFloatBox(
      {std::fmin(a.x, a.x + size.x), std::fmin(a.y, a.y + size.y), std::fmin(a.z, a.z + size.z)},
      {std::fmax(a.x, a.x + size.x), std::fmax(a.y, a.y + size.y), std::fmax(a.z, a.z + size.z)});
}

double TrueGap(const FloatBox& a, const FloatBox& b) {
  long double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const long double gap = std::fmax(static_cast<long double>(a.low[i]) - b.high[i],
                                      static_cast<long double>(b.low[i]) - a.high[i]);
    if (gap > 0) sum += gap * gap;
  }
  return static_cast<double>(std::sqrt(sum));
}

TEST(GapBound, IsAtMostTheDistanceAndMonotone) {
  Random random(RunSeed());
  int apart = 0;
  for (int i = Effort(100'000); i > 0; --i) {
    const double scale = random.LogUniform(1e-25, 1e35);
    const FloatBox a = RandomBox(random, scale);
    const FloatBox b = RandomBox(random, scale);
    const FloatBox c = RandomBox(random, scale);
    ASSERT_LE(GapBound(a, b), TrueGap(a, b));
    ASSERT_LE(GapBound(a, Union(b, c)), GapBound(a, b));
    apart += GapBound(a, b) > 0 ? 1 : 0;
  }
  EXPECT_GE(apart, Effort(100'000) / 2);
}

TEST(EntryTime, OfPlainWays) {
  const Vec3d low = {0, 0, 0};
  const Vec3d high = {1, 1, 1};
  const FloatBox ahead = {{3, 0, 0}, {4, 1, 1}};
  const float enter = EntryTime(MakeMovingBox(low, high, {4, 0, 0}), ahead);
  EXPECT_LE(enter, 0.5F);
  EXPECT_GT(enter, 0.4999F);
  EXPECT_EQ(EntryTime(MakeMovingBox(low, high, {1.5, 0, 0}), ahead), kNeverMet);
  EXPECT_EQ(EntryTime(MakeMovingBox(low, high, {-4, 0, 0}), ahead), kNeverMet);
  EXPECT_EQ(EntryTime(MakeMovingBox(low, high, {4, 9, 0}), ahead), kNeverMet);
  EXPECT_EQ(EntryTime(MakeMovingBox(low, high, {}), ahead), kNeverMet);
  EXPECT_EQ(EntryTime(MakeMovingBox(low, high, {}), BoxOf(1, 2)), 0.0F);
  // Beside it on one side and on the other.
  EXPECT_EQ(EntryTime(MakeMovingBox({0, 2, 0}, {1, 3, 1}, {4, 0, 0}), ahead), kNeverMet);
  EXPECT_EQ(EntryTime(MakeMovingBox({0, -3, 0}, {1, -2, 1}, {4, 0, 0}), ahead), kNeverMet);
}

TEST(EntryTime, OfWaysBeyondQuotientsIsThatOfWhatTheySweep) {
  const MovingFloatBox far = MakeMovingBox({0, 0, 0}, {1, 1, 1}, {1e30, 0, 1e-30});
  EXPECT_EQ(far.inverse[0], 0.0F);
  EXPECT_EQ(far.inverse[2], 0.0F);
  EXPECT_EQ(EntryTime(far, {{1e29F, 0, 0}, {2e29F, 1, 1}}), 0.0F);
  EXPECT_EQ(EntryTime(far, {{-2e20F, 0, 0}, {-1e20F, 1, 1}}), kNeverMet);
}

// True times by long double; nothing that is met is missed, and no part is met before the whole.
TEST(EntryTime, IsNeverLateAndMonotone) {
  Random random(RunSeed());
  int met = 0;
  for (int i = Effort(100'000); i > 0; --i) {
    const double scale = random.LogUniform(1e-15, 1e15);
    const FloatBox a = RandomBox(random, scale);
    const FloatBox b = RandomBox(random, scale);
    const FloatBox c = RandomBox(random, scale);
    // Half of them towards the other box.
    const Vec3d ahead = {b.low[0] - a.low[0], b.low[1] - a.low[1], b.low[2] - a.low[2]};
    const Vec3d way = random.OneIn(2)
                          ? random.Uniform(0.5, 2) * ahead + 1e-3 * scale * random.InCube(1)
                          : scale * random.LogUniform(1e-6, 3) * random.InCube(1);
    const MovingFloatBox moving =
        MakeMovingBox({a.low[0], a.low[1], a.low[2]}, {a.high[0], a.high[1], a.high[2]}, way);
    const float enter = EntryTime(moving, b);
    ASSERT_LE(EntryTime(moving, Union(b, c)), enter);
    long double first = 0;
    long double last = 1;
    for (int k = 0; k < 3; ++k) {
      const long double d = k == 0 ? way.x : k == 1 ? way.y : way.z;
      const long double one = (static_cast<long double>(b.low[k]) - a.high[k]) / d;
      const long double other = (static_cast<long double>(b.high[k]) - a.low[k]) / d;
      first = std::fmax(first, std::fmin(one, other));
      last = std::fmin(last, std::fmax(one, other));
    }
    if (first > last) continue;
    ++met;
    ASSERT_LE(enter, first);
  }
  EXPECT_GE(met, Effort(100'000) / 50);
}

}  // namespace
}  // namespace clearance

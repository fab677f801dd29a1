// SPDX-License-Identifier: Apache-2.0
//
// Rays cast side by side end as each does alone, to the last bit: SearchPortal, which
// portal_test.cc judges, is the oracle.

#include "core/narrow/portal_batch.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "hwy/targets.h"
#include "tests/support/random.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;
using End = PortalResult::End;

ConvexShapePtr Cloud(int points, Random& random, double size = 1) {
  std::vector<Vec3d> cloud;
  for (int i = 0; i < points; ++i) cloud.push_back(size * random.Direction());
  return HullOf(cloud);
}

// Boxes, hulls that are scanned in either precision or climbed, and single points.
ConvexShapePtr AnyShape(Random& random) {
  constexpr std::array kPoints = {1, 2, 4, 12, 60, 400, 700};
  const int kind = random.Below(2 * static_cast<int>(kPoints.size()));
  if (kind >= static_cast<int>(kPoints.size())) return Cube(random.Uniform(0.5, 1.5));
  return Cloud(kPoints[static_cast<std::size_t>(kind)], random);
}

// Pairs and rays that go towards B, past it, nowhere, and in directions that no float has.
class Rays {
 public:
  void Add(const ConvexShapePtr& a, const ConvexShapePtr& b, Random& random, double spread = 1) {
    TestPair& pair = pairs_.emplace_back(a, b, Pose{random.InCube(4), random.Rotation()});
    const Vec3d p_AB = pair.coarse.p_AB;
    Vec3d ray_A = random.Uniform(0.2, 2) * p_AB + 0.25 * spread * random.InCube(1);
    if (random.OneIn(8)) ray_A = random.InCube(1);
    if (random.OneIn(16)) ray_A = {};
    if (random.OneIn(16)) ray_A = 0x1p-200 * ray_A;
    rays_.push_back(ray_A);
  }

  std::size_t size() const { return rays_.size(); }

  PortalResult Alone(std::size_t i) const {
    MinkowskiDifference<double> difference(pairs_[i].pair, pairs_[i].coarse);
    return SearchPortal(difference, rays_[i]);
  }

  // In runs of all lengths around those that vectors have.
  std::vector<PortalResult> Cast() const {
    std::deque<MinkowskiDifference<double>> differences;
    std::vector<PortalTask> tasks;
    for (std::size_t i = 0; i < size(); ++i) {
      differences.emplace_back(pairs_[i].pair, pairs_[i].coarse);
      tasks.push_back({&differences.back(), rays_[i]});
    }
    std::vector<PortalResult> casts(size());
    for (std::size_t first = 0, length = 1; first < size(); first += length) {
      length = length % 37 + 1;
      const auto run = absl::MakeConstSpan(tasks).subspan(first, length);
      SearchPortals(run, absl::MakeSpan(casts).subspan(first, run.size()));
    }
    return casts;
  }

 private:
  std::deque<TestPair> pairs_;
  std::vector<Vec3d> rays_;
};

void ExpectSame(const PortalResult& cast, const PortalResult& alone) {
  ASSERT_EQ(cast.end, alone.end);
  if (alone.end == End::kMiss) {
    EXPECT_EQ(cast.n_A, alone.n_A);
  }
  if (alone.end != End::kFacet) return;
  EXPECT_EQ(cast.weight, alone.weight);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cast.vertex[i].w, alone.vertex[i].w);
    EXPECT_EQ(cast.vertex[i].p_A, alone.vertex[i].p_A);
    EXPECT_EQ(cast.vertex[i].a, alone.vertex[i].a);
    EXPECT_EQ(cast.vertex[i].b, alone.vertex[i].b);
    EXPECT_FALSE(cast.vertex[i].is_swept);
  }
}

TEST(PortalBatch, EndAsEachAloneOnEveryVectorUnit) {
  Random random(RunSeed());
  Rays rays;
  for (int i = 0; i < Effort(700); ++i) rays.Add(AnyShape(random), AnyShape(random), random);
  for (int i = 0; i < Effort(300); ++i) rays.Add(Cube(1), Cube(random.Uniform(0.5, 1)), random);
  // So small beside their way that no float holds the normals of their portals.
  constexpr double kTiny = 0x1p-40;
  for (int i = 0; i < Effort(100); ++i)
    rays.Add(Cloud(12, random, kTiny), Cloud(20, random, kTiny), random, kTiny);
  std::array<int, 3> ends = {};
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    const std::vector<PortalResult> casts = rays.Cast();
    for (std::size_t i = 0; i < rays.size(); ++i) {
      SCOPED_TRACE(i);
      const PortalResult alone = rays.Alone(i);
      ExpectSame(casts[i], alone);
      ++ends[static_cast<std::size_t>(alone.end)];
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  for (const int count : ends) EXPECT_GT(count, Effort(20));
}

TEST(PortalBatch, OfNothingAreNone) { SearchPortals({}, {}); }

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Eight boxes at once against one after the other, with vectors of every width that this processor
// has: the same bits.

#include "core/broad/box_node.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "hwy/targets.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

FloatBox AnyBox(Random& random) {
  const double scale = random.OneIn(4) ? random.LogUniform(1e-30, 1e38) : 1;
  const Vec3d low = scale * random.InCube(2);
  FloatBox box =
      MakeFloatBox(low, low + scale * Vec3d{random.Uniform(0, 4), 2, random.OneIn(4) ? 0.0 : 3.0});
  if (random.OneIn(20)) box.low[0] = -HUGE_VALF;
  if (random.OneIn(20)) box.high[1] = HUGE_VALF;
  return box;
}

Vec3d AnyWay(Random& random) {
  Vec3d way = random.LogUniform(0.1, 10) * random.InCube(1);
  if (random.OneIn(3)) way.x = 0;
  if (random.OneIn(3)) way.y = random.LogUniform(1e-30, 1e30);
  return way;
}

template <class Probe, class One>
int ExpectAllLanes(const Probe& probe, const BoxNode& node, float limit, const One& one) {
  BoxNode::Row bounds;
  const std::uint32_t near = NodeProbe<Probe>(probe).bounds_of(probe, node, limit, &bounds);
  int count = 0;
  for (std::uint32_t lane = 0; lane < kNodeLanes; ++lane) {
    if ((node.used >> lane & 1U) == 0) continue;
    const float expected = one(probe, node.BoxAt(lane));
    EXPECT_EQ(bounds[lane], expected);
    EXPECT_EQ((near >> lane & 1U) != 0, expected <= limit);
    count += expected <= limit ? 1 : 0;
  }
  EXPECT_EQ(near >> kNodeLanes, 0U);
  return count;
}

TEST(BoxNode, ProvesOfEightWhatIsProvedOfEach) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    Random random(RunSeed());
    int gaps = 0;
    int entries = 0;
    for (int i = Effort(3000); i > 0; --i) {
      BoxNode node;
      for (std::uint32_t lane = 0; lane < kNodeLanes; ++lane) {
        if (!random.OneIn(8)) node.Use(lane, AnyBox(random), lane | BoxNode::kIsLeaf);
      }
      const FloatBox box = AnyBox(random);
      const auto limit = static_cast<float>(random.Uniform(0, 2));
      gaps += ExpectAllLanes(box, node, limit, GapBound);
      const Vec3d low = random.InCube(2);
      const MovingFloatBox moving = MakeMovingBox(low, low + Vec3d{1, 0.25, 0}, AnyWay(random));
      entries += ExpectAllLanes(moving, node, static_cast<float>(random.Uniform(0, 1)), EntryTime);
    }
    EXPECT_GE(gaps, Effort(3000) / 4);
    EXPECT_GE(entries, Effort(3000) / 8);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(BoxNode, HoldsTheUnionOfTheLanesInUse) {
  BoxNode node;
  EXPECT_EQ(node.UnionOfAll(), kEmptyBox);
  node.Use(2, {{0, 0, 0}, {1, 1, 1}}, 5);
  node.Use(6, {{2, 0, 0}, {3, 1, 1}}, 6);
  EXPECT_EQ(node.UnionOfAll(), (FloatBox{{0, 0, 0}, {3, 1, 1}}));
  node.Clear(2);
  EXPECT_EQ(node.UnionOfAll(), (FloatBox{{2, 0, 0}, {3, 1, 1}}));
  EXPECT_EQ(node.used, 1U << 6);
}

}  // namespace
}  // namespace clearance

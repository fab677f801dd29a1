// SPDX-License-Identifier: Apache-2.0
//
// A distance is the same to the last bit wherever its search starts: from nothing, from the answer
// of a neighbouring pose, from random vertex pairs and from deliberately wrong ones. The cold
// search is the oracle of the warm one.
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/query/distance.h"
#include "gtest/gtest.h"
#include "tests/support/generators.h"
#include "tests/support/same_bits.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

// The features that are farthest from the right ones: those of B on A's other side.
Witness WrongStart(const PosedShape& a, const PosedShape& b, const DistanceAnswer& right) {
  Pose mirrored = b.pose;
  mirrored.p_WS = a.pose.p_WS - (mirrored.p_WS - a.pose.p_WS) - 2.0 * right.n_AB;
  if (!IsRepresentable(b.shape.bounding_radius(), mirrored)) return right.witness;
  return Distance(a, {b.shape, mirrored}, {}).witness;
}

Witness NeighbouringStart(const PosedShape& a, const PosedShape& b, Random& random) {
  Pose moved = b.pose;
  moved.p_WS = moved.p_WS + (1e-3 * b.shape.bounding_radius()) * random.Direction();
  return Distance(a, {b.shape, moved}, {}).witness;
}

class WarmStartOfFamily : public ::testing::TestWithParam<int> {};

TEST_P(WarmStartOfFamily, KeepsEveryBit) {
  Random random(RunSeed() + static_cast<std::uint64_t>(GetParam()));
  int started = 0;
  for (int i = 0; i < Effort(1000); ++i) {
    const BodyPair pair = Generate(static_cast<Family>(GetParam()), random);
    const ConvexShapePtr shape_a = MakeShape(pair.a);
    const ConvexShapePtr shape_b = MakeShape(pair.b);
    const PosedShape a = {*shape_a, pair.a.pose};
    const PosedShape b = {*shape_b, pair.b.pose};
    DistanceOptions options;
    if (random.OneIn(4)) options.max_distance = random.Uniform(0, shape_a->bounding_radius());
    const DistanceAnswer cold = Distance(a, b, options);
    const Witness starts[] = {RandomStart(*shape_a, *shape_b, random), WrongStart(a, b, cold),
                              NeighbouringStart(a, b, random)};
    for (const Witness& start : starts) {
      if (start.size == 0) continue;
      options.start = &start;
      ++started;
      EXPECT_TRUE(SameBits(Distance(a, b, options), cold)) << Describe(pair);
    }
  }
  EXPECT_GT(started, Effort(2000)) << "too few starts to say anything";
}

INSTANTIATE_TEST_SUITE_P(All, WarmStartOfFamily, ::testing::Range(0, kFamilyCount),
                         [](const auto& family) {
                           return Name(static_cast<Family>(family.param));
                         });

}  // namespace
}  // namespace clearance::testing

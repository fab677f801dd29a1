// SPDX-License-Identifier: Apache-2.0
//
// A distance is the same to the last bit wherever its search starts: from nothing, from the answer
// of a neighbouring pose, from random vertex pairs and from deliberately wrong ones. The cold
// search is the oracle of the warm one.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/query/distance.h"
#include "gtest/gtest.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

bool SameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool SameBits(const Vec3d& a, const Vec3d& b) {
  return SameBits(a.x, b.x) && SameBits(a.y, b.y) && SameBits(a.z, b.z);
}

bool SameBits(const Witness& a, const Witness& b) {
  bool same = a.size == b.size;
  for (int i = 0; same && i < a.size; ++i) {
    same = a.vertices_a[i] == b.vertices_a[i] && a.vertices_b[i] == b.vertices_b[i] &&
           SameBits(a.weights[i], b.weights[i]);
  }
  return same;
}

// Every canonical field; iterations are none.
bool SameBits(const DistanceAnswer& a, const DistanceAnswer& b) {
  return a.state == b.state && a.reason == b.reason && a.normal_is_unique == b.normal_is_unique &&
         SameBits(a.bracket.lower, b.bracket.lower) && SameBits(a.bracket.upper, b.bracket.upper) &&
         SameBits(a.distance, b.distance) && SameBits(a.tolerance, b.tolerance) &&
         SameBits(a.p_WA, b.p_WA) && SameBits(a.p_WB, b.p_WB) && SameBits(a.p_AoA, b.p_AoA) &&
         SameBits(a.p_AoB, b.p_AoB) && SameBits(a.n_AB, b.n_AB) && SameBits(a.witness, b.witness);
}

Witness RandomStart(const ConvexShape& a, const ConvexShape& b, Random& random) {
  Witness start;
  start.size = 1 + random.Below(4);
  for (int i = 0; i < start.size; ++i) {
    start.vertices_a[i] =
        static_cast<VertexIndex>(random.Below(static_cast<int>(a.vertex_count())));
    start.vertices_b[i] =
        static_cast<VertexIndex>(random.Below(static_cast<int>(b.vertex_count())));
  }
  return start;
}

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

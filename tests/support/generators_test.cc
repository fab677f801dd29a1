// SPDX-License-Identifier: Apache-2.0
//
// The generators judged by the exact oracle: each family is what its name says, in the shares that
// tests rely on.
#include "tests/support/generators.h"

#include <array>
#include <cstdio>

#include "gtest/gtest.h"
#include "tests/support/exact_distance.h"

namespace clearance::testing {
namespace {

// Pairs of a family that are separated, touching and penetrating.
using Tally = std::array<int, 3>;

Tally Count(Family family, int pairs) {
  Random random(RunSeed() + static_cast<std::uint64_t>(family));
  Tally tally = {};
  for (int i = 0; i < pairs; ++i) {
    ++tally[1 - ComputeExactDistance(MakeExactPair(Generate(family, random))).Sign()];
  }
  std::printf("%-20s separated %d touching %d penetrating %d\n", Name(family), tally[0], tally[1],
              tally[2]);
  return tally;
}

TEST(Generators, MakeEveryFamilyBothSeparatedAndNot) {
  for (int i = 0; i < kFamilyCount; ++i) {
    const Family family = static_cast<Family>(i);
    const int pairs = family == Family::kEllipsoids ? 30 : 150;
    const Tally tally = Count(family, pairs);
    EXPECT_GE(10 * tally[0], family == Family::kTwins ? 0 : pairs) << Name(family);
    EXPECT_GE(20 * (tally[1] + tally[2]), pairs) << Name(family);
  }
}

TEST(Generators, MakeManyExactContacts) {
  EXPECT_GE(Count(Family::kLatticeTouching, 200)[1], 40);
  EXPECT_GE(Count(Family::kFlatPolygons, 200)[1], 10);
  EXPECT_GE(Count(Family::kRounded, 200)[1], 4);
}

TEST(Generators, RepeatThemselvesFromTheSameSeed) {
  for (int i = 0; i < kFamilyCount; ++i) {
    Random first(7);
    Random second(7);
    EXPECT_EQ(Describe(Generate(static_cast<Family>(i), first)),
              Describe(Generate(static_cast<Family>(i), second)));
  }
}

}  // namespace
}  // namespace clearance::testing

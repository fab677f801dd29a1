// SPDX-License-Identifier: Apache-2.0
//
// Intersection against the exact oracle, and against Distance: one classifier for both.
#include "core/query/intersection.h"

#include <array>

#include "core/query/distance.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/generators.h"

namespace clearance::testing {
namespace {

TEST(Intersection, AgreesWithTheExactOracleAndWithDistance) {
  Random random(RunSeed());
  std::array<int, 6> states = {};
  const int pairs = Effort(4000);
  for (int i = 0; i < pairs; ++i) {
    const Family family = static_cast<Family>(i % kFamilyCount);
    if (family == Family::kEllipsoids && i % 5 != 0) continue;
    const CheckedPair pair(Generate(family, random));
    const IntersectionAnswer answer = Intersection(pair.PosedA(), pair.PosedB());
    const DistanceAnswer distance = Distance(pair.PosedA(), pair.PosedB(), {});
    ++states[static_cast<std::size_t>(answer.state)];
    ASSERT_EQ(FindFault(pair, answer), "") << Name(family) << "\n" << Describe(pair.bodies);
    ASSERT_EQ(answer.state, distance.state) << Name(family) << "\n" << Describe(pair.bodies);
  }
  EXPECT_EQ(states[5], 0) << "undecided";
  EXPECT_GT(3 * states[1], pairs) << "too few separated";
  EXPECT_GT(25 * states[2], pairs) << "too few touching";
  EXPECT_GT(10 * states[3], pairs) << "too few penetrating";
}

}  // namespace
}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0

#include "core/math/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace clearance {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Rounding, NeighboursAreThoseOfTheStandardLibrary) {
  for (const double x :
       {0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, -1e308, 2.2250738585072014e-308, 0.1}) {
    EXPECT_EQ(NextUp(x), std::nextafter(x, kInf)) << x;
    EXPECT_EQ(NextDown(x), std::nextafter(x, -kInf)) << x;
  }
  EXPECT_EQ(NextUp(kInf), kInf);
  EXPECT_EQ(NextDown(kInf), std::numeric_limits<double>::max());
}

TEST(Rounding, ADoubleDoubleIsRoundedAwayFromItsLowPart) {
  EXPECT_EQ(RoundDown({1, 0x1p-60}), 1);
  EXPECT_GT(RoundUp({1, 0x1p-60}), 1);
  EXPECT_LT(RoundDown({1, -0x1p-60}), 1);
  EXPECT_EQ(RoundUp({1, -0x1p-60}), 1);
}

TEST(Rounding, ScalingIntoSubnormalsRoundsOutwards) {
  const double x = 1 + 0x1p-52;
  EXPECT_LE(std::ldexp(ScaleDown(x, -1070), 1070), x);
  EXPECT_GE(std::ldexp(ScaleUp(x, -1070), 1070), x);
  EXPECT_LT(ScaleDown(x, -1070), ScaleUp(x, -1070));
  EXPECT_EQ(ScaleDown(x, 10), ScaleUp(x, 10));
  EXPECT_EQ(ScaleDown(x, 1024), std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace clearance

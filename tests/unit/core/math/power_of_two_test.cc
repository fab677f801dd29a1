// SPDX-License-Identifier: Apache-2.0
//
// Against the C library, whose results are exact.

#include "core/math/power_of_two.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/random.h"

namespace clearance {
namespace {

using Limits = std::numeric_limits<double>;

TEST(TimesPowerOfTwo, IsWhatTheCLibrarySays) {
  testing::Random random(testing::RunSeed());
  int subnormal = 0;
  for (int i = 0; i < testing::Effort(20000); ++i) {
    const double x = std::ldexp(random.Uniform(-2, 2), random.Below(2100) - 1080);
    const int exponent = random.Below(4400) - 2200;
    const double scaled = TimesPowerOfTwo(x, exponent);
    EXPECT_EQ(scaled, std::ldexp(x, exponent)) << x << " " << exponent;
    subnormal += scaled != 0 && std::fabs(scaled) < Limits::min() ? 1 : 0;
  }
  EXPECT_GE(subnormal, testing::Effort(20000) / 200);
}

TEST(TimesPowerOfTwo, AtTheEndsOfTheRange) {
  for (const int exponent :
       {-2200, -1075, -1074, -1073, -1023, -1022, -1021, 0, 1022, 1023, 1024}) {
    for (const double x : {1.0, -1.5, Limits::denorm_min(), Limits::min(), Limits::max(), 0.0}) {
      EXPECT_EQ(TimesPowerOfTwo(x, exponent), std::ldexp(x, exponent)) << x << " " << exponent;
    }
  }
  EXPECT_TRUE(std::isnan(TimesPowerOfTwo(Limits::quiet_NaN(), 3)));
}

TEST(AnyPowerOfTwo, IsWhatTheCLibrarySays) {
  for (int exponent = -1100; exponent <= 1100; ++exponent) {
    EXPECT_EQ(AnyPowerOfTwo(exponent), std::ldexp(1.0, exponent)) << exponent;
  }
}

TEST(ExponentOf, IsWhatTheCLibrarySays) {
  for (const double x : {1.0, -1.0, 0.999, 1e-300, Limits::denorm_min(), -3 * Limits::denorm_min(),
                         Limits::min(), Limits::max(), 0x1p-1030}) {
    int exponent = 0;
    std::frexp(x, &exponent);
    EXPECT_EQ(ExponentOf(x), exponent) << x;
  }
}

}  // namespace
}  // namespace clearance

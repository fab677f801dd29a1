// SPDX-License-Identifier: Apache-2.0
//
// Our sine and cosine against the C library's in 64-bit mantissas, which are exact here to 2^-60.

#include "core/math/sincos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace clearance {
namespace {

constexpr unsigned kSeed = 31337;
constexpr long double kU = 0x1p-53L;

TEST(SinCos, IsWithinTwoUnitsOverTheWholeRange) {
  std::mt19937 engine(kSeed);
  std::uniform_real_distribution<double> angle(-1000, 1000);
  long double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = i < 1000 ? i * 1e-6 : angle(engine);
    const SinCos at = ComputeSinCos(x);
    worst = std::fmax(worst, std::fabs(at.sin - std::sin(static_cast<long double>(x))));
    worst = std::fmax(worst, std::fabs(at.cos - std::cos(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 2 * kU) << "seed " << kSeed;
}

TEST(SinCos, OfZeroIsExact) {
  EXPECT_EQ(ComputeSinCos(0).sin, 0);
  EXPECT_EQ(ComputeSinCos(0).cos, 1);
}

TEST(AngleOf, IsTheArcTangent) {
  std::mt19937 engine(kSeed);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  long double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    const double sin = std::fabs(coordinate(engine)) * (i % 3 == 0 ? 1e-9 : 1);
    const double cos = coordinate(engine);
    const long double want =
        std::atan2(static_cast<long double>(sin), static_cast<long double>(cos));
    worst = std::fmax(worst, std::fabs(AngleOf(sin, cos) - want));
  }
  EXPECT_LE(worst, 8 * kU) << "seed " << kSeed;
  EXPECT_EQ(AngleOf(0, 1), 0);
}

// Nor does rounding take it below 0.
TEST(AngleOf, OfSmallSinesIsTheSine) {
  std::mt19937 engine(kSeed);
  std::uniform_real_distribution<double> exponent(-1074, -30);
  for (int i = 0; i < 10000; ++i) {
    const double sin = std::exp2(exponent(engine));
    ASSERT_EQ(AngleOf(sin, 1), sin) << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace clearance

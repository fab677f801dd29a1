// SPDX-License-Identifier: Apache-2.0
//
// The oracle is GMP's rational type, which takes every double exactly.

#include "core/exact/integers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/random.h"

namespace clearance {
namespace {

constexpr double kMinDouble = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

mpq_class TimesPowerOfTwo(mpq_class value, int exponent) {
  if (exponent >= 0) {
    value <<= static_cast<mp_bitcnt_t>(exponent);
  } else {
    value >>= static_cast<mp_bitcnt_t>(-exponent);
  }
  return value;
}

TEST(LowestBit, IsThatOfTheExactValue) {
  EXPECT_EQ(LowestBit(1.0), 0);
  EXPECT_EQ(LowestBit(-6.0), 1);
  EXPECT_EQ(LowestBit(0.75), -2);
  EXPECT_EQ(LowestBit(kMinDouble), -1074);
  EXPECT_EQ(LowestBit(kLargest), 1023 - 52);
  EXPECT_EQ(LowestBit(0.0), kNoBit);
  EXPECT_EQ(LowestBit(-0.0), kNoBit);
  EXPECT_EQ(LowestBit(Vec3d{4, 0, 0.5}), -1);
}

TEST(ToInteger, HoldsEveryDoubleExactly) {
  testing::Random random(testing::RunSeed());
  for (int i = 0; i < 2000; ++i) {
    const double x = random.Sign() * random.LogUniform(1e-307, 1e307);
    const int lower_by = random.Below(100);
    const int exponent = LowestBit(x) - lower_by;
    ASSERT_EQ(TimesPowerOfTwo(mpq_class(ToInteger(x, exponent)), exponent), mpq_class(x));
  }
  EXPECT_EQ(ToInteger(0.0, 5), 0);
  EXPECT_EQ(ToInteger(-kMinDouble, -1074), -1);
}

TEST(Quotient, IsRoundedOutwardsByLessThanTwoUnits) {
  testing::Random random(testing::RunSeed());
  int subnormal = 0;
  for (int i = 0; i < 4000; ++i) {
    const Integer numerator = ToInteger(random.LogUniform(1, 1e60), -60);
    const Integer denominator = ToInteger(random.LogUniform(1, 1e60), -60);
    const int exponent = random.Below(2300) - 1300;
    const mpq_class truth =
        TimesPowerOfTwo(mpq_class(numerator) / mpq_class(denominator), exponent);
    if (truth > mpq_class(kLargest) / 2) continue;
    const double down = QuotientDown(numerator, denominator, exponent);
    const double up = QuotientUp(numerator, denominator, exponent);
    ASSERT_LE(mpq_class(down), truth);
    ASSERT_GE(mpq_class(up), truth);
    ASSERT_LE(up, std::nextafter(std::nextafter(down, kLargest), kLargest)) << down;
    subnormal += down < std::numeric_limits<double>::min() ? 1 : 0;
  }
  EXPECT_GT(subnormal, 100);
}

TEST(Quotient, IsExactWhereItCanBe) {
  EXPECT_EQ(QuotientDown(Integer(21), Integer(7), 0), 3);
  EXPECT_EQ(QuotientUp(Integer(21), Integer(7), -1), 1.5);
  EXPECT_EQ(QuotientUp(Integer(0), Integer(7), 0), 0);
  EXPECT_EQ(QuotientDown(Integer(1), Integer(3), -1074), 0);
  EXPECT_EQ(QuotientUp(Integer(1), Integer(3), -1074), kMinDouble);
}

}  // namespace
}  // namespace clearance

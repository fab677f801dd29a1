// SPDX-License-Identifier: Apache-2.0
//
// Double-double arithmetic against exact rationals (GMP), which hold every double and every result
// without rounding.

#include "core/math/double_double.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace clearance {
namespace {

constexpr unsigned kSeed = 20240917;
constexpr int kPairs = 20000;

mpq_class Exact(double x) { return mpq_class(x); }
mpq_class Exact(const DoubleDouble& x) { return mpq_class(x.hi) + mpq_class(x.lo); }

// |got - want| <= bound * 2^-106 * |want|
bool IsWithin(const DoubleDouble& got, const mpq_class& want, int bound) {
  const mpq_class unit = abs(want) / (mpq_class(1) << 106);
  return abs(Exact(got) - want) <= bound * unit;
}

class Operands {
 public:
  DoubleDouble Next() {
    const double hi = std::ldexp(mantissa_(engine_), exponent_(engine_));
    return FastTwoSum(hi, hi * 0x1p-53 * mantissa_(engine_));
  }

 private:
  std::mt19937 engine_{kSeed};
  std::uniform_real_distribution<double> mantissa_{-1, 1};
  std::uniform_int_distribution<int> exponent_{-60, 60};
};

TEST(DoubleDouble, SumsAndProductsOfTwoDoublesAreExact) {
  Operands operands;
  for (int i = 0; i < kPairs; ++i) {
    const double a = operands.Next().hi;
    const double b = operands.Next().hi;
    ASSERT_EQ(Exact(TwoSum(a, b)), Exact(a) + Exact(b)) << a << ' ' << b << " seed " << kSeed;
    ASSERT_EQ(Exact(TwoProduct(a, b)), Exact(a) * Exact(b)) << a << ' ' << b << " seed " << kSeed;
  }
}

TEST(DoubleDouble, KeepsTheErrorBoundsOfItsHeader) {
  Operands operands;
  for (int i = 0; i < kPairs; ++i) {
    const DoubleDouble a = operands.Next();
    const DoubleDouble b = operands.Next();
    ASSERT_TRUE(IsWithin(a + b, Exact(a) + Exact(b), 3)) << "seed " << kSeed << " pair " << i;
    ASSERT_TRUE(IsWithin(a * b, Exact(a) * Exact(b), 5)) << "seed " << kSeed << " pair " << i;
    ASSERT_TRUE(IsWithin(a / b, Exact(a) / Exact(b), 10)) << "seed " << kSeed << " pair " << i;
  }
}

TEST(DoubleDouble, SubtractionOfNeighboursLosesNothing) {
  const DoubleDouble a(1, 0x1p-70);
  const DoubleDouble b(1, 0x1p-71);
  EXPECT_EQ(a - b, DoubleDouble(0x1p-71));
}

TEST(DoubleDouble, SquareRootSquaredIsTheNumber) {
  Operands operands;
  for (int i = 0; i < kPairs; ++i) {
    const DoubleDouble a = operands.Next();
    if (a.hi <= 0) continue;
    const DoubleDouble root = Sqrt(a);
    ASSERT_TRUE(IsWithin(a, Exact(root) * Exact(root), 9)) << "seed " << kSeed << " pair " << i;
  }
  EXPECT_EQ(Sqrt(DoubleDouble(0.0)), DoubleDouble(0.0));
}

// Signs of zeros too.
TEST(DoubleDouble, SumOfTwoDoublesHasTheBitsOfTheGeneralSum) {
  const auto has_same_bits = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  Operands operands;
  std::vector<double> values = {0.0, -0.0, 1.0, -1.0, 1 + 0x1p-52, 0x1p-53, -0x1p-53, 0x1p-1074};
  for (int i = 0; i < 200; ++i) values.push_back(operands.Next().hi);
  for (const double a : values) {
    for (const double b : values) {
      const DoubleDouble sum = SumOf(a, b);
      // As a difference, whose operand's lower part is a negative zero.
      const DoubleDouble want = DoubleDouble(a) - DoubleDouble(-b) + DoubleDouble();
      EXPECT_TRUE(has_same_bits(sum.lo, want.lo)) << a << " " << b;
      EXPECT_TRUE(has_same_bits(sum.hi, want.hi)) << a << " " << b;
    }
  }
}

TEST(DoubleDouble, IsScaledByPowersOfTwoOfAnySize) {
  const Vec3<DoubleDouble> v = {{1.5, 0x1p-55}, {-1, 0x1p-60}, {0.75, -0x1p-56}};
  for (const int exponent : {-1100, -1023, -1022, -1, 0, 7, 1022, 1023}) {
    const Vec3<DoubleDouble> scaled = Scaled(v, exponent);
    const auto want = [exponent](const DoubleDouble& x) {
      return DoubleDouble(std::ldexp(x.hi, exponent), std::ldexp(x.lo, exponent));
    };
    EXPECT_EQ(scaled.x, want(v.x)) << exponent;
    EXPECT_EQ(scaled.y, want(v.y)) << exponent;
    EXPECT_EQ(scaled.z, want(v.z)) << exponent;
    const Vec3d coarse = Scaled(Vec3d{1.5, -1, 0.75}, exponent);
    EXPECT_EQ(coarse, ToDouble(scaled)) << exponent;
  }
}

TEST(DoubleDouble, OrdersByBothParts) {
  EXPECT_LT(DoubleDouble(1, -0x1p-60), DoubleDouble(1.0));
  EXPECT_GT(DoubleDouble(1, 0x1p-60), DoubleDouble(1.0));
  EXPECT_LE(DoubleDouble(1.0), DoubleDouble(1.0));
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Double-double arithmetic against exact rationals (GMP), which hold every double and every result
// without rounding.

#include "core/math/double_double.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

TEST(DoubleDouble, OrdersByBothParts) {
  EXPECT_LT(DoubleDouble(1, -0x1p-60), DoubleDouble(1.0));
  EXPECT_GT(DoubleDouble(1, 0x1p-60), DoubleDouble(1.0));
  EXPECT_LE(DoubleDouble(1.0), DoubleDouble(1.0));
}

}  // namespace
}  // namespace clearance

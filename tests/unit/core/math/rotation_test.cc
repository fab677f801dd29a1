// SPDX-License-Identifier: Apache-2.0
//
// Rotations against exact rationals (GMP) and against the exponential's own identities in long
// double.

#include "core/math/rotation.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

constexpr unsigned kSeed = 4711;

Quaternion RandomQuaternion(std::mt19937& engine) {
  std::normal_distribution<double> normal;
  const Quaternion q{normal(engine), normal(engine), normal(engine), normal(engine)};
  const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / norm, q.y / norm, q.z / norm, q.w / norm};
}

std::array<mpq_class, 9> ExactMatrix(const Quaternion& q) {
  const mpq_class x(q.x), y(q.y), z(q.z), w(q.w);
  const mpq_class n = x * x + y * y + z * z + w * w;
  std::array<mpq_class, 9> m = {
      w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
      2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
      2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
  for (mpq_class& entry : m) entry /= n;
  return m;
}

std::array<Vec3<DoubleDouble>, 3> Rows(const Mat3<DoubleDouble>& m) {
  return {m.row_x, m.row_y, m.row_z};
}
std::array<Vec3d, 3> Rows(const Mat3<double>& m) { return {m.row_x, m.row_y, m.row_z}; }
mpq_class Exact(double x) { return mpq_class(x); }
mpq_class Exact(const DoubleDouble& x) { return mpq_class(x.hi) + mpq_class(x.lo); }

template <class T>
double WorstEntryError(const Mat3<T>& got, const std::array<mpq_class, 9>& want) {
  mpq_class worst = 0;
  for (int i = 0; i < 3; ++i) {
    const Vec3<T> row = Rows(got)[i];
    worst = std::max({worst, mpq_class(abs(Exact(row.x) - want[3 * i])),
                      mpq_class(abs(Exact(row.y) - want[3 * i + 1])),
                      mpq_class(abs(Exact(row.z) - want[3 * i + 2]))});
  }
  return worst.get_d();
}

TEST(RotationMatrix, IsWithinItsBoundOfTheRationalMatrix) {
  std::mt19937 engine(kSeed);
  for (int i = 0; i < 5000; ++i) {
    const Quaternion q = RandomQuaternion(engine);
    const auto want = ExactMatrix(q);
    ASSERT_LE(WorstEntryError(RotationMatrix<double>(q), want), 9 * kRoundoff) << "seed " << kSeed;
    ASSERT_LE(WorstEntryError(RotationMatrix<DoubleDouble>(q), want), 64 * kRoundoff * kRoundoff)
        << "seed " << kSeed;
  }
}

TEST(RotationMatrix, OfAQuaternionThatIsNotQuiteUnitIsStillARotation) {
  const Quaternion q{0, 0, 0.7075, 0.7075};
  const Vec3d turned = RotationMatrix<double>(q) * Vec3d{1, 0, 0};
  EXPECT_NEAR(turned.x, 0, 4 * kRoundoff);
  EXPECT_NEAR(turned.y, 1, 4 * kRoundoff);
}

// Without the road of what was never turned.
Mat3<double> ByFormula(const Quaternion& q) {
  const double x = q.x, y = q.y, z = q.z, w = q.w;
  const double scale = 1 / (x * x + y * y + z * z + w * w);
  const double twice = scale + scale;
  return {
      {(w * w + x * x - y * y - z * z) * scale, (x * y - w * z) * twice, (x * z + w * y) * twice},
      {(x * y + w * z) * twice, (w * w - x * x + y * y - z * z) * scale, (y * z - w * x) * twice},
      {(x * z - w * y) * twice, (y * z + w * x) * twice, (w * w - x * x - y * y + z * z) * scale}};
}

TEST(RotationMatrix, OfIdentitiesIsThatOfTheFormulaToTheLastBit) {
  const auto bits = [](const Mat3<double>& m) {
    std::array<std::uint64_t, 9> all{};
    std::size_t i = 0;
    for (const Vec3d& row : Rows(m)) {
      for (const double x : {row.x, row.y, row.z}) all[i++] = std::bit_cast<std::uint64_t>(x);
    }
    return all;
  };
  int plain = 0;
  for (const double w : {1.0, -1.0, 1 - kRoundoff, 1 + 0x1p-11, -1 + 0x1p-11}) {
    for (const double x : {0.0, -0.0}) {
      for (const double y : {0.0, -0.0}) {
        for (const double z : {0.0, -0.0}) {
          const Quaternion q = {x, y, z, w};
          EXPECT_EQ(bits(RotationMatrix<double>(q)), bits(ByFormula(q)))
              << x << " " << y << " " << z << " " << w;
          plain += IsPlainIdentity(q) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_EQ(plain, 2);
}

// A rotation vector of angle a turns a vector orthogonal to it by a: checked with long double sine
// and cosine.
TEST(RotationVectorMatrix, TurnsByItsLengthWithinTheBoundOfItsHeader) {
  std::mt19937 engine(kSeed);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 5000; ++i) {
    const double angle = i % 2 == 0 ? kMaxRotation * std::fabs(normal(engine)) / 4
                                    : std::pow(10.0, normal(engine) - 3);
    const Vec3d axis = {normal(engine), normal(engine), normal(engine)};
    const double scale = std::min(angle, kMaxRotation) / std::sqrt(NormSquared(axis));
    const Vec3d rotation = scale * axis;
    const long double turn = std::sqrt(static_cast<long double>(rotation.x) * rotation.x +
                                       static_cast<long double>(rotation.y) * rotation.y +
                                       static_cast<long double>(rotation.z) * rotation.z);
    const Mat3<double> m = RotationVectorMatrix(rotation);
    const double bound =
        (kRotationVectorError + kRotationAngleError * static_cast<double>(turn)) * kRoundoff;
    const double trace = m.row_x.x + m.row_y.y + m.row_z.z;
    ASSERT_NEAR(trace, static_cast<double>(1 + 2 * std::cos(turn)), 3 * bound) << "seed " << kSeed;
    const Vec3d kept = m * rotation - rotation;
    ASSERT_LE(std::sqrt(NormSquared(kept)), bound * static_cast<double>(turn)) << "seed " << kSeed;
  }
}

TEST(RotationVectorMatrix, OfZeroIsTheIdentity) {
  EXPECT_EQ(RotationVectorMatrix({0, 0, 0}).row_x, (Vec3d{1, 0, 0}));
  EXPECT_EQ(RotationVectorMatrix({0, 0, 0}).row_z, (Vec3d{0, 0, 1}));
}

TEST(ShortestRotation, LeadsFromOneOrientationToTheOther) {
  std::mt19937 engine(kSeed);
  for (int i = 0; i < 5000; ++i) {
    const Quaternion from = RandomQuaternion(engine);
    const Quaternion to = RandomQuaternion(engine);
    const Vec3d rotation = ShortestRotation(from, to);
    ASSERT_LE(std::sqrt(NormSquared(rotation)), kPi * (1 + 4 * kRoundoff));
    const Mat3<double> led = RotationVectorMatrix(rotation) * RotationMatrix<double>(from);
    ASSERT_LE(WorstEntryError(led, ExactMatrix(to)), 200 * kRoundoff) << "seed " << kSeed;
  }
}

TEST(ShortestRotation, BetweenEqualOrientationsIsNone) {
  std::mt19937 engine(kSeed);
  for (int i = 0; i < 100; ++i) {
    const Quaternion q = RandomQuaternion(engine);
    EXPECT_EQ(ShortestRotation(q, q), Vec3d{}) << "seed " << kSeed;
    EXPECT_EQ(ShortestRotation(q, {-q.x, -q.y, -q.z, -q.w}), Vec3d{}) << "seed " << kSeed;
  }
}

TEST(FindPoseFault, NamesWhatIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(FindPoseFault({}), PoseFault::kNone);
  EXPECT_EQ(FindPoseFault({{1e300, -1e300, 0}, {0, 0, 0, 1.0009}}), PoseFault::kNone);
  EXPECT_EQ(FindPoseFault({{nan, 0, 0}, {}}), PoseFault::kNotFinite);
  EXPECT_EQ(FindPoseFault({{0, -inf, 0}, {}}), PoseFault::kNotFinite);
  EXPECT_EQ(FindPoseFault({{}, {0, 0, nan, 1}}), PoseFault::kNotFinite);
  EXPECT_EQ(FindPoseFault({{}, {0, 0, 0, 0}}), PoseFault::kNotUnitLength);
  EXPECT_EQ(FindPoseFault({{}, {0, 0, 0, 1.0011}}), PoseFault::kNotUnitLength);
  EXPECT_EQ(FindPoseFault({{}, {0, 0, 0, 0.9989}}), PoseFault::kNotUnitLength);
  EXPECT_EQ(FindPoseFault({{}, {1e200, 1e200, 0, 0}}), PoseFault::kNotUnitLength);
}

}  // namespace
}  // namespace clearance

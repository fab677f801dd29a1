// SPDX-License-Identifier: Apache-2.0
//
// Changes that must not affect an answer: swapping the bodies, the order of vertices, inner points,
// an exact rigid motion (within the brackets), and a change of unit by a power of two (to the last
// bit).
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/query/distance.h"
#include "gtest/gtest.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

DistanceAnswer Ask(const BodyPair& pair) {
  const ConvexShapePtr a = MakeShape(pair.a);
  const ConvexShapePtr b = MakeShape(pair.b);
  return Distance({*a, pair.a.pose}, {*b, pair.b.pose}, {});
}

// The same pair has one distance, which lies in both brackets; a proved sign is never contradicted.
void ExpectSameTruth(const DistanceAnswer& first, const DistanceAnswer& second,
                     const BodyPair& pair) {
  EXPECT_LE(first.bracket.lower, second.bracket.upper) << Describe(pair);
  EXPECT_LE(second.bracket.lower, first.bracket.upper) << Describe(pair);
}

BodyPair Any(Random& random) {
  Family family = Family::kEllipsoids;
  while (family == Family::kEllipsoids) family = static_cast<Family>(random.Below(kFamilyCount));
  return Generate(family, random);
}

TEST(Invariance, SwappingTheBodiesKeepsTheDistance) {
  Random random(RunSeed());
  for (int i = 0; i < Effort(2000); ++i) {
    const BodyPair pair = Any(random);
    const DistanceAnswer answer = Ask(pair);
    const DistanceAnswer swapped = Ask({pair.b, pair.a});
    ExpectSameTruth(answer, swapped, pair);
    if (answer.state != State::kSeparated || swapped.state != State::kSeparated) continue;
    const double gap = answer.distance;
    const double reach =
        MakeShape(pair.a)->bounding_radius() + MakeShape(pair.b)->bounding_radius();
    if (gap < 1e-3 * reach) continue;  // there the direction is less well known than the distance
    EXPECT_LT(std::sqrt(NormSquared(answer.n_AB + swapped.n_AB)), 1e-7) << Describe(pair);
  }
}

TEST(Invariance, TheOrderOfVerticesKeepsTheDistance) {
  Random random(RunSeed() + 1);
  for (int i = 0; i < Effort(2000); ++i) {
    const BodyPair pair = Any(random);
    BodyPair shuffled = pair;
    for (Body* body : {&shuffled.a, &shuffled.b}) {
      if (body->kind == BodyKind::kBox) body->kind = BodyKind::kHull;
      for (std::size_t k = body->points.size() - 1; k > 0; --k) {
        std::swap(body->points[k], body->points[random.Below(static_cast<int>(k) + 1)]);
      }
    }
    ExpectSameTruth(Ask(pair), Ask(shuffled), pair);
  }
}

TEST(Invariance, InnerPointsKeepTheDistance) {
  Random random(RunSeed() + 2);
  for (int i = 0; i < Effort(2000); ++i) {
    BodyPair pair = Any(random);
    for (Body* body : {&pair.a, &pair.b}) {
      body->kind = BodyKind::kHull;
      // On a grid of 2^-20 every midpoint is exact, so it lies in the hull.
      for (Vec3d& p : body->points) {
        p = 0x1p-20 *
            Vec3d{std::round(p.x * 0x1p20), std::round(p.y * 0x1p20), std::round(p.z * 0x1p20)};
      }
    }
    BodyPair filled = pair;
    for (Body* body : {&filled.a, &filled.b}) {
      const int count = static_cast<int>(body->points.size());
      for (int k = 0; k < 5; ++k) {
        body->points.push_back(
            0.5 * (body->points[random.Below(count)] + body->points[random.Below(count)]));
      }
    }
    ExpectSameTruth(Ask(pair), Ask(filled), filled);
  }
}

Quaternion Product(const Quaternion& p, const Quaternion& q) {
  return {
      p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

// One of the 24 unit quaternions whose products and rotations are exact: half turns and thirds of a
// turn.
Quaternion ExactTurn(Random& random) {
  if (random.OneIn(3)) {
    std::array<double, 4> q = {};
    q[random.Below(4)] = random.Sign();
    return {q[0], q[1], q[2], q[3]};
  }
  return {0.5 * random.Sign(), 0.5 * random.Sign(), 0.5 * random.Sign(), 0.5 * random.Sign()};
}

Vec3d Turned(const Quaternion& q, const Vec3d& p) {
  const Quaternion image = Product(Product(q, {p.x, p.y, p.z, 0}), {-q.x, -q.y, -q.z, q.w});
  return {image.x, image.y, image.z};
}

Vec3d OnGrid(Random& random) {
  return {0x1p-10 * random.Below(4096), 0x1p-10 * random.Below(4096), 0x1p-10 * random.Below(4096)};
}

TEST(Invariance, AnExactRigidMotionKeepsTheDistance) {
  Random random(RunSeed() + 3);
  for (int i = 0; i < Effort(2000); ++i) {
    BodyPair pair = Any(random);
    pair.a.pose = {OnGrid(random), ExactTurn(random)};
    pair.b.pose = {OnGrid(random), ExactTurn(random)};
    const Quaternion turn = ExactTurn(random);
    const Vec3d shift = OnGrid(random);
    BodyPair moved = pair;
    for (Body* body : {&moved.a, &moved.b}) {
      body->pose.p_WS = Turned(turn, body->pose.p_WS) + shift;
      body->pose.q_WS = Product(turn, body->pose.q_WS);
    }
    ExpectSameTruth(Ask(pair), Ask(moved), pair);
  }
}

BodyPair Scaled(BodyPair pair, int exponent) {
  const auto scale = [&](double x) { return std::ldexp(x, exponent); };
  for (Body* body : {&pair.a, &pair.b}) {
    for (Vec3d& p : body->points) p = {scale(p.x), scale(p.y), scale(p.z)};
    Vec3d& origin = body->pose.p_WS;
    origin = {scale(origin.x), scale(origin.y), scale(origin.z)};
    body->radius = scale(body->radius);
  }
  return pair;
}

// Every length of the answer in bits, each scaled back by the exponent.
std::array<double, 17> Lengths(const DistanceAnswer& answer, int exponent) {
  std::array<double, 17> lengths = {answer.bracket.lower,
                                    answer.bracket.upper,
                                    answer.distance,
                                    answer.tolerance,
                                    answer.p_WA.x,
                                    answer.p_WA.y,
                                    answer.p_WA.z,
                                    answer.p_WB.x,
                                    answer.p_WB.y,
                                    answer.p_WB.z,
                                    answer.p_AoA.x,
                                    answer.p_AoA.y,
                                    answer.p_AoA.z,
                                    answer.p_AoB.x,
                                    answer.p_AoB.y,
                                    answer.p_AoB.z,
                                    0};
  for (double& length : lengths) length = std::ldexp(length, -exponent);
  return lengths;
}

TEST(Invariance, APowerOfTwoChangesNoBit) {
  static constexpr std::array exponents = {-600, -301, -64, -1, 1, 3, 64, 301, 600};
  Random random(RunSeed() + 4);
  for (int i = 0; i < Effort(1500); ++i) {
    const BodyPair pair = Any(random);
    if (pair.a.points.size() == 1 && pair.b.points.size() == 1) continue;  // no size to scale with
    const int exponent = exponents[random.Below(static_cast<int>(exponents.size()))];
    const DistanceAnswer plain = Ask(pair);
    const DistanceAnswer scaled = Ask(Scaled(pair, exponent));
    const std::string context = "2^" + std::to_string(exponent) + "\n" + Describe(pair);
    ASSERT_EQ(plain.state, scaled.state) << context;
    ASSERT_EQ(Lengths(plain, 0), Lengths(scaled, exponent)) << context;
    ASSERT_EQ(plain.n_AB, scaled.n_AB) << context;
    ASSERT_EQ(plain.witness.size, scaled.witness.size) << context;
    ASSERT_EQ(plain.witness.vertices_a, scaled.witness.vertices_a) << context;
    ASSERT_EQ(plain.witness.vertices_b, scaled.witness.vertices_b) << context;
    ASSERT_EQ(plain.witness.weights, scaled.witness.weights) << context;
  }
}

}  // namespace
}  // namespace clearance::testing

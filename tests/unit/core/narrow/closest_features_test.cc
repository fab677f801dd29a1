// SPDX-License-Identifier: Apache-2.0
//
// Answers from planted features: two bodies are built around a vertex, an edge or a triangle each
// so that these are closest, at a distance, with a normal and at places that are known beforehand.

#include "core/narrow/closest_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/narrow/gjk.h"
#include "tests/support/random.h"
#include "tests/unit/core/narrow/test_pair.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

// Orthonormal, to rounding.
struct Frame {
  Vec3d u, v, n;
};

Frame RandomFrame(Random& random) {
  const Mat3<double> R = RotationMatrix<double>(random.Rotation());
  return {R.row_x, R.row_y, R.row_z};
}

// A feature in the plane through `foot`, its corners at weights that make the foot of them.
struct Feature {
  std::vector<Vec3d> corners;
  std::vector<double> weights;
};

// No weight is below 0.08.
Feature RandomFeature(int size, const Frame& frame, const Vec3d& foot, Random& random) {
  Feature feature;
  double left = 1;
  for (int i = 1; i < size; ++i) {
    feature.weights.push_back(random.Uniform(0.2, 0.4) * left);
    left -= feature.weights.back();
  }
  feature.weights.push_back(left);
  Vec3d others;
  const double turn = random.Uniform(0, 6.28);
  for (int i = 0; i + 1 < size; ++i) {
    const double angle = turn + 2.1 * i;
    const double length = random.Uniform(0.5, 2);
    const Vec3d arm = length * std::cos(angle) * frame.u + length * std::sin(angle) * frame.v;
    feature.corners.push_back(foot + arm);
    others = others + feature.weights[i] * arm;
  }
  feature.corners.push_back(foot - (1 / left) * others);
  return feature;
}

struct Plant {
  int size_a = 1;
  int size_b = 1;
  int others = 3;       // vertices of each body beside those of the feature
  double blocker = 0;   // if not 0: one more vertex of A, so far behind the plane
  double distance = 0;  // 0: random
};

// Where the planted features are and what they give.
struct Planted {
  TestPair test;
  FeaturePair features;
  double distance;
  Vec3d n_A;
  Vec3d p_A;  // the closest point
};

std::vector<Vec3d> BodyOf(const Feature& feature, const Vec3d& foot, const Vec3d& away,
                          const Plant& plant, Random& random) {
  std::vector<Vec3d> points = feature.corners;
  for (int i = 0; i < plant.others; ++i) {
    const Vec3d d = random.Direction();
    const double behind = random.Uniform(0.5, 1.5) - Dot(d, away);
    points.push_back(foot + d + behind * away);
  }
  return points;
}

FeatureVertices VerticesOf(const ConvexShape& shape, int size) {
  FeatureVertices vertices;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    if (shape.original_index(i) < static_cast<std::uint32_t>(size)) vertices.Add(i);
  }
  return vertices;
}

Planted Make(const Plant& plant, Random& random) {
  const Frame frame = RandomFrame(random);
  const double distance = plant.distance > 0 ? plant.distance : random.LogUniform(0.01, 10);
  const Vec3d foot_a = random.InCube(0.25);
  const Vec3d foot_b = foot_a + distance * frame.n;
  const Feature a = RandomFeature(plant.size_a, frame, foot_a, random);
  const Feature b = RandomFeature(plant.size_b, frame, foot_b, random);
  std::vector<Vec3d> points_a = BodyOf(a, foot_a, -frame.n, plant, random);
  if (plant.blocker != 0) {
    points_a.push_back(foot_a + 3.0 * frame.u + frame.v - plant.blocker * frame.n);
  }
  const Pose X_AB = {random.InCube(1), random.Rotation()};
  const Mat3<double> R_BA = Transpose(RotationMatrix<double>(X_AB.q_WS));
  std::vector<Vec3d> points_b;
  for (const Vec3d& p_A : BodyOf(b, foot_b, frame.n, plant, random)) {
    points_b.push_back(R_BA * (p_A - X_AB.p_WS));
  }
  TestPair test(HullOf(points_a), HullOf(points_b), X_AB);
  const FeaturePair features = {VerticesOf(*test.a, plant.size_a),
                                VerticesOf(*test.b, plant.size_b)};
  return {std::move(test), features, distance, frame.n, foot_a};
}

// What the features say in metres; `is_known` where they are refused.
struct Finish {
  bool is_known = false;
  CoreAnswer core;
};

Finish FinishOf(const Planted& planted) {
  const MinkowskiDifference<double> difference(planted.test.pair, planted.test.coarse);
  CoreLimits limits;
  limits.size_sum = planted.test.pair.radius_a + planted.test.pair.radius_b;
  limits.max_iterations = kMaxIterations;
  Finish finish;
  finish.is_known = FinishFromFeatures(difference, planted.features, limits, &finish.core);
  return finish;
}

void ExpectPlanted(const Planted& planted, const CoreAnswer& core) {
  const double unit = std::ldexp(1.0, planted.test.pair.exponent);
  EXPECT_EQ(core.kind, CoreAnswer::Kind::kSeparated);
  EXPECT_NEAR(unit * ToDouble(core.distance), planted.distance, 1e-13);
  EXPECT_LE(unit * ToDouble(core.lower), planted.distance + 1e-14);
  EXPECT_GE(unit * ToDouble(core.upper), planted.distance - 1e-14);
  const MinkowskiDifference<double> difference(planted.test.pair, planted.test.coarse);
  EXPECT_LE(ToDouble(core.upper - core.lower), 3 * difference.rounding_error());
  EXPECT_LE(Norm(core.n_A - planted.n_A), 1e-10);
  const Vec3d p_A = unit * core.witness.p_A + planted.test.a->center();
  EXPECT_LE(Norm(p_A - planted.p_A), 1e-10);
  EXPECT_EQ(core.witness.size, planted.features.a.size * planted.features.b.size);
  double sum = 0;
  for (int i = 0; i < core.witness.size; ++i) sum += core.witness.weight[i];
  EXPECT_NEAR(sum, 1, 1e-14);
}

constexpr std::array<std::array<int, 2>, 6> kSizes = {
    {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 3}, {3, 1}}};

// Few vertices are scanned, many are looked at along the edges of the hull.
TEST(FinishFromFeatures, IsWhatWasPlanted) {
  Random random(RunSeed());
  const int rounds = Effort(300);
  for (const int others : {3, 60}) {
    for (const auto& [size_a, size_b] : kSizes) {
      int known = 0;
      for (int i = 0; i < rounds; ++i) {
        const Planted planted =
            Make({.size_a = size_a, .size_b = size_b, .others = others}, random);
        const Finish finish = FinishOf(planted);
        if (!finish.is_known) continue;
        ++known;
        ExpectPlanted(planted, finish.core);
      }
      // Where edges cross at a small angle, rounding leaves the ends of the bracket apart.
      const int share = size_a == 2 && size_b == 2 ? 90 : 97;
      EXPECT_GE(100 * known, share * rounds) << size_a << " " << size_b << " " << others;
    }
  }
}

// A vertex nearer to the plane than a search can tell might be one of the closest features as well.
TEST(FinishFromFeatures, RefusesWhereAnotherVertexIsHardlyBehind) {
  Random random(RunSeed() + 1);
  int refused = 0;
  for (const int others : {3, 60}) {
    for (const auto& [size_a, size_b] : kSizes) {
      for (int i = 0; i < 50; ++i) {
        Plant plant = {.size_a = size_a, .size_b = size_b, .others = others, .distance = 0.5};
        plant.blocker = random.LogUniform(1e-12, 1e-7);
        refused += FinishOf(Make(plant, random)).is_known ? 0 : 1;
      }
    }
  }
  // On a large hull a vertex far away speaks through its neighbours, if it is one of the feature's.
  EXPECT_GE(refused, 590);
}

// Closer than so many digits the places of the features are not known well enough.
TEST(FinishFromFeatures, RefusesWhatIsTooClose) {
  Random random(RunSeed() + 2);
  for (const auto& [size_a, size_b] : kSizes) {
    for (int i = 0; i < 50; ++i) {
      const Plant plant = {.size_a = size_a, .size_b = size_b, .distance = 1e-10};
      EXPECT_FALSE(FinishOf(Make(plant, random)).is_known);
    }
  }
}

// Two edges, crossing at the shares s and t of their lengths, at an angle. B stands 1 above A.
Finish CrossEdges(double s, double t, double angle) {
  const Vec3d f = {std::cos(angle), std::sin(angle), 0};
  const ConvexShapePtr a = HullOf({{-s, 0, 0}, {1 - s, 0, 0}, {0, 0.5, -1}, {0, -0.5, -1}});
  const ConvexShapePtr b = HullOf({-t * f, (1 - t) * f, {0.1, 0.5, 1}, {0.1, -0.5, 1}});
  TestPair test(a, b, {{0, 0, 1}, {}});
  const FeaturePair features = {VerticesOf(*a, 2), VerticesOf(*b, 2)};
  return FinishOf({std::move(test), features, 1, {0, 0, 1}, {}});
}

TEST(FinishFromFeatures, TellsWhereEdgesCross) {
  constexpr double kRightAngle = 1.5707963267948966;
  EXPECT_TRUE(CrossEdges(0.5, 0.5, 1).is_known);
  EXPECT_TRUE(CrossEdges(1e-4, 1 - 1e-4, kRightAngle).is_known);
  for (const double beyond : {-0.5, -1e-4, -1e-9, 1e-9, 1 - 1e-9, 1 + 1e-9, 1 + 1e-4, 1.5}) {
    EXPECT_FALSE(CrossEdges(beyond, 0.5, kRightAngle).is_known) << beyond;
    EXPECT_FALSE(CrossEdges(0.5, beyond, kRightAngle).is_known) << beyond;
  }
}

TEST(FinishFromFeatures, RefusesParallelEdges) {
  EXPECT_TRUE(CrossEdges(0.5, 0.5, 0.01).is_known);
  EXPECT_FALSE(CrossEdges(0.5, 0.5, 0.0005).is_known);
  EXPECT_FALSE(CrossEdges(0.5, 0.5, 0).is_known);
}

// The closest point must lie well inside of the feature.
TEST(FinishFromFeatures, RefusesTheRimOfAFeature) {
  for (const double rim : {0.1, 1e-9, 0.0, -1e-9, -0.1}) {
    const ConvexShapePtr triangle = HullOf({{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0.25, -1}});
    const ConvexShapePtr point = HullOf({{0, 0, 0}});
    TestPair test(triangle, point, {{0.125, rim, 1}, {}});
    const FeaturePair features = {VerticesOf(*triangle, 3), VerticesOf(*point, 1)};
    EXPECT_EQ(FinishOf({std::move(test), features, 1, {0, 0, 1}, {}}).is_known, rim == 0.1);
  }
}

// Such features are never closest in one point alone.
TEST(FinishFromFeatures, RefusesAnEdgeAgainstATriangle) {
  Random random(RunSeed() + 3);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(FinishOf(Make({.size_a = 2, .size_b = 3}, random)).is_known);
    EXPECT_FALSE(FinishOf(Make({.size_a = 3, .size_b = 3}, random)).is_known);
  }
}

// A prism of so many sides, its top at z = 0, against a point over it.
struct PrismAndPoint {
  TestPair test;
  PrismAndPoint(int sides, const Vec3d& point)
      : test(Prism(sides), HullOf({{0, 0, 0}}), {point, {}}) {}

  static ConvexShapePtr Prism(int sides) {
    std::vector<Vec3d> points;
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * kPi * i / sides;
      points.push_back({std::cos(angle), std::sin(angle), 0});
    }
    for (int i = 0; i < sides; ++i) points.push_back(points[i] - Vec3d{0, 0, 1});
    return HullOf(points);
  }

  // From the caller's corners of the top.
  Finish From(const std::vector<std::uint32_t>& corners) const {
    FeaturePair features;
    features.b.Add(0);
    for (VertexIndex i = 0; i < test.a->vertex_count(); ++i) {
      const std::uint32_t corner_name = test.a->original_index(i);
      if (std::find(corners.begin(), corners.end(), corner_name) != corners.end())
        features.a.Add(i);
    }
    return FinishOf({test, features, 0, {}, {}});
  }
};

// Whichever corners of a face a search ends with, the face's answer is one.
TEST(FinishFromFeatures, TakesAWholeFaceForAnyOfItsTriangles) {
  const std::vector<std::vector<std::uint32_t>> parts = {{0, 1, 2}, {1, 2, 4}, {0, 2, 3},
                                                         {1, 3, 4}, {0, 2},    {1, 3}};
  for (const int sides : {5, 12}) {
    const PrismAndPoint prism(sides, {0.125, 0.0625, 0.5});
    for (const auto& part : parts) {
      const Finish finish = prism.From(part);
      ASSERT_TRUE(finish.is_known) << sides;
      EXPECT_NEAR(std::ldexp(ToDouble(finish.core.distance), prism.test.pair.exponent), 0.5, 1e-15);
      EXPECT_EQ(finish.core.witness.weight, prism.From(parts[0]).core.witness.weight);
      EXPECT_EQ(finish.core.witness.a, prism.From(parts[0]).core.witness.a);
    }
  }
}

TEST(FinishFromFeatures, TakesAFaceOfEitherBody) {
  const auto prism = PrismAndPoint::Prism(5);
  const auto point = HullOf({{0, 0, 0}});
  // The point as A, a quarter under the prism's bottom, of which these are three corners.
  TestPair test(point, prism, {{0.125, 0.0625, 1.25}, {}});
  FeaturePair features;
  features.a.Add(0);
  for (VertexIndex i = 0; i < prism->vertex_count(); ++i) {
    const std::uint32_t corner_name = prism->original_index(i);
    if (corner_name == 5 || corner_name == 7 || corner_name == 8) features.b.Add(i);
  }
  const int exponent = test.pair.exponent;
  const Finish finish = FinishOf({std::move(test), features, 0, {}, {}});
  ASSERT_TRUE(finish.is_known);
  EXPECT_NEAR(std::ldexp(ToDouble(finish.core.distance), exponent), 0.25, 1e-15);
  EXPECT_NEAR(finish.core.n_A.z, 1, 1e-15);
  EXPECT_EQ(finish.core.witness.p_A, Vec3d{});
  double sum = 0;
  for (int i = 0; i < finish.core.witness.size; ++i) sum += finish.core.witness.weight[i];
  EXPECT_NEAR(sum, 1, 1e-15);
}

TEST(FinishFromFeatures, RefusesTheRimOfAFaceAndFacesOfManyCorners) {
  EXPECT_FALSE(PrismAndPoint(5, {1.5, 0.125, 0.5}).From({0, 1, 2}).is_known) << "beside it";
  EXPECT_FALSE(PrismAndPoint(4, {0.5, 0.5 - 1e-9, 0.5}).From({0, 1, 2}).is_known) << "on a side";
  EXPECT_TRUE(PrismAndPoint(16, {0.125, 0.0625, 0.5}).From({0, 5, 10}).is_known);
  EXPECT_FALSE(PrismAndPoint(17, {0.125, 0.0625, 0.5}).From({0, 5, 10}).is_known);
  EXPECT_FALSE(PrismAndPoint(5, {0.125, 0.0625, 0.5}).From({0, 1}).is_known) << "an edge";
}

// The first three would do.
TEST(FinishFromFeatures, RefusesFourVerticesThatAreNoFace) {
  const PrismAndPoint prism(3, {0, 0, 0.5});
  EXPECT_TRUE(prism.From({0, 1, 2}).is_known);
  EXPECT_FALSE(prism.From({0, 1, 2, 3}).is_known);
}

// A prism of n sides, whose faces are told apart as those of a few and, from 65 on, of many.
ConvexShapePtr Prism(int n) {
  std::vector<Vec3d> points;
  for (int i = 0; i < n; ++i) {
    const double angle_rad = 2 * M_PI * i / n;
    for (const double z : {-1.0, 1.0})
      points.push_back({std::cos(angle_rad), std::sin(angle_rad), z});
  }
  return HullOf(points);
}

FeatureVertices VerticesOf(absl::Span<const VertexIndex> vertices) {
  FeatureVertices feature;
  for (const VertexIndex vertex : vertices) feature.Add(vertex);
  return feature;
}

TEST(Whole, IsTheOneFaceThatVerticesAreInside) {
  for (const int n : {3, 12, 62, 63, 100}) {
    const TestPair test(Prism(n), Cube(1), {{5, 0, 0}, {}});
    const HullFaces& faces = test.a->faces();
    ASSERT_EQ(faces.face_count(), static_cast<std::uint32_t>(n + 2));
    constexpr std::array<VertexIndex, 1> kFirst = {0};
    const FeatureVertices corner = VerticesOf(kFirst);
    for (std::uint32_t face = 0; face < faces.face_count(); ++face) {
      const auto corners = faces.CornersOf(face);
      if (corners.size() != 4) continue;
      const FeaturePair side = {VerticesOf(corners.first(3)), corner};
      EXPECT_EQ(Whole(test.pair, side).a, corners);
      const FeaturePair diagonal = {VerticesOf({{corners[0], corners[2]}}), corner};
      EXPECT_EQ(Whole(test.pair, diagonal).a, corners);
      const FeaturePair edge = {VerticesOf(corners.first(2)), corner};
      EXPECT_EQ(Whole(test.pair, edge).a.size(), 2u);
    }
    const FeaturePair none = {VerticesOf({{0, 1, 2, 3}}), corner};
    const bool is_side = Whole(test.pair, none).a.size() == 4;
    EXPECT_TRUE(is_side || Whole(test.pair, none).a.empty());
  }
}

TEST(FeaturesOf, NamesEachVertexOnce) {
  Simplex<double> simplex;
  simplex.size = 4;
  constexpr std::array<VertexIndex, 4> kA = {7, 3, 7, 5};
  constexpr std::array<VertexIndex, 4> kB = {2, 2, 2, 2};
  for (int i = 0; i < 4; ++i) {
    simplex.vertex[i].a = kA[i];
    simplex.vertex[i].b = kB[i];
  }
  const FeaturePair features = FeaturesOf(simplex);
  EXPECT_EQ(features.a.size, 3);
  EXPECT_EQ(features.a.vertex, (std::array<VertexIndex, 4>{3, 5, 7, 0}));
  EXPECT_EQ(features.b.size, 1);
  EXPECT_TRUE(features.b.Contains(2));
  EXPECT_FALSE(features.b.Contains(0));
}

TEST(FeaturesOf, OfNothingAreNone) {
  const FeaturePair features = FeaturesOf(VertexPairs());
  EXPECT_EQ(features.a.size, 0);
  EXPECT_EQ(features.b.size, 0);
}

TEST(FeaturesOf, SortsAnyThreeAsAddDoes) {
  for (VertexIndex i = 0; i < 3; ++i) {
    for (VertexIndex j = 0; j < 3; ++j) {
      for (VertexIndex k = 0; k < 3; ++k) {
        FeatureVertices added;
        for (const VertexIndex vertex : {i, j, k}) added.Add(vertex);
        const FeatureVertices three = FeatureVertices::Of(i, j, k);
        EXPECT_EQ(three.vertices(), added.vertices()) << i << j << k;
      }
    }
  }
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Planes of contact whose time is known in closed form.

#include "core/query/contact_plane.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/math/rounding.h"
#include "core/narrow/placement.h"
#include "hwy/targets.h"
#include "tests/support/random.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

// A at the world's origin, B at x = 6; B moves.
struct Translation {
  Translation(ConvexShapePtr shape_a, ConvexShapePtr shape_b, const Vec3d& by)
      : a(std::move(shape_a)), b(std::move(shape_b)), displacement(by) {}

  TranslatingPair Pair() const {
    const double unit = std::ldexp(1.0, -pair.exponent);
    return {pair, {*a, pose_a, local_a}, {*b, pose_b}, To<DoubleDouble>(unit * pose_b.p_WS), 0,
            {},   unit * displacement};
  }

  ConvexShapePtr a, b;
  Vec3d displacement;
  Pose pose_a, local_a;
  Pose pose_b = At(6, 0, 0);
  ShapePair pair = MakeShapePair(*a, *b, 4);
};

ConvexShapePtr Segment(const Vec3d& end) {
  return Points({-end.x, -end.y, -end.z, end.x, end.y, end.z});
}

ConvexShapePtr Octahedral() {
  return Points({1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1});
}

VertexIndex IndexOf(const ConvexShape& shape, const Vec3d& d) {
  VertexIndex highest = 0;
  for (VertexIndex i = 1; i < shape.vertex_count(); ++i) {
    if (Dot(d, shape.vertex(i)) > Dot(d, shape.vertex(highest))) highest = i;
  }
  return highest;
}

FeatureVertices Corners(const ConvexShape& shape, const std::vector<Vec3d>& directions) {
  FeatureVertices corners;
  for (const Vec3d& d : directions) corners.Add(IndexOf(shape, d));
  return corners;
}

// Three corners of a box's face across x.
FeatureVertices FaceOf(const ConvexShape& box, double side) {
  return Corners(box, {{side, 1, 1}, {side, -1, 1}, {side, 1, -1}});
}

TEST(ContactPlane, OfAFaceAndAVertexIsTheQuotientRoundedDown) {
  const Translation moving(Box(1, 1, 1), Octahedral(), {-10, 0, 0});
  const FeaturePair features = {FaceOf(*moving.a, 1), Corners(*moving.b, {{-1, 0, 0}})};
  ContactPlane plane;
  ASSERT_TRUE(FindContactPlane(moving.Pair(), features, &plane));
  EXPECT_EQ(plane.FreeUntil(), NextDown(0.4));
  EXPECT_EQ(plane.n_W, (Vec3d{1, 0, 0}));
  EXPECT_NEAR(std::ldexp(plane.GapAt(0.25), moving.pair.exponent), 1.5, 1e-15);
}

TEST(ContactPlane, OfAVertexAndAFaceIsTheSame) {
  const Translation moving(Octahedral(), Box(1, 1, 1), {-10, 0, 0});
  const FeaturePair features = {Corners(*moving.a, {{1, 0, 0}}), FaceOf(*moving.b, -1)};
  ContactPlane plane;
  ASSERT_TRUE(FindContactPlane(moving.Pair(), features, &plane));
  EXPECT_EQ(plane.FreeUntil(), NextDown(0.4));
  EXPECT_EQ(plane.n_W, (Vec3d{1, 0, 0}));
}

// A quaternion of no exact length, and back: nothing is turned, and nothing is lost.
TEST(ContactPlane, TurnsByTheQuaternionsAsTheyAre) {
  Translation moving(Box(1, 1, 1), Octahedral(), {-10, 0, 0});
  moving.pose_a.q_WS = kQuarterTurn;
  moving.local_a.q_WS = {0, 0, -kQuarterTurn.z, kQuarterTurn.w};
  const FeaturePair features = {FaceOf(*moving.a, 1), Corners(*moving.b, {{-1, 0, 0}})};
  ContactPlane plane;
  ASSERT_TRUE(FindContactPlane(moving.Pair(), features, &plane));
  EXPECT_EQ(plane.FreeUntil(), NextDown(0.4));
}

TEST(ContactPlane, OfEdgesThatCross) {
  const Translation moving(Segment({0, 1, 0}), Segment({0, 0, 1}), {-8, 0.5, 0.25});
  const FeaturePair features = {Corners(*moving.a, {{0, 1, 0}, {0, -1, 0}}),
                                Corners(*moving.b, {{0, 0, 1}, {0, 0, -1}})};
  ContactPlane plane;
  ASSERT_TRUE(FindContactPlane(moving.Pair(), features, &plane));
  EXPECT_EQ(plane.FreeUntil(), NextDown(0.75));
  EXPECT_GT(plane.gap_error, 0);
  EXPECT_GT(plane.speed_error, 0);
  EXPECT_EQ(plane.n_W, (Vec3d{1, 0, 0}));
}

TEST(ContactPlane, IsFreeToTheEndOrNotAtAll) {
  for (const double x : {9.0, -1.0}) {
    Translation moving(Segment({0, 1, 0}), Segment({0, 0, 1}), {-8, 0, 0});
    moving.pose_b = At(x, 0, 0);
    const FeaturePair features = {Corners(*moving.a, {{0, 1, 0}, {0, -1, 0}}),
                                  Corners(*moving.b, {{0, 0, 1}, {0, 0, -1}})};
    ContactPlane plane;
    ASSERT_TRUE(FindContactPlane(moving.Pair(), features, &plane));
    EXPECT_EQ(plane.FreeUntil(), x < 8 ? 0 : 1);
  }
}

TEST(ContactPlane, TakesItsErrorsOff) {
  ContactPlane plane;
  plane.gap = 1;
  plane.speed = 2;
  EXPECT_EQ(plane.FreeUntil(), 0.5);
  plane.gap_error = 0.25;
  EXPECT_LE(plane.FreeUntil(), 0.375);
  EXPECT_GE(plane.FreeUntil(), 0.25);
  plane.gap_error = 1;
  EXPECT_EQ(plane.FreeUntil(), 0);
  plane.gap_error = 0;
  plane.speed_error = 2;
  EXPECT_EQ(plane.FreeUntil(), 0.25);
}

TEST(ContactPlane, IsNotFoundWhereFeaturesSpanNoneThatCloses) {
  ContactPlane plane;
  const FeatureVertices ends = {2, {0, 1}};
  const Translation parallel(Segment({0, 1, 0}), Segment({0, 1, 0x1p-12}), {-8, 0, 0});
  EXPECT_FALSE(FindContactPlane(parallel.Pair(), {ends, ends}, &plane));
  const Translation sliding(Segment({0, 1, 0}), Segment({0, 0, 1}), {0, 3, 0});
  EXPECT_FALSE(FindContactPlane(sliding.Pair(), {ends, ends}, &plane));
  const Translation tiny(Segment({0, 0x1p-120, 0}), Segment({0, 0, 0x1p-120}), {-8, 0, 0});
  EXPECT_FALSE(FindContactPlane(tiny.Pair(), {ends, ends}, &plane));
}

// The header's gap and slope number after number: what of a plane does not depend on the normal's
// length and sense.
struct Alone {
  using Dd = DoubleDouble;

  // Times the square of the quaternion's length.
  static Mat3<Dd> MatrixOf(const Quaternion& q, Dd* length_sq) {
    const Dd x(q.x), y(q.y), z(q.z), w(q.w);
    const auto twice = [](const Dd& a) { return Dd{2 * a.hi, 2 * a.lo}; };
    const Dd sum_wx = w * w + x * x, sum_yz = y * y + z * z;
    const Dd rest_wx = w * w - x * x, rest_yz = y * y - z * z;
    *length_sq = sum_wx + sum_yz;
    return {{sum_wx - sum_yz, twice(x * y - w * z), twice(x * z + w * y)},
            {twice(x * y + w * z), rest_wx + rest_yz, twice(y * z - w * x)},
            {twice(x * z - w * y), twice(y * z + w * x), rest_wx - rest_yz}};
  }

  Alone(const TranslatingPair& pair, const FeaturePair& features)
      : R_A(MatrixOf(pair.start_a.pose.q_WS, &length_sq_a)),
        R_B(MatrixOf(pair.start_b.pose.q_WS, &length_sq_b)) {
    if (!IsIdentity(pair.start_a.local.q_WS)) {
      Dd local_sq = 1.0;
      R_A = R_A * MatrixOf(pair.start_a.local.q_WS, &local_sq);
      length_sq_a = length_sq_a * local_sq;
    }
    const auto corner_a = [&](int i) {
      return To<Dd>(pair.pair.scale_a * pair.pair.a.vertex(features.a.vertex[i]));
    };
    const auto corner_b = [&](int i) {
      return To<Dd>(pair.pair.scale_b * pair.pair.b.vertex(features.b.vertex[i]));
    };
    const Vec3<Dd> closing = To<Dd>(pair.displacement_b) - To<Dd>(pair.displacement_a);
    Vec3<Dd> n_W;
    if (features.a.size == 2) {
      n_W = Cross(R_A * (corner_a(1) - corner_a(0)), R_B * (corner_b(1) - corner_b(0)));
      const Dd both = length_sq_a * length_sq_b;
      const Dd height_a = Dot(n_W, R_A * corner_a(0)) * length_sq_b;
      const Dd height_b = Dot(n_W, R_B * corner_b(0)) * length_sq_a;
      gap = Dot(n_W, pair.offset) * both + (height_b - height_a);
      slope = Dot(n_W, closing) * both;
    } else {
      const Vec3<Dd> n = Cross(corner_a(1) - corner_a(0), corner_a(2) - corner_a(0));
      n_W = R_A * n;
      gap = (Dot(n_W, pair.offset) - Dot(n, corner_a(0)) * length_sq_a) * length_sq_b +
            Dot(n_W, R_B * corner_b(0));
      slope = Dot(n_W, closing) * length_sq_b;
    }
    if (slope.hi > 0) {
      gap = -gap;
      slope = -slope;
      n_W = -n_W;
    }
    direction_W = ToDouble(n_W);
  }

  Dd length_sq_a = 1.0, length_sq_b = 1.0;
  Mat3<Dd> R_A, R_B;
  Dd gap = 0.0, slope = 0.0;
  Vec3d direction_W;
};

void ExpectAsAlone(const Translation& moving, const FeaturePair& features) {
  const Alone alone(moving.Pair(), features);
  ContactPlane plane;
  ASSERT_TRUE(FindContactPlane(moving.Pair(), features, &plane));
  EXPECT_EQ(plane.gap, alone.gap);
  EXPECT_EQ(plane.speed, -alone.slope);
  EXPECT_EQ(plane.n_W, Normalized(alone.direction_W));
}

TEST(ContactPlane, SameBitsAsScalarOnEveryVectorUnit) {
  testing::Random random(testing::RunSeed());
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (int i = 0; i < testing::Effort(200); ++i) {
      Translation moving(Box(random.Uniform(0.5, 1), random.Uniform(0.5, 1), 1), Octahedral(),
                         random.InCube(8));
      moving.pose_a.q_WS = random.Rotation();
      moving.pose_b = {random.InCube(6), random.Rotation()};
      if (random.OneIn(2)) moving.local_a.q_WS = random.Rotation();
      ExpectAsAlone(moving, {FaceOf(*moving.a, 1), Corners(*moving.b, {random.Direction()})});
      const Vec3d edge = random.Direction();
      ExpectAsAlone(moving, {Corners(*moving.a, {{1, 1, 1}, {1, 1, -1}}),
                             Corners(*moving.b, {{edge.x, 0, 0}, {0, edge.y, 0}})});
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Where nothing turns there are no products with the identity: every bit is as if there were, that
// of the sign of 0 too.
TEST(ContactPlane, HasTheSameBitsWhereNothingTurns) {
  const auto bits = [](const Vec3d& v) {
    return std::array<std::uint64_t, 3>{std::bit_cast<std::uint64_t>(v.x),
                                        std::bit_cast<std::uint64_t>(v.y),
                                        std::bit_cast<std::uint64_t>(v.z)};
  };
  testing::Random random(testing::RunSeed());
  for (int i = 0; i < testing::Effort(200); ++i) {
    Translation moving(Box(random.Uniform(0.5, 1), 1, 1), Octahedral(), random.InCube(8));
    if (random.OneIn(2)) moving.displacement = {-8, 0, 0};
    for (Quaternion* q : {&moving.pose_a.q_WS, &moving.pose_b.q_WS}) {
      const double zero = random.OneIn(2) ? 0.0 : -0.0;
      *q = {zero, 0, zero, random.OneIn(2) ? 1.0 : -1.0};
      if (random.OneIn(4)) q->w = 1 + 0x1p-52;
      if (random.OneIn(4)) *q = random.Rotation();
    }
    if (random.OneIn(4)) moving.local_a.q_WS = random.Rotation();
    const FeaturePair faces = {FaceOf(*moving.a, 1), Corners(*moving.b, {random.Direction()})};
    const FeaturePair edges = {
        Corners(*moving.a, {{1, 1, 1}, {1, 1, -1}}),
        Corners(*moving.b, {{random.Direction().x, 0, 0}, {0, random.Direction().y, 0}})};
    for (const FeaturePair& features : {faces, edges}) {
      const Alone alone(moving.Pair(), features);
      ContactPlane plane;
      ASSERT_TRUE(FindContactPlane(moving.Pair(), features, &plane));
      EXPECT_EQ(bits(plane.n_W), bits(Normalized(alone.direction_W)));
      EXPECT_EQ(bits({plane.gap.hi, plane.gap.lo, plane.speed.hi}),
                bits({alone.gap.hi, alone.gap.lo, -alone.slope.hi}));
    }
  }
}

TEST(ContactPlane, IsOfOneVertexAndThreeOrOfTwoAndTwo) {
  const Translation moving(Box(1, 1, 1), Box(1, 1, 1), {-10, 0, 0});
  ContactPlane plane;
  for (int a = 1; a <= 4; ++a) {
    for (int b = 1; b <= 4; ++b) {
      const bool is_pair = (a == 1 && b == 3) || (a == 3 && b == 1);
      if (is_pair || (a == 2 && b == 2)) continue;
      const FeatureVertices of_a = {a, {0, 1, 2, 3}}, of_b = {b, {0, 1, 2, 3}};
      EXPECT_FALSE(FindContactPlane(moving.Pair(), {of_a, of_b}, &plane)) << a << b;
    }
  }
}

}  // namespace
}  // namespace clearance

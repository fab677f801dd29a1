// SPDX-License-Identifier: Apache-2.0
//
// Pairs that once got a wrong answer, each by the exact oracle. A new one comes in with its fix.
#include <array>
#include <cmath>
#include <variant>

#include "core/math/rotation.h"
#include "core/proof/check_distance.h"
#include "core/proof/check_motion.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "core/shape/make_shape.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"

namespace clearance::testing {
namespace {

void ExpectRightAnswer(const BodyPair& bodies) {
  const CheckedPair pair(bodies);
  const DistanceAnswer answer = Distance(pair.PosedA(), pair.PosedB(), {});
  EXPECT_EQ(FindFault(pair, answer), "");
  EXPECT_NE(answer.state, State::kUndecided);
}

// The four differences of two edges are coplanar; rounding made a tetrahedron around the origin of
// them, 0.00028 off.
TEST(Regression, FourCoplanarDifferencesEncloseNothing) {
  ExpectRightAnswer(
      {{.kind = BodyKind::kHull,
        .points = {{0x1.07edcbe9ca6edp-14, 0x1.feb99b1aecdc7p-15, -0x1.13de8a414f624p-14},
                   {-0x1.4c12585cbcecdp-16, -0x1.27d35734d2f34p-14, -0x1.d07bd261a7403p-16},
                   {-0x1.1e63afbc2854cp-15, -0x1.1b8dee8ac31dbp-14, 0x1.4de008e547532p-15},
                   {0x1.e425c397a1ab1p-19, 0x1.019e1f9045d54p-14, -0x1.853907796b2f4p-15},
                   {-0x1.2065bda37da55p-14, 0x1.bbe241c442b19p-15, 0x1.28e80939896a2p-14},
                   {0x1.f259d200a0aebp-15, -0x1.dbcdef873403bp-17, -0x1.5c6ea54d8adcdp-15},
                   {-0x1.2220a299973fdp-14, -0x1.63123ee15fd6p-15, 0x1.be51f8642445fp-17},
                   {-0x1.97c9ce69d4da8p-15, -0x1.d2c0ea99c183ap-15, -0x1.50818979949e1p-15},
                   {0x1.06679d922af7bp-14, -0x1.eda52acbf6b65p-15, 0x1.29de056d87b5cp-14},
                   {-0x1.040c51fcdd69p-15, -0x1.f77c205ca43ecp-16, -0x1.8e253afc340e5p-15}},
        .radius = 0,
        .pose = {{0x1.f3c14ea6df325p-2, 0x1.8552d99678795p-1, 0x1.6487401a2bea3p-4},
                 {-0x1.77e4fee8324bbp-1, -0x1.333d706cac7bdp-1, 0x1.02e91a872ead5p-2,
                  -0x1.89cbe562436e6p-3}}},
       {.kind = BodyKind::kHull,
        .points = {{-0x1.f9a245132491cp-1, -0x1.6bf6bd908b7c8p-3, 0x1.7ee47b46bd068p-2},
                   {0x1.41f7aa59a2c28p-1, -0x1.43d868724f8f4p-2, -0x1.92b4a820abfdcp-1},
                   {-0x1.2de33dde5d1p-1, -0x1.8024a2750687cp-2, 0x1.85b02cd7c518p-3},
                   {-0x1.673cfbe51de7p-2, 0x1.21fccd1fe4a7cp-1, -0x1.6aace86026b3p-2}},
        .radius = 0,
        .pose = {{-0x1.3d63dcd50f12p-5, 0x1.1f01f477757f4p-1, 0x1.f56d6def8834cp-1},
                 {0x1.81d5668c6d18fp-3, 0x1.1c799c23f3b14p-4, 0x1.4333f6adf77eap-3,
                  0x1.ef05925a94d4p-1}}}});
}

// No size, so the tolerance is 0 as well: still they touch.
TEST(Regression, TwoCoincidentPointsTouch) {
  BodyPair bodies = {MakePointBody(0), MakePointBody(0)};
  bodies.a.pose = {{0x1.e6p-3, -0x1.aedp-1, 0.3}, {0, 0, 0, 1}};
  bodies.b.pose.p_WS = bodies.a.pose.p_WS;
  ExpectRightAnswer(bodies);
}

// Common units of 2^-1072 made the points' own unit of 2^0 infinite, and a crash of it.
TEST(Regression, PointsTheLeastDoublesApart) {
  BodyPair bodies = {MakePointBody(0), MakePointBody(0)};
  bodies.b.pose.p_WS = {-0x0.0000000000001p-1022, 0x0.0000000000003p-1022, 0x0.0000000000002p-1022};
  ExpectRightAnswer(bodies);
}

// The last simplex of the search is a sliver: its weights made a point 7.6e-9 off the nearest one,
// and with it the points of the surfaces parted from the normal.
TEST(Regression, PointsOfACylinderFromASliver) {
  const auto hull = std::get<ConvexShapePtr>(
      MakeHull(std::array{0x1.0c63fa4ef996ep-1,  0x1.6a1f880d35a9cp-1,  -0x1.a9d6367061bp-3,
                          0x1.fde5656485f6p-4,   -0x1.fef56c8486078p-2, -0x1.271b3e8eb5p-4,
                          0x1.86dfddeb6d1p-5,    0x1.ffa73bba06328p-1,  -0x1.93ddcd8f62a14p-1,
                          -0x1.189340e134bb2p-1, 0x1.addce26238e7ap-1,  -0x1.0bdd7a71d7144p-2,
                          0x1.664c4e6d926bap-1,  -0x1.8350f640a172cp-2, 0x1.e163aee66923p-1,
                          -0x1.e2ec2f4b64fdep-1, -0x1.1d860b78b390cp-1, -0x1.53f3ccf57a71p-3,
                          -0x1.a42ba26041b4cp-2, -0x1.0c41250ebc1p-5,   0x1.6158843db6b12p-1,
                          -0x1.d7a3717a55fe8p-1, -0x1.ee02f84b566b4p-1, 0x1.d9ad4d7870ebap-1,
                          0x1.8d0c658ee1e78p-2,  -0x1.f31e3d25bb494p-1, 0x1.ebc0e1869a5f8p-2,
                          -0x1.d8130e5f10ap-4,   -0x1.497b0e0564138p-1, -0x1.d9ea3e0dd413p-4},
               0));
  const auto cylinder = std::get<ConvexShapePtr>(
      MakeCylinder(0x1.c6049ebcd52d2p-1, 0x1.6b0cac7bc08f7p+2, 0x1.1443dc7dcaaffp-6));
  const PosedShape a = {*hull,
                        {{-0x1.399ea96abd6d6p+0, -0x1.d2becf44311d6p-2, 0x1.7a9e675ceff4dp+1}, {}}};
  const PosedShape b = {*cylinder,
                        {{-0x1.77aa5a0cc5cfcp+0, -0x1.7442bfc2e3978p+0, -0x1.f098c4e1d38p-4},
                         {-0x1.e7e1d689f76f4p-1, -0x1.b64e8a5b6a3bep-3, -0x1.b824e2283ea27p-3,
                          0x1.92a9e6a34c4c6p-27}}};
  EXPECT_EQ(FaultOf(CheckDistance(a, b, {}, Distance(a, b, {}))), "");
}

// Places of 2^900 in units of 2^-890 were infinite, their difference no number, and the search
// walked off the vertices.
TEST(Regression, TinyMotionFarAway) {
  const Pose far = {{0x1p899, -0x1p898, -0x1p899}, {}};
  const auto point = std::get<ConvexShapePtr>(MakeHull(std::array{0.0, 0.0, 0.0}, 0));
  const auto box = std::get<ConvexShapePtr>(MakeBox({0x1p-893, 0x1p-894, 0x1p-893}, 0));
  MovingShape a = {*point, far, {{}, {0, 0.5, 0}, far.p_WS}};
  MovingShape b = {*box, far, {{0, 0x1p-890, 0}, {}, far.p_WS}};
  for (const bool ignores : {false, true}) {
    const MotionOptions options = {.ignore_initial_contact = ignores};
    const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, options);
    EXPECT_EQ(FaultOf(CheckTimeOfCollision(a, b, options, answer)), "");
    EXPECT_EQ(answer.state, ignores ? MotionState::kFree : MotionState::kInitiallyOverlapping);
  }
}

// The same by the poses of pieces: what does not move has a lever, once something turns.
TEST(Regression, TinyMotionOfPiecesFarFromTheirBodies) {
  const auto box = std::get<ConvexShapePtr>(MakeBox({0x1p-893, 0x1p-894, 0x1p-893}, 0));
  const Pose local = {{0x1p899, 0, 0}, {}};
  for (const Vec3d& rotation : {Vec3d{}, Vec3d{0, 0.5, 0}}) {
    const MovingShape a = {*box, {}, {{}, rotation, {}}, local};
    const Pose above = {{0, 0x1p-890, 0}, {}};
    const MovingShape b = {*box, above, {{0, 0x1p-890, 0}, {}, {}}, local};
    const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, {});
    EXPECT_EQ(FaultOf(CheckTimeOfCollision(a, b, {}, answer)), "");
    const bool turns = rotation != Vec3d{};
    EXPECT_EQ(answer.state, turns ? MotionState::kUndecided : MotionState::kFree);
  }
}

// Beside places of 2^900 an offset of 2^-190 underflowed: a pair that is apart was in contact.
TEST(Regression, SmallOffsetBesideAFarPlace) {
  const auto point = std::get<ConvexShapePtr>(MakeHull(std::array{0.0, 0.0, 0.0}, 0));
  const auto box = std::get<ConvexShapePtr>(MakeBox({0x1p-200, 0x1p-200, 0x1p-200}, 0));
  const Pose at_a = {{0x1p900, 0, 0}, {}};
  const Pose at_b = {{0x1p900, 0x1p-190, 0}, {}};
  EXPECT_EQ(Distance({*point, at_a}, {*box, at_b}, {}).state, State::kSeparated);
  for (const Vec3d& rotation : {Vec3d{}, Vec3d{0, 0, 0.5}}) {
    const MovingShape a = {*point, at_a, {{}, {}, at_a.p_WS}};
    const MovingShape b = {*box, at_b, {{0x1p-191, 0, 0}, rotation, at_b.p_WS}};
    const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, {});
    EXPECT_EQ(FaultOf(CheckTimeOfCollision(a, b, {}, answer)), "");
    EXPECT_EQ(answer.state, MotionState::kFree);
  }
}

// The foot of the perpendicular lies 1e-8 beyond the diagonal of a face: too little for distances
// to tell on which of its triangles, and enough to miss the point by that.
TEST(Regression, DeepestPointsNearTheDiagonalOfAFace) {
  const auto box = std::get<ConvexShapePtr>(MakeBox({1, 1.25, 0.75}, 0));
  const auto point = std::get<ConvexShapePtr>(MakeHull(std::array{0.0, 0.0, 0.0}, 0));
  const Quaternion turned = {0x1.999999999999ap-4, 0x1.3333333333333p-1, 0x1.999999999999ap-2,
                             0x1.5f619980c4337p-1};
  for (const Quaternion& q : {Quaternion{}, turned}) {
    const auto R_WA = RotationMatrix<double>(q);
    for (const double depth : {0.001, 0.01, 0.1, 0.7}) {
      for (const double x : {-0x1p-27, -0x1p-29, 0x1p-29, 0x1p-27}) {
        for (const double y : {-0x1p-27, -0x1p-29, 0x1p-29, 0x1p-27}) {
          const PosedShape a = {*box, {{}, q}};
          const PosedShape b = {*point, {R_WA * Vec3d{x, y, 0.75 - depth}, {}}};
          const DistanceAnswer answer = Distance(a, b, {});
          EXPECT_LE(Norm(answer.p_WB - b.pose.p_WS), 0x1p-40);
        }
      }
    }
  }
}

// The two faces of A - B that the origin is between are equally near to a few units in the last
// place. The points came from a triangle of one face, because the other, in which the foot was
// searched, was farther by that little.
TEST(Regression, DeepestPointsBetweenTwoFacesEquallyNear) {
  const std::array<double, 12> points = {
      -0x1.5c11d61a42cp-6,   0x1.9f00b74b024a8p+0,  -0x1.04c7c2374505cp+0, 0x1.480281b31238ap+2,
      -0x1.cc0256ed2f99ep+2, -0x1.0e67b49a244d7p+3, 0x1.d5f8391c6bc28p+1,  -0x1.d4bc3313597a2p+2,
      0x1.24bd83eb80914p+2,  -0x1.35bfb149d82b3p+2, -0x1.62a3deaf7f5a1p+2, 0x1.cddf99199df3p+1};
  const auto hull = std::get<ConvexShapePtr>(MakeHull(points, 0));
  const Quaternion q = {-0x1.42fe22617c597p-1, 0x1.29085a0035c34p-5, -0x1.4057e98108179p-1,
                        0x1.d46c71236d651p-2};
  const PosedShape a = {*hull,
                        {{-0x1.ebd6fed501548p-3, -0x1.53798df8459cap-1, -0x1.ec4fc5a1d92e8p-3}, q}};
  const PosedShape b = {*hull,
                        {{-0x1.ebd6fed50167cp-3, -0x1.53798df845999p-1, -0x1.ec4fc5a1d93c4p-3}, q}};
  EXPECT_EQ(FaultOf(CheckDistance(a, b, {}, Distance(a, b, {}))), "");
}

// The normals at a corner of a round hull are few, and vertices to find one by ran out: undecided,
// by half a per cent of the size.
TEST(Regression, APointOnACornerOfARoundHullTouches) {
  Body round = {.kind = BodyKind::kHull, .points = {}, .radius = 0, .pose = {}};
  for (int i = 0; i < 200; ++i) {  // a spiral
    const double z = (2 * i + 1) / 200.0 - 1, across = std::sqrt(1 - z * z);
    round.points.push_back({across * std::cos(2.4 * i), across * std::sin(2.4 * i), z});
  }
  for (const Vec3d& corner : round.points) {
    BodyPair bodies = {round, MakePointBody(0)};
    bodies.b.pose.p_WS = corner;
    ExpectRightAnswer(bodies);
  }
}

// The closest triangle of A is a sliver of 100 by 0.01: its plane, seen from 213 away, told B's
// point 6e-11 beside its vertex, though the distance was right.
TEST(Regression, PointsSeenFromASliver) {
  ExpectRightAnswer(
      {{.kind = BodyKind::kHull,
        .points = {{-0x1.9p+6, 0, 0},
                   {0x1.9p+6, 0x1.c46dd5da65b38p-9, 0},
                   {0, 0x1.47ae147ae147bp-7, 0},
                   {1, 0, 0x1.47ae147ae147bp-7}},
        .radius = 0,
        .pose = {{-0x1.ecc7480537fd8p-1, -0x1.03f0735b3a542p-1, 0x1.eb618a5c24dfcp-2},
                 {-0x1.415b9e8da14f5p-1, 0x1.af31c74836a9ep-2, 0x1.4e16b928c002cp-1,
                  0x1.bd9b25c0568c9p-5}}},
       {.kind = BodyKind::kHull,
        .points = {{0x1.4122d4593ccep-2, -0x1.9a361fc2a5048p-2, -0x1.34db6efcdd6bep-1},
                   {-0x1.47321d41b417bp-1, 0x1.1c3f40d0fedep-1, -0x1.7649913a26cf8p-2},
                   {-0x1.c960b4a7c4e86p-2, -0x1.445f1effc3254p-3, 0x1.4f3f6594709acp-2},
                   {0x1.a6084c664db4p-3, -0x1.7939f9ea6e738p-4, 0x1.1ffe8cc80bf4p-2},
                   {-0x1.b8a3b921ccedep-1, 0x1.8daeaff7628bap-1, -0x1.a4622597d314ap-1},
                   {-0x1.6e088bb20e93p-3, -0x1.2fa5b7898269p-3, 0x1.46a61f5613e0cp-2},
                   {0x1.439793f1c8dp-5, 0x1.744cd5f0ed708p-2, 0x1.53e983a13ae1cp-2},
                   {-0x1.b474dad633a9p-1, 0x1.60eaeb0e4fe72p-1, -0x1.ee60960e24ff7p-2}},
        .radius = 0,
        .pose = {{-0x1.948ab2dc43bffp+7, 0x1.940f9b08b3757p+3, 0x1.40b3d9cac230ep+6},
                 {0x1.1f2abccbb92c3p-1, -0x1.cb53d1e34bf4ap-2, -0x1.5951fd6d37544p-1,
                  -0x1.5eb7766a175d6p-3}}}});
}

// So fast that a few steps of the clock take the cylinder into the polygon: as deep as its radius
// is, so that the cores were still apart, and the points at t_hit were those of bodies apart.
TEST(Regression, FastBodiesThatOverlapWithTheirRadiiAtTheHit) {
  const auto cylinder = std::get<ConvexShapePtr>(
      MakeCylinder(0x1.af8e5374d0eb1p+0, 0x1.9e841e69409dfp+0, 0x1.101b2f28b8235p-10));
  const auto polygon = std::get<ConvexShapePtr>(
      MakeHull(std::array{-0x1.01282bbbb48d4p-2, 0x1.848845803590ap-1, 0.0, -0x1.d3d39a83221eep-1,
                          -0x1.a76a1a569d124p-1, 0.0, -0x1.d39b14b2d6fep-2, -0x1.7093579ae272cp-2,
                          0.0, -0x1.38a4cb3cafbdp-1, 0x1.8ed752efd2c34p-2, 0.0,
                          0x1.43ddbe2f00246p-1, 0x1.859b83a32cb8cp-1, 0.0},
               0));
  const Vec3d pivot = {0x1.25fce9bdbd54cp+0, -0x1.3a453129c02f9p-1, -0x1.7b4c98b34f871p+0};
  const Quaternion q_WA = {-0x1.689512f17fbf5p-3, -0x1.c255d7d6ef024p-3, 0x1.ea71c2bc43ed2p-1,
                           -0x1.c683ccf8ffb82p-5};
  const Quaternion q_WB = {-0x1.147d30ea6a5d5p-6, 0x1.5b799c5e34614p-1, -0x1.6a3e0441d9bcfp-2,
                           -0x1.496ea5091e3bp-1};
  const Vec3d p_WB = {-0x1.a1bcaecab199cp+32, -0x1.e47c0be2e26dfp+30, -0x1.3a8e65df6156ep+32};
  const MovingShape a = {*cylinder,
                         {pivot, q_WA},
                         {{-0x1.8ee504d6b849ep+34, -0x1.cea1a3e8f8023p+32, -0x1.2c5e2d16ef9e2p+34},
                          {0x1.89436c2adef6bp-1, 0x1.119b2728d9761p-4, 0x1.52d35e4c4bca3p-2},
                          pivot}};
  const MovingShape b = {
      *polygon,
      {p_WB, q_WB},
      {{0x1.1f6b93e995d73p+30, 0x1.4d586294474dfp+28, 0x1.b0daee8f675c2p+29}, {}, pivot}};
  const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, {});
  EXPECT_EQ(answer.state, MotionState::kHit);
  EXPECT_EQ(FaultOf(CheckTimeOfCollision(a, b, {}, answer)), "");
}

// A body 4e-9 across just in a face of one of size 1: the nearest facet of the difference is a
// sliver, whose weights double told so badly that the deepest points were beside the small body.
TEST(Regression, DeepestPointsOfATinyBodyInAFace) {
  BodyPair bodies = {
      {.kind = BodyKind::kHull,
       .points = {{-0x1.1c3abbfecd18cp-2, 0x1.6a3a123dc18f4p-1, -0x1.73be86154f96ap-1},
                  {-0x1.10cc1ac3e2524p-2, 0x1.b6b14923f2b9cp-2, 0x1.62ac55a42004p-2},
                  {-0x1.0251627a515cp-4, -0x1.ee887ca7c8164p-1, 0x1.09b72b8a42584p-2},
                  {0x1.982e1f0a38718p-1, 0x1.19164f32f5096p-1, -0x1.82798a949a3fcp-2}},
       .radius = 0,
       .pose = {{0x1.a97f24cfbac45p-5, 0x1.46e3733d9bdc9p-1, -0x1.9379ba4548445p-7},
                {-0x1.b4744dbd713a7p-1, -0x1.33a161721201ep-2, 0x1.0e9e690ee072bp-2,
                 0x1.58948b399fa8p-2}}},
      {.kind = BodyKind::kHull,
       .points = {{-0x1.73f3dfd0d0639p-5, -0x1.76be9d2abbf7bp-2, 0x1.6365b4e78e268p-1},
                  {-0x1.48a408df13c4bp-2, -0x1.5da181c52d2b3p-1, 0x1.b88d5412d3f3fp-5},
                  {0x1.586262b13d6f5p-1, -0x1.dd993dd95476cp-2, -0x1.552f0b5bbce5fp-1},
                  {0x1.6989f603bd6d8p-1, -0x1.568b7a24b0be3p-3, 0x1.94ec03cc7c466p-5},
                  {0x1.a20d79c7a81eap-2, -0x1.05a4a844823e6p-1, -0x1.424bc16e33fa5p-1},
                  {0x1.af9bb81bfde1bp-1, 0x1.186cea5d38555p-1, 0x1.7adba8bfb7dc3p-2}},
       .radius = 0,
       .pose = {{0x1.0321c980a955ap-1, -0x1.660113ac3bb59p-3, 0x1.13abdd8d502ep-5},
                {0x1.64d268b65f75dp-2, 0x1.1e90830591fefp-2, 0x1.705666159d913p-2,
                 0x1.a35d0307b6d87p-1}}}};
  for (Vec3d& point : bodies.b.points) point = 0x1p-28 * point;
  const CheckedPair pair(bodies);
  const DistanceAnswer answer = Distance(pair.PosedA(), pair.PosedB(), {});
  EXPECT_EQ(FaultOf(CheckDistance(pair.PosedA(), pair.PosedB(), {}, answer)), "");
}

// The point is 2.6e-14 from an edge and sees a face past it all but edge on: rounding kept the far
// corner from coming nearer, and left the bracket 2e-12 wide with contact in it.
TEST(Regression, ACornerThatOnlyTurnsTheNormal) {
  BodyPair bodies = {
      MakePointBody(0),
      {.kind = BodyKind::kHull,
       .points = {{-1, 0x1.7b3d5f61912p-30, 0},
                  {0x1.d1f4dbfc92c81p-1, -0x1.59229b5166069p-30, 0},
                  {-0x1.5f5ccacb278b8p-3, -1, 1},
                  {0x1.2e54664c2f1a2p-1, 1, 1}},
       .radius = 0,
       .pose = {{0x1.4efcdc787959ap-46, -0x1.2994e4accd7fcp-46, -0x1.0c4ee367175c5p-47},
                {0x1.863f806db5b33p-1, 0x1.101dad9c0010bp-1, -0x1.5a4997c27d938p-3,
                 0x1.5080f4027fbadp-2}}}};
  bodies.a.pose.q_WS = {-0x1.acd80b5694c73p-3, -0x1.c4e38770e9747p-1, 0x1.981861e7e83ap-2,
                        -0x1.f3fde589809aep-4};
  const CheckedPair pair(bodies);
  const DistanceAnswer answer = Distance(pair.PosedA(), pair.PosedB(), {});
  EXPECT_EQ(FindFault(pair, answer), "");
  EXPECT_EQ(answer.state, State::kSeparated);
}

// Boxes that differ by units in the last place, overlapping by another: a facet of the difference
// is all edge, the edge meets the origin, and its normal was any.
TEST(Regression, AFacetThatIsAnEdgeThroughTheOrigin) {
  BodyPair bodies = {
      {.kind = BodyKind::kHull,
       .points = {{-0x1.0a4c965110441p+0, -0x1.fe967f4c961c8p+0, -0x1.66e8c848954e1p+0},
                  {0x1.0a4c965110441p+0, -0x1.fe967f4c961c8p+0, -0x1.66e8c848954e1p+0},
                  {-0x1.0a4c965110441p+0, 0x1.fe967f4c961c8p+0, -0x1.66e8c848954e1p+0},
                  {0x1.0a4c965110441p+0, 0x1.fe967f4c961c8p+0, -0x1.66e8c848954e1p+0},
                  {-0x1.0a4c965110441p+0, -0x1.fe967f4c961c8p+0, 0x1.66e8c848954e1p+0},
                  {0x1.0a4c965110441p+0, -0x1.fe967f4c961c8p+0, 0x1.66e8c848954e1p+0},
                  {-0x1.0a4c965110441p+0, 0x1.fe967f4c961c8p+0, 0x1.66e8c848954e1p+0},
                  {0x1.0a4c965110441p+0, 0x1.fe967f4c961c8p+0, 0x1.66e8c848954e1p+0}},
       .radius = 0,
       .pose = {{0x1.023ef6814bb3ep-1, 0x1.42f055274e394p-2, -0x1.a740130bdb51cp-1}, {}}},
      {.kind = BodyKind::kHull,
       .points = {{-0x1.0a4c96511043ep+0, -0x1.fe967f4c961c8p+0, -0x1.66e8c848954e2p+0},
                  {0x1.0a4c96511044p+0, -0x1.fe967f4c961c8p+0, -0x1.66e8c848954dep+0},
                  {-0x1.0a4c965110441p+0, 0x1.fe967f4c961cap+0, -0x1.66e8c848954dep+0},
                  {0x1.0a4c965110441p+0, 0x1.fe967f4c961c8p+0, -0x1.66e8c848954e4p+0},
                  {-0x1.0a4c965110443p+0, -0x1.fe967f4c961cbp+0, 0x1.66e8c848954e2p+0},
                  {0x1.0a4c965110442p+0, -0x1.fe967f4c961cap+0, 0x1.66e8c848954dep+0},
                  {-0x1.0a4c96511044p+0, 0x1.fe967f4c961cap+0, 0x1.66e8c848954e1p+0},
                  {0x1.0a4c965110444p+0, 0x1.fe967f4c961c6p+0, 0x1.66e8c848954ep+0}},
       .radius = 0,
       .pose = {{-0x1.9379b1617aae4p+0, 0x1.42f055274e396p-2, -0x1.a740130bdb51ep-1}, {}}}};
  const CheckedPair pair(bodies);
  const DistanceAnswer answer = Distance(pair.PosedA(), pair.PosedB(), {});
  EXPECT_EQ(FaultOf(CheckDistance(pair.PosedA(), pair.PosedB(), {}, answer)), "");
  EXPECT_LT(answer.n_AB.x, -0.99);
}

}  // namespace
}  // namespace clearance::testing

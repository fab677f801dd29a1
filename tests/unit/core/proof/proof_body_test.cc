// SPDX-License-Identifier: Apache-2.0
//
// Frames and supports of the checker, against numbers worked out by hand.

#include "core/proof/proof_body.h"

#include <gtest/gtest.h>

#include <variant>

#include "core/shape/make_shape.h"

namespace clearance {
namespace {

void ExpectNear(const QuadVec& got, const QuadVec& want) {
  EXPECT_LT(double(Length(got - want)), 1e-30)
      << double(got.x) << ' ' << double(got.y) << ' ' << double(got.z);
}

struct Turn {
  const char* name;
  Quaternion q;
  QuadVec x, y, z;  // where the axes go
};

// By the angle of 7, 24 and 25: each quaternion is 5 long, which only its direction counts for.
TEST(FrameOf, TurnsAboutEachAxisAlone) {
  const Quad cos = Quad(7) / 25;
  const Quad sin = Quad(24) / 25;
  const Turn turns[] = {
      {"about x", {3, 0, 0, 4}, {1, 0, 0}, {0, cos, sin}, {0, -sin, cos}},
      {"about y", {0, 3, 0, 4}, {cos, 0, -sin}, {0, 1, 0}, {sin, 0, cos}},
      {"about z", {0, 0, 3, 4}, {cos, sin, 0}, {-sin, cos, 0}, {0, 0, 1}},
  };
  const ConvexShapePtr point = std::get<ConvexShapePtr>(MakePoint(1));
  for (const Turn& turn : turns) {
    SCOPED_TRACE(turn.name);
    const Pose of_body = {{5, 6, 7}, turn.q};
    const Pose of_shape = {{1, 0, 0}, turn.q};
    const QuadFrame body = FrameOf({*point, of_body}, {5, 6, 6});
    ExpectNear(body.x, turn.x);
    ExpectNear(body.y, turn.y);
    ExpectNear(body.z, turn.z);
    ExpectNear(body.origin, {0, 0, 1});
    const QuadFrame shape = FrameOf({*point, kIdentityPose, of_shape}, {});
    ExpectNear(shape.x, turn.x);
    ExpectNear(shape.y, turn.y);
    ExpectNear(shape.z, turn.z);
    ExpectNear(shape.origin, {1, 0, 0});
    ExpectNear(FrameOf({*point, of_body, of_shape}, of_body.p_WS).origin, turn.x);
  }
}

// Its thickness is 2^-1994 of its width: nothing, in the units that the width is near 1 in.
TEST(ProofBody, OfAnEllipsoidTooFlatForItsUnitsIsADisc) {
  const ConvexShapePtr flat = std::get<ConvexShapePtr>(MakeEllipsoid({2e300, 1e300, 1e-300}, 0));
  const ProofBody body(*flat, QuadFrame{});
  ExpectNear(body.Support({0, 0, 1}).point, {0, 0, 0});
  EXPECT_TRUE(body.Support({0, 0, 1}).height == 0);
  EXPECT_TRUE(body.Support({0, -1, 0}).height == Quad(1e300));
}

}  // namespace
}  // namespace clearance

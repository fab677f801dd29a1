// SPDX-License-Identifier: Apache-2.0
//
// Times of collision against closed forms.

#include "core/query/time_of_collision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "tests/support/same_bits.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

TimeOfCollisionAnswer Solve(const ConvexShapePtr& a, const Pose& pose_a, const Motion& motion,
                            const ConvexShapePtr& b, const Pose& pose_b, double target = 0) {
  const Motion rest{{}, {}, pose_b.p_WS};
  return TimeOfCollision({*a, pose_a, motion}, {*b, pose_b, rest}, {target});
}

Motion Straight(const Vec3d& displacement) { return {displacement, {}, {}}; }

void ExpectHit(const TimeOfCollisionAnswer& answer, double want, double tolerance) {
  ASSERT_EQ(answer.state, MotionState::kHit);
  EXPECT_LE(answer.t_free, answer.t_hit);
  EXPECT_LE(answer.t_free, want);
  EXPECT_NEAR(answer.t_hit, want, tolerance);
}

TEST(TimeOfCollision, OfBoxesThatMeetFaceToFace) {
  const auto answer = Solve(Box(1, 1, 1), {}, Straight({10, 0, 0}), Box(1, 1, 1), At(6, 0.5, 0));
  ExpectHit(answer, 0.4, 1e-15);
  EXPECT_NEAR(answer.n_AB.x, 1, 1e-15);
  EXPECT_NEAR(answer.p_WA.x, 5, 1e-14);
  EXPECT_NEAR(answer.p_WB.x, 5, 1e-14);
}

TEST(TimeOfCollision, OfSpheresAtAnAngle) {
  // |(1 - t) (3, 4)| = 1 at t = 0.8.
  ExpectHit(Solve(Sphere(0.5), {}, Straight({3, 4, 0}), Sphere(0.5), At(3, 4, 0)), 0.8, 1e-14);
  // A graze at an angle: the root of (10 t - 5)^2 + 0.6^2 = 1.
  ExpectHit(Solve(Sphere(0.5), {}, Straight({10, 0, 0}), Sphere(0.5), At(5, 0.6, 0)), 0.42, 1e-14);
}

TEST(TimeOfCollision, StopsShortOfTheTargetDistance) {
  ExpectHit(Solve(Box(1, 1, 1), {}, Straight({10, 0, 0}), Box(1, 1, 1), At(6, 0, 0), 1), 0.3,
            1e-15);
  EXPECT_EQ(Solve(Box(1, 1, 1), {}, Straight({10, 0, 0}), Box(1, 1, 1), At(6, 0, 0), 4.5).state,
            MotionState::kInitiallyOverlapping);
}

TEST(TimeOfCollision, OfAPassIsFreeHoweverNarrow) {
  for (const double gap : {1.0, 1e-3, 1e-9, 1e-13}) {
    const auto answer =
        Solve(Box(1, 1, 1), {}, Straight({10, 0, 0}), Box(1, 1, 1), At(5, 2 + gap, 0));
    EXPECT_EQ(answer.state, MotionState::kFree) << gap;
    EXPECT_EQ(answer.t_free, 1);
  }
}

TEST(TimeOfCollision, OfWhatOverlapsOrTouchesAtTheStartSaysSo) {
  for (const double x : {0.0, 1.5, 2.0}) {
    const auto answer = Solve(Box(1, 1, 1), {}, Straight({-10, 0, 0}), Box(1, 1, 1), At(x, 0, 0));
    EXPECT_EQ(answer.state, MotionState::kInitiallyOverlapping) << x;
    EXPECT_EQ(answer.t_hit, 0);
  }
}

TEST(TimeOfCollision, OfAFastBulletDoesNotTunnelAndIsBracketed) {
  const auto answer =
      Solve(Box(0.01, 0.01, 0.01), At(-1000, 0, 0), Straight({1e9, 0, 0}), Box(1e-6, 1, 1), {});
  ASSERT_EQ(answer.state, MotionState::kHit);
  const double want = (1000 - 0.01 - 1e-6) / 1e9;
  EXPECT_LE(answer.t_free, want + 1e-21);
  EXPECT_NEAR(answer.t_hit, want, 1e-18);
}

// In one step of the clock it goes through more than the tolerance: the contact is at the next.
TEST(TimeOfCollision, OfAFastBallIsFoundAFewStepsOfTheClockLater) {
  const auto answer =
      Solve(Sphere(0.01), At(-1000, 0, 0), Straight({1e12, 0, 0}), Box(1e-3, 1, 1), {});
  ASSERT_EQ(answer.state, MotionState::kHit);
  EXPECT_GE(answer.t_hit, answer.t_free);
  EXPECT_NEAR(answer.t_hit, (1000 - 0.01 - 1e-3) / 1e12, 1e-15);
}

// The rounding of a long lever hides at the start whether the balls touch, and waiting does not
// help. The waits begin where points move at all.
TEST(TimeOfCollision, DoubtAtTheStart_TakesFewDistances) {
  const Motion swing = {{}, {0, 0, 1e-9}, {0, -1e8, 0}};
  const auto answer = Solve(Sphere(1), {}, swing, Sphere(1), At(2 + 1e-9, 0, 0));
  EXPECT_EQ(answer.state, MotionState::kUndecided);
  EXPECT_EQ(answer.t_free, 0);
  EXPECT_LT(answer.iterations, 150U);
}

// Of bodies that go a million times their size double precision does not tell that they touch.
TEST(TimeOfCollision, OfSpecksThatComeFromFarAway) {
  const auto speck = Points({1e-8, 0, 0, -1e-8, 1e-9, 0, 0, 1e-8, 1e-9, 0, -1e-9, 1e-8});
  const auto answer = Solve(Box(1e-8, 1e-8, 1e-8), At(-1, 0, 0), Straight({2, 0, 0}), speck, {});
  ASSERT_EQ(answer.state, MotionState::kHit);
  EXPECT_NEAR(answer.t_hit, 0.5, 1e-7);
}

// The gap is wider than the way by less than a double tells: the plane does not say hit.
TEST(TimeOfCollision, OfAWayThatEndsJustBeforeContactIsNoHitInTime) {
  const auto tip = Points({1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1});
  const auto answer =
      Solve(Box(1, 1, 1), At(-0x1p-60, 0, 0), Straight({1, 0, 0}), tip, At(3, 0, 0));
  EXPECT_NE(answer.state, MotionState::kUndecided);
  EXPECT_EQ(answer.t_free, 1);
}

// What the sides of such a plate measure has squares that are no numbers any more. The point comes
// to lie 0.18 m behind one of them.
TEST(TimeOfCollision, OfAPlateAsThinAsNumbersGoIsNotMissed) {
  const auto point = Points({0, 0, 0});
  for (const double z : {5e-324, 1e-323, 1.5e-323, 1e-200}) {
    const auto plate = Points({-0.75, 0, z,  0.75, 0, z,  0, -0.75, z,  0, 0.75, z,  //
                               -0.75, 0, -z, 0.75, 0, -z, 0, -0.75, -z, 0, 0.75, -z});
    for (const double x : {1.0, -1.0}) {
      for (const double y : {1.0, -1.0}) {
        for (const Vec3d& way : {Vec3d{-0.25, -0.1875, 0}, Vec3d{-0.8125, -0.125, 0}}) {
          const auto answer = Solve(point, At(0.625 * x, 0.3125 * y, 0),
                                    Straight({way.x * x, way.y * y, 0}), plate, {});
          EXPECT_NE(answer.state, MotionState::kFree) << z << " " << x << " " << y;
          EXPECT_LT(answer.t_free, 0.75);
          const auto reversed = TimeOfCollision(
              {*plate, {}, Straight({})},
              {*point, At(0.625 * x, 0.3125 * y, 0), Straight({way.x * x, way.y * y, 0})}, {});
          EXPECT_NE(reversed.state, MotionState::kFree) << z << " " << x << " " << y;
        }
      }
    }
  }
}

// The plate's side again: proofs have a normal that is a number.
TEST(TimeOfCollision, OfAPassBesideAThinPlateIsProvedByANormal) {
  const auto plate = Points({-0.75, 0, 1e-200, 0.75, 0, -1e-200, 0, -0.75, 1e-200, 0, 0.75, -1e-200,
                             -0.75, 0, -1e-200, 0.75, 0, 1e-200});
  MotionProof proof;
  const Pose start = At(0.625, 0.3125, 0), rest;
  const auto point = Points({0, 0, 0});
  const auto answer = TimeOfCollision({*point, start, Straight({0.25, 0.125, 0})},
                                      {*plate, rest, Straight({})}, {.proof = &proof});
  EXPECT_EQ(answer.state, MotionState::kFree);
  ASSERT_GE(proof.size, 1);
  for (int i = 0; i < proof.size; ++i) EXPECT_NEAR(Norm(proof.intervals[i].n_W), 1, 1e-12);
}

TEST(TimeOfCollision, OfCurvedBodiesThatFly) {
  const auto ball = std::get<ConvexShapePtr>(MakeEllipsoid({1, 2, 3}, 0));
  ExpectHit(Solve(ball, {}, Straight({10, 0, 0}), Box(1, 1, 1), At(6, 0, 0)), 0.4, 1e-9);
}

TEST(TimeOfCollision, OfAPieceThatIsTurnedInItsBody) {
  const auto box = Box(1, 1, 1);
  const Pose start_a, start_b = At(6, 0.5, 0), local = {{}, {0.6, 0, 0, 0.8}};
  const Motion flight = Straight({10, 0, 0}), rest = Straight({});
  const auto answer =
      TimeOfCollision({*box, start_a, flight, local}, {*box, start_b, rest, local}, {});
  ExpectHit(answer, 0.4, 1e-15);
}

TEST(TimeOfCollision, OfARodThatTurnsIntoAPoint) {
  // The rod from the origin to (2, 0, 0) turns about z; a small sphere stands at the angle 1 rad, 1
  // m away. They meet when the rod's line is a radius away: at the angle 1 - asin(r).
  const auto rod = Points({0, 0, 0, 2, 0, 0});
  const double radius = 0.01;
  const Pose stand = At(std::cos(1.0), std::sin(1.0), 0);
  const double want = (1 - std::asin(radius)) / 3;
  ExpectHit(Solve(rod, {}, {{}, {0, 0, 3}, {}}, Sphere(radius), stand), want, 1e-12);
  EXPECT_EQ(Solve(rod, {}, {{}, {0, 0, -3}, {}}, Sphere(radius), stand).state, MotionState::kFree);
}

TEST(TimeOfCollision, OfAHundredTurnsPastAWallThatIsJustOutOfReach) {
  const auto blade = Box(1, 0.05, 0.05);
  const double reach = std::sqrt(1 + 0.05 * 0.05);
  const Motion spin{{}, {0, 0, kMaxRotation}, {}};
  const auto wall = Box(0.1, 5, 5);
  EXPECT_EQ(Solve(blade, {}, spin, wall, At(reach + 0.101, 0, 0)).state, MotionState::kFree);
  const auto hit = Solve(blade, {}, spin, wall, At(reach + 0.0999, 0, 0));
  ASSERT_EQ(hit.state, MotionState::kHit);
  // The corner at the angle atan(0.05) reaches the wall when its cosine is (reach - 1e-4) / reach.
  const double angle = std::atan2(0.05, 1.0) - std::acos((reach - 1e-4) / reach);
  EXPECT_NEAR(hit.t_hit * kMaxRotation, angle, 1e-9);
}

TEST(TimeOfCollision, IsNotLateWhereAShapeIsFarFromItsOwnOrigin) {
  // A cube whose vertices are a million metres from its frame's origin, and a sphere that flies at
  // it: that the sphere spins about its centre changes nothing.
  const double far = 1e6;
  std::vector<double> xyz;
  for (int i = 0; i < 8; ++i) {
    xyz.insert(xyz.end(), {far + (i & 1 ? 0.5 : -0.5), i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5});
  }
  const auto cube = Points(xyz);
  const Pose turned = {
      {0, 0, 0},
      {-0x1.91fb9bc2b8e9fp-1, -0x1.9c272ccb4cb28p-3, -0x1.18bb4dff8d684p-1, -0x1.a5ee8128c8e75p-3}};
  const Mat3<double> R = RotationMatrix<double>(turned.q_WS);
  const Vec3d n = R * Vec3d{1, 0, 0};
  const Motion rest{{}, {}, far * n};
  const Pose start{(far + 2) * n, {}};
  for (const Vec3d& spin : {Vec3d{0, 0, 1}, Vec3d{3, -2, 1}}) {
    const Motion straight{-2.0 * n, {}, start.p_WS};
    const Motion spinning{-2.0 * n, spin, start.p_WS};
    const auto still = TimeOfCollision({*Sphere(0.5), start, straight}, {*cube, turned, rest}, {});
    const auto turning =
        TimeOfCollision({*Sphere(0.5), start, spinning}, {*cube, turned, rest}, {});
    ASSERT_EQ(still.state, MotionState::kHit);
    ASSERT_EQ(turning.state, MotionState::kHit);
    EXPECT_LE(turning.t_free, still.t_hit);
    EXPECT_NEAR(turning.t_hit, still.t_hit, 1e-8);
  }
}

TEST(TimeOfCollision, SaysSoWhereMotionsOfExtremeSizeLeaveNothingToProve) {
  const auto box = Box(0.5, 0.5, 0.5);
  EXPECT_EQ(Solve(box, {}, Straight({0, 0, 1e165}), box, At(0, 10, 0)).state,
            MotionState::kUndecided);
  // Ten metres along an arc of an astronomic radius, through the other box.
  const Pose b = At(-5, 0, 0);
  const Motion arc{{}, {0, 0, 1e-162}, {-5, 1e163, 0}};
  EXPECT_EQ(TimeOfCollision({*box, Pose{}, Motion{}}, {*box, b, arc}, {}).state,
            MotionState::kUndecided);
  EXPECT_EQ(Solve(box, {}, Straight({0, 0, 1e100}), box, At(0, 10, 0)).state, MotionState::kFree);
}

TEST(TimeOfCollision, TurnsAboutTheGivenPivot) {
  // A small sphere on a wheel of radius 2 about (0, 0, 0) starts at (2, 0, 0) and comes to (0, 2,
  // 0) after a quarter.
  const Motion wheel{{}, {0, 0, 2 * kPi}, {0, 0, 0}};
  const auto answer = Solve(Sphere(0.1), At(2, 0, 0), wheel, Sphere(0.1), At(0, 2, 0));
  const double want = (kPi / 2 - 2 * std::asin(0.05)) / (2 * kPi);
  ExpectHit(answer, want, 1e-12);
}

TEST(MotionToEndPose, IsTheShortestArcAndRefusesHalfATurn) {
  Motion motion;
  EXPECT_EQ(MotionToEndPose(At(1, 2, 3), {{2, 2, 3}, kQuarterTurn}, &motion), EndPoseFault::kNone);
  EXPECT_EQ(motion.displacement, (Vec3d{1, 0, 0}));
  EXPECT_EQ(motion.pivot, (Vec3d{1, 2, 3}));
  EXPECT_NEAR(motion.rotation.z, kPi / 2, 1e-15);
  EXPECT_EQ(MotionToEndPose({}, {{}, {0, 0, 1, 0}}, &motion), EndPoseFault::kAmbiguous);
  EXPECT_EQ(MotionToEndPose({}, {{}, {0, 0, 1, 1e-6}}, &motion), EndPoseFault::kNone);
}

TEST(IsMotionRepresentable, RefusesWhatOverflows) {
  const auto box = Box(1, 1, 1);
  const Pose pose;
  EXPECT_TRUE(IsMotionRepresentable(box->bounding_radius(), pose, Straight({1e300, 0, 0})));
  EXPECT_FALSE(IsMotionRepresentable(box->bounding_radius(), pose, Straight({1e308, 0, 0})));
}

TEST(TimeOfCollision, TellsTheContactOfAnInitialOverlap) {
  const auto answer = Solve(Box(1, 1, 1), {}, Straight({1, 0, 0}), Box(1, 1, 1), At(1.75, 0.5, 0));
  ASSERT_EQ(answer.state, MotionState::kInitiallyOverlapping);
  EXPECT_NEAR(answer.distance, -0.25, 1e-14);
  EXPECT_NEAR(answer.n_AB.x, 1, 1e-14);
  EXPECT_NEAR(answer.p_WA.x, 1, 1e-14);
  EXPECT_NEAR(answer.p_WB.x, 0.75, 1e-14);
}

TimeOfCollisionAnswer Leave(const ConvexShapePtr& a, const Motion& motion, const ConvexShapePtr& b,
                            const Pose& pose_b, MotionProof* proof = nullptr) {
  const Motion rest{{}, {}, pose_b.p_WS};
  const Pose pose_a;
  return TimeOfCollision({*a, pose_a, motion}, {*b, pose_b, rest}, {0, true, proof});
}

TEST(TimeOfCollision, TouchThenPart_IsFreeIfContactIsIgnored) {
  for (const double overlap : {0.0, 1e-12, 1e-3, 0.3}) {
    const auto answer =
        Leave(Box(1, 1, 1), Straight({-10, 0, 0}), Box(1, 1, 1), At(2 - overlap, 0.5, 0));
    EXPECT_EQ(answer.state, MotionState::kFree) << overlap;
    EXPECT_GT(answer.t_leave, 0.1 * overlap) << overlap;
    EXPECT_LE(answer.t_leave, 0.2 * overlap + 1e-8) << overlap;
  }
}

TEST(TimeOfCollision, PressOrSlide_OverlapsThoughContactIsIgnored) {
  const auto box = Box(1, 1, 1);
  for (const Vec3d& displacement : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{}}) {
    EXPECT_EQ(Leave(box, Straight(displacement), box, At(2, 0.5, 0)).state,
              MotionState::kInitiallyOverlapping);
  }
  // Through the other body and out behind it is no way to leave.
  EXPECT_EQ(Leave(box, Straight({10, 0, 0}), box, At(1.9, 0, 0)).state,
            MotionState::kInitiallyOverlapping);
}

// A hatch that lies on the floor opens about its hinge and falls on the floor behind it after half
// a turn.
TEST(TimeOfCollision, HitsAgainAfterAnIgnoredContact) {
  const Motion opening{{}, {0, 0, 1.5 * kPi}, {}};
  const auto hatch = Points({0.125, 0, 0, 1, 0, 0});
  const auto answer = Leave(hatch, opening, Box(2, 1, 1), At(0, -1, 0));
  ASSERT_EQ(answer.state, MotionState::kHit);
  EXPECT_GT(answer.t_leave, 0);
  EXPECT_LT(answer.t_leave, 1e-6);
  EXPECT_LE(answer.t_free, 2 / 3.0);
  EXPECT_NEAR(answer.t_hit, 2 / 3.0, 1e-8);
  EXPECT_NEAR(answer.n_AB.y, -1, 1e-8);
}

// A proof along a normal is lost by the square of a turn, whatever the shape: of a wheel that spins
// in place it covers too little time to see that the wheel leaves.
TEST(TimeOfCollision, LeavingWheel_IsFreeUnlessItSpinsTooFast) {
  const auto wheel = std::get<ConvexShapePtr>(MakeCylinder(1, 0.125, 0));
  const Vec3d away = {-1.0 / 1024, 0, 0};
  const auto slow = Leave(wheel, {away, {0, 0, 1}, {}}, Box(1, 1, 1), At(2, 0, 0));
  EXPECT_EQ(slow.state, MotionState::kFree);
  EXPECT_GT(slow.t_leave, 0);
  EXPECT_LE(slow.t_leave, 1e-4);
  const auto fast = Leave(wheel, {away, {0, 0, 600}, {}}, Box(1, 1, 1), At(2, 0, 0));
  EXPECT_EQ(fast.state, MotionState::kInitiallyOverlapping);
  EXPECT_EQ(fast.t_leave, 0);
}

TEST(TimeOfCollision, SpinningWheelBesideWall_UsesUpItsSteps) {
  const auto wheel = std::get<ConvexShapePtr>(MakeCylinder(1, 0.125, 0));
  const Motion spin{{}, {0, 0, kMaxRotation}, {}};
  const auto far_away = Solve(wheel, {}, spin, Box(1, 5, 5), At(2 + 0x1p-6, 0, 0));
  EXPECT_EQ(far_away.state, MotionState::kFree);
  // In truth free for ever.
  const auto near = Solve(wheel, {}, spin, Box(1, 5, 5), At(2 + 0x1p-14, 0, 0));
  EXPECT_EQ(near.state, MotionState::kUndecided);
  EXPECT_EQ(near.reason, UndecidedReason::kIterations);
  EXPECT_GE(near.iterations, static_cast<std::uint32_t>(kMaxMotionSteps));
  EXPECT_GT(near.t_free, 0);
  EXPECT_LT(near.t_free, 1);
  EXPECT_EQ(near.t_hit, 1);
}

TEST(TimeOfCollision, CoversTheFreeTimeWithIntervals) {
  const Motion spin{{-2, 0, 0}, {0, 0, 30}, {}};
  MotionProof proof;
  const auto answer = Leave(Box(1, 0.1, 0.1), spin, Box(0.5, 0.5, 0.5), At(-2.5, 0, 0), &proof);
  ASSERT_EQ(answer.state, MotionState::kHit);
  ASSERT_FALSE(proof.is_truncated);
  ASSERT_GT(proof.size, 1);
  double covered = 0;
  for (int i = 0; i < proof.size; ++i) {
    EXPECT_EQ(proof.intervals[i].t_begin, covered);
    EXPECT_NEAR(NormSquared(proof.intervals[i].n_W), 1, 1e-15);
    covered = proof.intervals[i].t_end;
  }
  EXPECT_EQ(covered, answer.t_free);
}

// A batch leaves to the search what has no lanes: ways too long to prove anything, units without
// their own digits, bodies that are turned in their frames or turn.
TEST(TimesOfCollision, OfWhatHasNoLanesAreThoseOneByOne) {
  const ConvexShapePtr box = Box(1, 1, 1), tiny = Box(0x1p-1040, 0x1p-1040, 0x1p-1040);
  const Pose X_WA, X_WB = At(3, 0, 0), near = At(0x1p-1037, 0, 0);
  const Pose turned = {{0, 0, 0}, kQuarterTurn};
  const Motion still = {}, way = {{2, 0, 0}, {}, {}}, tiny_way = {{0x1p-1037, 0, 0}, {}, {}};
  const Motion endless = {{0x1p500, 0x1p480, 0}, {}, {}}, turning = {{2, 0, 0}, {0, 0, 1}, {}};
  const std::vector<TimeOfCollisionQuestion> questions = {
      {{*box, X_WA, way}, {*box, X_WB, still}, {}},
      {{*box, X_WA, endless}, {*box, X_WB, still}, {}},
      {{*tiny, X_WA, tiny_way}, {*tiny, near, still}, {}},
      {{*box, X_WA, way, turned}, {*box, X_WB, still}, {}},
      {{*box, X_WA, still}, {*box, X_WB, still}, {}},
      {{*box, X_WA, turning}, {*box, X_WB, still}, {}},
  };
  std::vector<TimeOfCollisionAnswer> answers(questions.size());
  TimesOfCollision(questions, absl::MakeSpan(answers));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& [a, b, options] = questions[i];
    const TimeOfCollisionAnswer alone = TimeOfCollision(a, b, options);
    EXPECT_TRUE(testing::SameBits(answers[i], alone)) << i;
  }
  EXPECT_EQ(answers[0].state, MotionState::kHit);
  EXPECT_EQ(answers[1].reason, UndecidedReason::kPrecision);
  EXPECT_EQ(answers[2].state, MotionState::kHit);
  EXPECT_EQ(answers[3].state, MotionState::kHit);
  EXPECT_EQ(answers[4].state, MotionState::kFree);
  EXPECT_EQ(answers[5].state, MotionState::kHit);
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// Compounds against closed forms: which pieces are named, whose bracket it is, what is left out.

#include "core/query/body_query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "tests/support/same_bits.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RigidBodyPtr Compound(std::vector<Piece> pieces) {
  return std::get<RigidBodyPtr>(MakeCompound(std::move(pieces)));
}

// A U that is open towards +y: the floor below y = 0, walls from x = 1 and x = -1 outwards.
RigidBodyPtr Cup() {
  return Compound({{Box(2, 0.5, 1), At(0, -0.5, 0)},
                   {Box(0.5, 2, 1), At(-1.5, 2, 0)},
                   {Box(0.5, 2, 1), At(1.5, 2, 0)}});
}

// Twelve cubes around the z axis, at the distance 10.
RigidBodyPtr Ring() {
  std::vector<Piece> pieces;
  for (int i = 0; i < 12; ++i) {
    const double angle = 0.52359877559829887 * i;
    pieces.push_back({Box(1, 1, 1), At(10 * std::cos(angle), 10 * std::sin(angle), 0)});
  }
  return Compound(pieces);
}

DistanceAnswer Solve(const RigidBodyPtr& a, const RigidBodyPtr& b, const Pose& pose_b,
                     const DistanceOptions& options = {}) {
  return Distance(PosedBody{*a, kIdentityPose}, PosedBody{*b, pose_b}, options);
}

TEST(BodyDistance, OfABallInsideACupIsThatOfTheNearestWall) {
  const RigidBodyPtr ball = MakeBody(Sphere(0.25));
  const DistanceAnswer answer = Solve(Cup(), ball, At(0.5, 1, 0));
  EXPECT_EQ(answer.state, State::kSeparated);
  EXPECT_EQ(answer.piece_a, 2U);
  EXPECT_EQ(answer.piece_b, 0U);
  EXPECT_LE(answer.bracket.lower, 0.25);
  EXPECT_GE(answer.bracket.upper, 0.25);
  EXPECT_EQ(answer.n_AB, (Vec3d{-1, 0, 0}));
  EXPECT_EQ(answer.p_WA, (Vec3d{1, 1, 0}));
  EXPECT_FALSE(answer.is_piecewise);
  EXPECT_EQ(Solve(Cup(), ball, At(0, 0.5, 0)).piece_a, 0U);
}

// Compounds among convex bodies, curved ones among polytopes, more than are searched for at once:
// each has the answer that it has alone.
TEST(BodyDistances, AreThoseOfEachPair) {
  const RigidBodyPtr bodies[] = {Cup(), MakeBody(Box(1, 0.5, 0.25)), MakeBody(Sphere(0.25)),
                                 MakeBody(std::get<ConvexShapePtr>(MakeCylinder(0.5, 1, 0)))};
  for (const int most_kinds : {4, 2}) {  // 2: no two compounds, and nothing curved beside one
    std::vector<Pose> poses;
    for (int i = 0; i < 70; ++i) poses.push_back(At(0.1 * i, 5.5 - 0.07 * i, 0.3));
    std::vector<BodyDistanceQuestion> questions;
    std::vector<DepthProof> proofs(poses.size());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const auto kinds = static_cast<std::size_t>(most_kinds);
      const RigidBody& a = *bodies[most_kinds == 2 ? 1 : i % kinds];
      const RigidBody& b = *bodies[most_kinds == 2 ? 1 : i / kinds % kinds];
      DistanceOptions options;
      if (i % 3 == 0) options.depth_proof = &proofs[i];
      questions.push_back({{a, kIdentityPose}, {b, poses[i]}, options});
    }
    std::vector<DistanceAnswer> answers(questions.size());
    Distances(questions, absl::MakeSpan(answers));
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const DistanceAnswer alone = Distance(questions[i].a, questions[i].b, {});
      EXPECT_EQ(answers[i].state, alone.state) << i;
      EXPECT_EQ(answers[i].distance, alone.distance) << i;
      EXPECT_EQ(answers[i].bracket.lower, alone.bracket.lower) << i;
      EXPECT_EQ(answers[i].bracket.upper, alone.bracket.upper) << i;
      EXPECT_EQ(answers[i].p_WA, alone.p_WA) << i;
      EXPECT_EQ(answers[i].piece_a, alone.piece_a) << i;
    }
  }
}

TEST(BodyIntersections, AreThoseOfEachPair) {
  const RigidBodyPtr bodies[] = {Cup(), MakeBody(Box(1, 0.5, 0.25)), MakeBody(Sphere(0.25)),
                                 MakeBody(std::get<ConvexShapePtr>(MakeCylinder(0.5, 1, 0)))};
  std::vector<Pose> poses;
  for (int i = 0; i < 150; ++i) poses.push_back(At(0.1 * i, 5.5 - 0.07 * i, 0.3));
  std::vector<BodyIntersectionQuestion> questions;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    questions.push_back(
        {{*bodies[i % 4], kIdentityPose}, {*bodies[i / 4 % 4], poses[i]}, {i % 3 == 0}});
  }
  std::vector<IntersectionAnswer> answers(questions.size());
  Intersections(questions, absl::MakeSpan(answers));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& [a, b, options] = questions[i];
    const IntersectionAnswer alone = Intersection(a, b, options);
    EXPECT_EQ(answers[i].state, alone.state) << i;
    EXPECT_EQ(answers[i].bracket.lower, alone.bracket.lower) << i;
    EXPECT_EQ(answers[i].bracket.upper, alone.bracket.upper) << i;
    EXPECT_EQ(answers[i].iterations, alone.iterations) << i;
  }
}

TEST(BodyTimesOfCollision, AreThoseOfEachPair) {
  const RigidBodyPtr bodies[] = {Cup(), MakeBody(Box(1, 0.5, 0.25)), MakeBody(Sphere(0.25))};
  const Motion still = {}, way = {{-6, -6, 0}, {}, {}};
  std::vector<Pose> poses;
  for (int i = 0; i < 90; ++i) poses.push_back(At(0.1 * i, 5.5 - 0.07 * i, 0.3));
  std::vector<BodyTimeOfCollisionQuestion> questions;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    questions.push_back(
        {{*bodies[i % 3], kIdentityPose, still}, {*bodies[i / 3 % 3], poses[i], way}, {}});
  }
  std::vector<TimeOfCollisionAnswer> answers(questions.size());
  TimesOfCollision(questions, absl::MakeSpan(answers));
  int hits = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& [a, b, options] = questions[i];
    const TimeOfCollisionAnswer alone = TimeOfCollision(a, b, options);
    EXPECT_TRUE(testing::SameBits(answers[i], alone)) << i;
    EXPECT_EQ(answers[i].piece_a, alone.piece_a) << i;
    hits += alone.state == MotionState::kHit ? 1 : 0;
  }
  EXPECT_GT(hits, 20);
}

TEST(BodyDistance, NamesThePiecesOfEitherSide) {
  const DistanceAnswer answer = Solve(Ring(), Ring(), At(30, 0, 0));
  EXPECT_EQ(answer.piece_a, 0U);
  EXPECT_EQ(answer.piece_b, 6U);
  EXPECT_NEAR(answer.distance, 8, 1e-12);
}

TEST(BodyDistance, OfEqualPairsNamesTheFirst) {
  const RigidBodyPtr twins = Compound({{Box(1, 1, 1), At(8, 0, 0)},
                                       {Box(1, 1, 1), At(4, 0, 0)},
                                       {Box(1, 1, 1), At(-4, 0, 0)},
                                       {Box(1, 1, 1), At(0, -4, 0)}});
  const DistanceAnswer answer = Solve(twins, MakeBody(Box(1, 1, 1)), At(0, 0, 0));
  EXPECT_EQ(answer.piece_a, 1U);
  EXPECT_EQ(Solve(MakeBody(Box(1, 1, 1)), twins, At(0, 0, 0)).piece_b, 1U);
  // By A's id before B's: pieces 0 and 1 are as near as 1 and 0.
  const RigidBodyPtr ends = Compound({{Box(1, 1, 1), At(0, 0, 0)}, {Box(1, 1, 1), At(20, 0, 0)}});
  const RigidBodyPtr outside =
      Compound({{Box(1, 1, 1), At(24, 0, 0)}, {Box(1, 1, 1), At(-4, 0, 0)}});
  const DistanceAnswer crosswise = Solve(ends, outside, At(0, 0, 0));
  EXPECT_EQ(crosswise.piece_a, 0U);
  EXPECT_EQ(crosswise.piece_b, 1U);
}

TEST(BodyDistance, OfADeepPairHasTheBracketOfTheWhole) {
  // The ball overlaps the wall by 0.1 and the floor by 0.2.
  const DistanceAnswer answer = Solve(Cup(), MakeBody(Sphere(0.5)), At(0.6, 0.3, 0));
  EXPECT_EQ(answer.state, State::kPenetrating);
  EXPECT_TRUE(answer.is_piecewise);
  EXPECT_EQ(answer.piece_a, 0U);
  EXPECT_LE(answer.bracket.lower, -0.2);
  EXPECT_GE(answer.bracket.upper, -0.2);
  EXPECT_LT(answer.bracket.upper, -0.19);
}

TEST(BodyDistance, ProvesTheDepthOfTheDeepestPieces) {
  // The box is 0.1 deep in the wall, which comes first, and 0.2 in the floor.
  const Piece wall = {Box(0.5, 2, 1), At(1.5, 2, 0)};
  const Piece floor = {Box(2, 0.5, 1), At(0, -0.5, 0)};
  const Piece far_away = {Box(1, 1, 1), At(50, 0, 0)};
  const auto box = Box(0.5, 0.5, 0.5);
  const Pose pose = At(0.6, 0.3, 0.1);
  DepthProof proof, want;
  DistanceOptions options;
  options.depth_proof = &want;
  Distance({*floor.shape, kIdentityPose, floor.local}, {*box, pose}, options);
  options.depth_proof = &proof;
  for (const auto& pieces : {std::vector<Piece>{wall, floor, far_away}, {floor, far_away, wall}}) {
    EXPECT_EQ(Solve(Compound(pieces), MakeBody(box), pose, options).state, State::kPenetrating);
    EXPECT_GT(proof.vertex_count, 3);
    EXPECT_EQ(proof.vertex_count, want.vertex_count);
    EXPECT_EQ(proof.vertices_a, want.vertices_a);
    EXPECT_EQ(proof.vertices_b, want.vertices_b);
  }
  Solve(Compound({wall, floor}), MakeBody(box), At(0, 9, 0), options);
  EXPECT_EQ(proof.vertex_count, 0);
}

TEST(BodyDistance, OfTwoConvexBodiesIsTheConvexAnswer) {
  const RigidBodyPtr box = MakeBody(Box(1, 1, 1));
  const DistanceAnswer answer = Solve(box, box, At(1.5, 0, 0));
  EXPECT_EQ(answer.state, State::kPenetrating);
  EXPECT_FALSE(answer.is_piecewise);
}

TEST(BodyIntersection, OfTwoConvexBodiesIsTheConvexAnswer) {
  const RigidBodyPtr box = MakeBody(Box(1, 1, 1));
  const auto ask = [&](double x) {
    return Intersection(PosedBody{*box, kIdentityPose}, PosedBody{*box, At(x, 0, 0)});
  };
  EXPECT_EQ(ask(1.5).state, State::kPenetrating);
  EXPECT_LE(ask(1.5).bracket.lower, -0.5);
  EXPECT_EQ(ask(2).state, State::kTouching);
  EXPECT_EQ(ask(5).state, State::kSeparated);
  EXPECT_GE(ask(5).bracket.upper, 3);
}

TEST(BodyTimeOfCollision, OfTwoConvexBodiesIsTheConvexAnswer) {
  const RigidBodyPtr box = MakeBody(Box(1, 1, 1));
  const Pose start_b = At(6, 0, 0);
  const Motion motion = {{10, 0, 0}, {}, {}}, rest;
  const TimeOfCollisionAnswer answer =
      TimeOfCollision(MovingBody{*box, kIdentityPose, motion}, MovingBody{*box, start_b, rest}, {});
  ASSERT_EQ(answer.state, MotionState::kHit);
  EXPECT_LE(answer.t_free, 0.4);
  EXPECT_NEAR(answer.t_hit, 0.4, 1e-15);
  EXPECT_EQ(answer.piece_a, 0U);
  EXPECT_EQ(answer.piece_b, 0U);
}

TEST(BodyDistance, OfAPieceElsewhereIsThatOfTheMovedShape) {
  // Lies on its side: 0.5 along y becomes x.
  const RigidBodyPtr moved = Compound({{Box(2, 0.5, 1), {{3, 0, 0}, kQuarterTurn}}});
  const DistanceAnswer answer = Solve(moved, MakeBody(Sphere(1)), At(6, 0, 0));
  EXPECT_LE(answer.bracket.lower, 1.5);
  EXPECT_GE(answer.bracket.upper, 1.5);
  EXPECT_NEAR(answer.distance, 1.5, 1e-14);
  EXPECT_EQ(answer.piece_a, 0U);
}

TEST(BodyDistance, BeyondTheLimitAsksNothing) {
  DistanceOptions options;
  options.max_distance = 5;
  const DistanceAnswer answer = Solve(Ring(), Ring(), At(30, 0, 0), options);
  EXPECT_EQ(answer.state, State::kBeyond);
  EXPECT_EQ(answer.bracket.lower, 5);
  EXPECT_EQ(answer.bracket.upper, kInfinity);
  EXPECT_EQ(answer.iterations, 0U);
  options.max_distance = 8.5;
  EXPECT_NEAR(Solve(Ring(), Ring(), At(30, 0, 0), options).distance, 8, 1e-12);
}

TEST(BodyDistance, AsksFewOfManyPairs) {
  const Quaternion turn = {0.18257418583505536, 0.3651483716701107, 0.5477225575051661,
                           0.7302967433402214};
  const Pose pose_b = {{30, 1, 2}, turn};
  const RigidBodyPtr ring = Ring();
  std::uint32_t of_all = 0;
  for (const Piece& a : ring->pieces()) {
    for (const Piece& b : ring->pieces()) {
      of_all +=
          Distance({*a.shape, kIdentityPose, a.local}, {*b.shape, pose_b, b.local}, {}).iterations;
    }
  }
  EXPECT_LT(20 * Solve(ring, ring, pose_b).iterations, of_all);
}

// The touching pair is not the one with the least upper bound: still the whole may touch.
TEST(BodyDistance, TouchesWhereAnyPairTouches) {
  const RigidBodyPtr pair = Compound({{Box(1, 1, 1), At(0, 0, 0)}, {Box(1, 1, 1), At(0, 9, 0)}});
  const DistanceAnswer answer = Solve(pair, MakeBody(Box(1, 1, 1)), At(2, 9, 0));
  EXPECT_EQ(answer.state, State::kTouching);
  EXPECT_EQ(answer.piece_a, 1U);
  EXPECT_GE(answer.bracket.lower, -answer.tolerance);
  EXPECT_LE(answer.bracket.upper, answer.tolerance);
}

TEST(BodyDistance, OfCurvedPiecesIsThatOfTheNearest) {
  const auto drum = std::get<ConvexShapePtr>(MakeCylinder(1, 2, 0));
  const auto cone = std::get<ConvexShapePtr>(MakeCone(1, 2, 0));
  const RigidBodyPtr body = Compound({{drum, At(0, 0, 0)}, {cone, At(0, 0, 4)}});
  const DistanceAnswer beside = Solve(body, MakeBody(Sphere(1)), At(5, 0, 0.5));
  EXPECT_EQ(beside.piece_a, 0U);
  EXPECT_NEAR(beside.distance, 3, 1e-12);
  const DistanceAnswer above = Solve(body, MakeBody(Sphere(1)), At(0, 0, 9));
  EXPECT_EQ(above.piece_a, 1U);
  EXPECT_NEAR(above.distance, 2, 1e-12);
}

// The vertex pairs of one pair of pieces are no indices of another's.
TEST(BodyDistance, TakesNoStartFromOtherPieces) {
  const RigidBodyPtr mixed = Compound({{Sphere(1), At(0, 0, 0)}, {Box(1, 1, 1), At(9, 0, 0)}});
  const DistanceAnswer cold = Solve(mixed, MakeBody(Box(1, 1, 1)), At(9, 5, 1));
  DistanceOptions options;
  options.start = &cold.witness;
  EXPECT_GT(cold.witness.vertices_a[0], 0U);
  const Pose moved = {{0, 5, 1}, {0.1, 0.7, 0.5, 0.5}};
  const DistanceAnswer near_ball = Solve(mixed, MakeBody(Box(1, 1, 1)), moved, options);
  EXPECT_EQ(near_ball.piece_a, 0U);
  EXPECT_EQ(near_ball.iterations, Solve(mixed, MakeBody(Box(1, 1, 1)), moved).iterations);
}

TEST(BodyIntersection, TellsApartTouchingAndOverlapping) {
  const auto state = [](const RigidBodyPtr& ball, const Pose& pose) {
    return Intersection(PosedBody{*Cup(), kIdentityPose}, PosedBody{*ball, pose}).state;
  };
  const RigidBodyPtr ball = MakeBody(Sphere(0.5));
  EXPECT_EQ(state(ball, At(0, 1, 0)), State::kSeparated);
  EXPECT_EQ(state(ball, At(0.5, 1, 0)), State::kTouching);
  EXPECT_EQ(state(ball, At(0.5, 0.4, 0)), State::kPenetrating);
  EXPECT_EQ(state(ball, At(50, 0.4, 0)), State::kSeparated);
}

TEST(BodyIntersection, OfBodiesApartBracketsTheirDistance) {
  const IntersectionAnswer answer =
      Intersection(PosedBody{*Ring(), kIdentityPose}, PosedBody{*Ring(), At(30, 0, 0)});
  EXPECT_EQ(answer.state, State::kSeparated);
  EXPECT_GT(answer.bracket.lower, 0);
  EXPECT_LE(answer.bracket.lower, 8);
  EXPECT_GE(answer.bracket.upper, 8);
}

TEST(BodyIntersection, OfOverlappingBodiesBracketsTheDeepestPair) {
  // Pieces 0, thin plates, overlap by 0.2 and their balls by far; pieces 1 overlap by 1.5.
  const RigidBodyPtr a = Compound({{Box(9, 9, 0.1), At(0, 0, 0)}, {Box(1, 1, 1), At(0, 50, 0)}});
  const RigidBodyPtr b = Compound({{Box(9, 9, 0.1), At(0, 0, 0)}, {Box(1, 1, 1), At(0.5, 50, 0)}});
  const IntersectionAnswer answer =
      Intersection(PosedBody{*a, kIdentityPose}, PosedBody{*b, kIdentityPose});
  EXPECT_EQ(answer.state, State::kPenetrating);
  EXPECT_LE(answer.bracket.lower, -1.5);
  EXPECT_GE(answer.bracket.upper, -1.5);
}

TimeOfCollisionAnswer Move(const RigidBodyPtr& a, const RigidBodyPtr& b, const Pose& start_b,
                           const Motion& motion_b, double target = 0) {
  const Motion still;
  MotionOptions options;
  options.target_distance = target;
  return TimeOfCollision(MovingBody{*a, kIdentityPose, still}, MovingBody{*b, start_b, motion_b},
                         options);
}

TEST(BodyTimeOfCollision, IsThatOfTheFirstPiecesToMeet) {
  // Falls into the cup, towards the wall: at x = 0.5 after 1/8, on the floor at y = 0.5.
  const RigidBodyPtr ball = MakeBody(Sphere(0.5));
  const auto start = At(0, 8.5, 0);
  const TimeOfCollisionAnswer floor = Move(Cup(), ball, start, {{0, -16, 0}, {}, start.p_WS});
  EXPECT_EQ(floor.state, MotionState::kHit);
  EXPECT_EQ(floor.piece_a, 0U);
  EXPECT_LE(floor.t_free, 0.5);
  EXPECT_NEAR(floor.t_hit, 0.5, 1e-9);
  EXPECT_NEAR(floor.n_AB.y, 1, 1e-12);
  const TimeOfCollisionAnswer wall = Move(Cup(), ball, At(0, 3, 0), {{4, -1, 0}, {}, {0, 3, 0}});
  EXPECT_EQ(wall.state, MotionState::kHit);
  EXPECT_EQ(wall.piece_a, 2U);
  EXPECT_NEAR(wall.t_hit, 0.125, 1e-9);
  EXPECT_LE(wall.t_free, 0.125);
}

TEST(BodyTimeOfCollision, IsThatOfALateContact) {
  const RigidBodyPtr balls = Compound({{Sphere(1), At(0, 9, 0)}, {Sphere(1), At(0, -9, 0)}});
  const Pose start = At(-10, -9, 0);
  const TimeOfCollisionAnswer answer =
      Move(balls, MakeBody(Sphere(1)), start, {{8.125, 0, 0}, {}, start.p_WS});
  EXPECT_EQ(answer.state, MotionState::kHit);
  EXPECT_EQ(answer.piece_a, 1U);
  EXPECT_NEAR(answer.t_hit, 8 / 8.125, 1e-8);
}

TEST(BodyTimeOfCollision, IsFreeWhereItPassesBetweenThePieces) {
  const RigidBodyPtr ball = MakeBody(Sphere(0.5));
  const TimeOfCollisionAnswer answer =
      Move(Cup(), ball, At(0, 2, -9), {{0, 0, 18}, {}, {0, 2, -9}});
  EXPECT_EQ(answer.state, MotionState::kFree);
  EXPECT_EQ(answer.t_free, 1);
  EXPECT_EQ(answer.t_hit, 1);
  const TimeOfCollisionAnswer near =
      Move(Cup(), ball, At(0, 2, -9), {{0, 0, 18}, {}, {0, 2, -9}}, 0.6);
  EXPECT_EQ(near.state, MotionState::kHit);
}

TEST(BodyTimeOfCollision, TurnsPiecesAboutThePivotOfTheBody) {
  // A quarter turn brings the ball of the arm from +x to the post on +y.
  const RigidBodyPtr arm = Compound({{Sphere(0.25), At(0, 0, 0)}, {Sphere(0.25), At(5, 0, 0)}});
  const RigidBodyPtr post =
      Compound({{Box(0.5, 0.5, 0.5), At(0, 50, 0)}, {Sphere(0.25), At(0, 5, 0)}});
  const double quarter = 1.5707963267948966;
  const TimeOfCollisionAnswer answer = Move(post, arm, At(0, 0, 0), {{}, {0, 0, 2 * quarter}, {}});
  EXPECT_EQ(answer.state, MotionState::kHit);
  EXPECT_EQ(answer.piece_a, 1U);
  EXPECT_EQ(answer.piece_b, 1U);
  // Their centres are 0.5 apart at an angle of 2 asin(0.05) before the quarter turn.
  const double t = 0.5 - std::asin(0.05) / quarter;
  EXPECT_LE(answer.t_free, t + 1e-15);
  EXPECT_NEAR(answer.t_hit, t, 1e-8);
}

TEST(BodyTimeOfCollision, OfBodiesThatOverlapAtTheStart) {
  const TimeOfCollisionAnswer answer =
      Move(Cup(), MakeBody(Sphere(0.5)), At(0.8, 2, 0), {{-1, 0, 0}, {}, {}});
  EXPECT_EQ(answer.state, MotionState::kInitiallyOverlapping);
  EXPECT_EQ(answer.t_free, 0);
  EXPECT_EQ(answer.t_hit, 0);
}

TEST(BodyTimeOfCollision, OfAnInitialOverlapHasTheContactOfDistance) {
  const Motion still;
  const RigidBodyPtr ball = MakeBody(Sphere(0.5));
  const Pose start = At(0.6, 0.3, 0);
  const TimeOfCollisionAnswer answer = Move(Cup(), ball, start, still);
  const DistanceAnswer contact = Solve(Cup(), ball, start);
  EXPECT_EQ(answer.state, MotionState::kInitiallyOverlapping);
  EXPECT_EQ(answer.piece_a, contact.piece_a);
  EXPECT_EQ(answer.distance, contact.distance);
  EXPECT_EQ(answer.n_AB, contact.n_AB);
}

TEST(BodyTimeOfCollision, LeavesAllContactsThatAreIgnored) {
  // Stands on the floor of the cup and touches the wall at x = 1; the wall at x = -1 is 2 wide of
  // it.
  const RigidBodyPtr box = MakeBody(Box(0.5, 0.5, 0.5));
  const Pose start = At(0.5, 0.5, 0);
  const Motion still;
  const auto leave = [&](const Vec3d& displacement) {
    const RigidBodyPtr cup = Cup();
    const Motion motion = {displacement, {}, start.p_WS};
    MotionOptions options;
    options.ignore_initial_contact = true;
    return TimeOfCollision(MovingBody{*cup, kIdentityPose, still}, MovingBody{*box, start, motion},
                           options);
  };
  const TimeOfCollisionAnswer up = leave({-0.5, 4, 0});
  EXPECT_EQ(up.state, MotionState::kFree);
  EXPECT_GT(up.t_leave, 0);
  const TimeOfCollisionAnswer across = leave({-4, 0.5, 0});
  EXPECT_EQ(across.state, MotionState::kHit);
  EXPECT_EQ(across.piece_a, 1U);
  EXPECT_NEAR(across.t_hit, 0.25, 1e-8);
  EXPECT_GT(across.t_leave, 0);
  EXPECT_LE(across.t_leave, across.t_free);
  // So slowly off the floor that it is proved to have left it only after it hits the wall.
  const TimeOfCollisionAnswer sliding = leave({-4, 1e-8, 0});
  EXPECT_EQ(sliding.state, MotionState::kHit);
  EXPECT_EQ(sliding.t_leave, sliding.t_free);
  EXPECT_EQ(leave({0.5, 4, 0}).state, MotionState::kInitiallyOverlapping) << "into the wall";
}

// Nothing can be proved of tiny pieces on a long way; a later hit of others must not hide that.
TEST(BodyTimeOfCollision, IsUndecidedWhereAnEarlierContactIsPossible) {
  const double tiny = std::ldexp(1.0, -480);
  const RigidBodyPtr dust = MakeBody(Box(tiny, tiny, tiny));
  const Pose start = At(3 * tiny, 0, 0);
  const Motion across = {{2, 0, 0}, {}, start.p_WS};
  const Piece wall = {Box(1, 1, 1), At(2, 0, 0)};
  const TimeOfCollisionAnswer hit = Move(Compound({wall, wall}), dust, start, across);
  EXPECT_EQ(hit.state, MotionState::kHit);
  EXPECT_NEAR(hit.t_hit, 0.5, 1e-8);
  const Piece speck = {Box(tiny, tiny, tiny), At(0, 0, 0)};
  for (const auto& pieces : {std::vector<Piece>{wall, speck}, std::vector<Piece>{speck, wall}}) {
    const TimeOfCollisionAnswer answer = Move(Compound(pieces), dust, start, across);
    EXPECT_EQ(answer.state, MotionState::kUndecided);
    EXPECT_EQ(answer.reason, UndecidedReason::kPrecision);
    EXPECT_EQ(answer.t_free, 0);
    EXPECT_EQ(answer.t_hit, 1);
  }
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The checker of answers about bodies must agree with every right answer about compounds. It must
// object if a pair of pieces was overlooked or a bound belongs to another pair. Its oracle for
// being right is compound_test.cc, which finds no fault in the same queries by exact arithmetic;
// for being wrong, the change.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "core/proof/check_body.h"
#include "core/query/body_query.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/compound.h"

namespace clearance::testing {
namespace {

constexpr int kMaxPieces = 5;

CompoundFamily FamilyOf(int i) { return static_cast<CompoundFamily>(i % kCompoundFamilyCount); }

struct Bodies {
  explicit Bodies(const CompoundPair& compounds)
      : a(MakeRigidBody(compounds.a)), b(MakeRigidBody(compounds.b)), pair(compounds) {}

  PosedBody PosedA() const { return {*a, pair.a.pose}; }
  PosedBody PosedB() const { return {*b, pair.b.pose}; }

  RigidBodyPtr a;
  RigidBodyPtr b;
  CompoundPair pair;
};

bool IsCompoundPair(const Bodies& bodies) {
  return bodies.a->is_compound() && bodies.b->is_compound();
}

TEST(BodyChecker, AgreesWithEveryRightAnswerOfStandingCompounds) {
  Random random(RunSeed());
  std::array<int, 6> states{};
  int lower_proved = 0;
  const int pairs = Effort(600);
  for (int i = 0; i < pairs && !HasFailure(); ++i) {
    const Bodies bodies(RandomCompoundPair(FamilyOf(i), kMaxPieces, random));
    DistanceOptions options;
    if (random.OneIn(4)) options.max_distance = random.LogUniform(1e-3, 2);
    if (random.OneIn(4)) options.tolerance = random.LogUniform(1e-10, 0.1);
    options.exact = random.OneIn(4);
    const DistanceAnswer answer = Distance(bodies.PosedA(), bodies.PosedB(), options);
    const Check check = CheckDistance(bodies.PosedA(), bodies.PosedB(), options, answer);
    EXPECT_EQ(FaultOf(check), "") << Describe(bodies.pair);
    const IntersectionOptions contact_options = {.exact = options.exact};
    const IntersectionAnswer contact =
        Intersection(bodies.PosedA(), bodies.PosedB(), contact_options);
    EXPECT_EQ(FaultOf(CheckIntersection(bodies.PosedA(), bodies.PosedB(), contact)), "")
        << Describe(bodies.pair);
    ++states[static_cast<std::size_t>(answer.state)];
    lower_proved += check.is_lower_proved ? 1 : 0;
  }
  std::printf("states 1 to 5: %d %d %d %d %d; lower proved %d\n", states[1], states[2], states[3],
              states[4], states[5], lower_proved);
  EXPECT_GT(5 * states[1], pairs);
  EXPECT_GT(150 * states[2], pairs);
  EXPECT_GT(5 * states[3], pairs);
  EXPECT_GT(40 * states[4], pairs);
}

struct Moving {
  Bodies bodies;
  Motion motion_a = {};
  Motion motion_b = {};
  MotionOptions options = {};

  MovingBody A() const { return {*bodies.a, bodies.pair.a.pose, motion_a}; }
  MovingBody B() const { return {*bodies.b, bodies.pair.b.pose, motion_b}; }
};

Moving RandomMoving(CompoundFamily family, Random& random) {
  CompoundPair pair = RandomCompoundPair(family, kMaxPieces, random);
  pair.b.pose.p_WS = pair.b.pose.p_WS + random.Uniform(1, 4) * random.Direction();
  Moving moving{Bodies(pair)};
  const Vec3d closing = pair.b.pose.p_WS - pair.a.pose.p_WS;
  moving.motion_a.displacement = random.Uniform(-0.5, 2) * closing;
  moving.motion_a.pivot = pair.a.pose.p_WS;
  if (random.OneIn(2)) moving.motion_b.rotation = random.LogUniform(0.05, 6) * random.Direction();
  moving.motion_b.pivot = pair.b.pose.p_WS + random.InCube(1);
  if (random.OneIn(4)) moving.options.target_distance = random.LogUniform(1e-6, 0.5);
  moving.options.ignore_initial_contact = random.OneIn(4);
  return moving;
}

TEST(BodyChecker, AgreesWithEveryRightTimeOfCollisionOfCompounds) {
  Random random(RunSeed() + 1);
  std::array<int, 5> states{};
  const int pairs = Effort(120);
  for (int i = 0; i < pairs && !HasFailure(); ++i) {
    const Moving moving = RandomMoving(FamilyOf(i), random);
    const TimeOfCollisionAnswer answer = TimeOfCollision(moving.A(), moving.B(), moving.options);
    const Check check = CheckTimeOfCollision(moving.A(), moving.B(), moving.options, answer);
    EXPECT_EQ(FaultOf(check), "") << Describe(moving.bodies.pair);
    ++states[static_cast<std::size_t>(answer.state)];
  }
  std::printf("states 1 to 4: %d %d %d %d\n", states[1], states[2], states[3], states[4]);
  EXPECT_GT(5 * states[1], pairs);
  EXPECT_GT(5 * states[2], pairs);
  EXPECT_GT(states[3], 0);
}

// The lower plate is left at 0.25, the upper one is hit at 0.125: no time at all is free.
TEST(BodyChecker, AgreesWithAHitBeforeAnotherPieceIsLeft) {
  const ConvexShapePtr plate = std::get<ConvexShapePtr>(MakeBox({2, 2, 1}, 0));
  const RigidBodyPtr shelves = std::get<RigidBodyPtr>(
      MakeCompound({{plate, kIdentityPose}, {plate, {{0, 0, 1.75}, kIdentityPose.q_WS}}}));
  const RigidBodyPtr point = MakeBody(std::get<ConvexShapePtr>(MakePoint(0)));
  const Pose start = {{0, 0, 0.5}, kIdentityPose.q_WS};
  const Motion still;
  const Motion up = {{0, 0, 2}, {}, start.p_WS};
  const MovingBody a = {*shelves, kIdentityPose, still};
  const MovingBody b = {*point, start, up};
  MotionOptions options;
  options.ignore_initial_contact = true;
  const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, options);
  ASSERT_EQ(answer.state, MotionState::kHit);
  EXPECT_EQ(answer.piece_a, 1U);
  EXPECT_EQ(answer.t_leave, answer.t_free);
  EXPECT_EQ(FaultOf(CheckTimeOfCollision(a, b, options, answer)), "");
}

// --- Wrong answers -------------------------------------------------------------------------------

// An answer that overlooked the nearest piece: that of the bodies without it.
RigidBodyPtr Without(const RigidBody& body, std::uint32_t piece) {
  std::vector<Piece> pieces = body.pieces();
  pieces.erase(pieces.begin() + piece);
  return std::make_shared<const RigidBody>(std::move(pieces));
}

TEST(BodyChecker, ObjectsToADistanceThatOverlookedTheNearestPiece) {
  Random random(RunSeed() + 2);
  int made = 0;
  for (int i = 0; i < Effort(600); ++i) {
    const Bodies bodies(RandomCompoundPair(FamilyOf(i), kMaxPieces, random));
    if (!IsCompoundPair(bodies)) continue;
    const DistanceAnswer right = Distance(bodies.PosedA(), bodies.PosedB(), {});
    const RigidBodyPtr rest = Without(*bodies.a, right.piece_a);
    DistanceAnswer wrong = Distance(PosedBody{*rest, bodies.pair.a.pose}, bodies.PosedB(), {});
    if (wrong.piece_a >= right.piece_a) ++wrong.piece_a;
    // If cores overlap, nothing below is known. A difference must not be tiny.
    if (right.state != State::kSeparated || wrong.distance < right.distance + 1e-6) continue;
    ++made;
    const Check check = CheckDistance(bodies.PosedA(), bodies.PosedB(), {}, wrong);
    ASSERT_TRUE(check.contradiction) << Describe(bodies.pair);
    EXPECT_EQ(check.contradiction->claim, Claim::kLower);
  }
  EXPECT_GT(made, 20);
}

TEST(BodyChecker, ObjectsToAnotherPairOrNoneByName) {
  Random random(RunSeed() + 3);
  int made = 0;
  for (int i = 0; i < Effort(300); ++i) {
    const Bodies bodies(RandomCompoundPair(FamilyOf(i), kMaxPieces, random));
    const DistanceAnswer right = Distance(bodies.PosedA(), bodies.PosedB(), {});
    if (!IsCompoundPair(bodies) || right.state != State::kSeparated) continue;
    DistanceAnswer wrong = right;
    wrong.piece_b = static_cast<std::uint32_t>(bodies.b->pieces().size());
    EXPECT_TRUE(CheckDistance(bodies.PosedA(), bodies.PosedB(), {}, wrong).contradiction);
    wrong.piece_b = right.piece_b == 0 ? 1 : 0;
    ++made;
    EXPECT_TRUE(CheckDistance(bodies.PosedA(), bodies.PosedB(), {}, wrong).contradiction)
        << Describe(bodies.pair);
  }
  EXPECT_GT(made, 20);
}

TEST(BodyChecker, ObjectsToIntersectionsOfTheOtherState) {
  Random random(RunSeed() + 4);
  std::array<int, 6> made{};
  for (int i = 0; i < Effort(600); ++i) {
    const Bodies bodies(RandomCompoundPair(FamilyOf(i), kMaxPieces, random));
    const DistanceAnswer distance = Distance(bodies.PosedA(), bodies.PosedB(), {});
    if (std::fabs(distance.distance) < 1e-6) continue;
    IntersectionAnswer wrong = Intersection(bodies.PosedA(), bodies.PosedB());
    const State right = wrong.state;
    wrong.state = right == State::kSeparated ? State::kPenetrating : State::kSeparated;
    wrong.bracket = right == State::kSeparated ? Bracket{-1, -1e-7} : Bracket{1e-7, 1};
    ++made[static_cast<std::size_t>(right)];
    EXPECT_TRUE(CheckIntersection(bodies.PosedA(), bodies.PosedB(), wrong).contradiction)
        << Describe(bodies.pair);
  }
  EXPECT_GT(made[1], 20);
  EXPECT_GT(made[3], 20);
}

TEST(BodyChecker, ObjectsToAHitCalledFreeAndToOneTooEarly) {
  Random random(RunSeed() + 5);
  int made = 0;
  int seen = 0;
  for (int i = 0; i < Effort(600); ++i) {
    const Moving moving = RandomMoving(FamilyOf(i), random);
    TimeOfCollisionAnswer answer = TimeOfCollision(moving.A(), moving.B(), moving.options);
    if (answer.state != MotionState::kHit || answer.t_free < 0.01) continue;
    ++made;
    TimeOfCollisionAnswer early = answer;
    early.t_free = early.t_hit = answer.t_free / 2;
    EXPECT_TRUE(CheckTimeOfCollision(moving.A(), moving.B(), moving.options, early).contradiction)
        << Describe(moving.bodies.pair);
    answer.state = MotionState::kFree;
    answer.t_free = answer.t_hit = 1;
    seen +=
        CheckTimeOfCollision(moving.A(), moving.B(), moving.options, answer).contradiction ? 1 : 0;
  }
  std::printf("hits called free: %d, seen %d\n", made, seen);
  EXPECT_GT(made, 20);
  // A time that is looked at must fall into the overlap.
  EXPECT_GT(2 * seen, made);
}

}  // namespace
}  // namespace clearance::testing

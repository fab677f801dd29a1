// SPDX-License-Identifier: Apache-2.0
//
// Right answers about bodies, each tampered with in one way; see tampering.h.

#include "core/proof/check_body.h"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "core/proof/check_motion.h"
#include "tests/unit/core/proof/tampering.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

using TamperedDistance = Tampering<DistanceAnswer>;
using TamperedIntersection = Tampering<IntersectionAnswer>;
using TamperedTime = Tampering<TimeOfCollisionAnswer>;

RigidBodyPtr Cube() { return MakeBody(Box(1, 1, 1)); }

// Two cubes of 2 m, one at the origin and one 10 m before it.
RigidBodyPtr TwoCubes() {
  return std::get<RigidBodyPtr>(MakeCompound({{Box(1, 1, 1), {}}, {Box(1, 1, 1), At(-10, 0, 0)}}));
}

struct Bodies {
  RigidBodyPtr a;
  RigidBodyPtr b;
  Pose pose_b;
  Motion motion_a = {};
  Pose pose_a = {};
  Motion motion_b = {};

  PosedBody A() const { return {*a, pose_a}; }
  PosedBody B() const { return {*b, pose_b}; }
  MovingBody MovingA() const { return {*a, pose_a, motion_a}; }
  MovingBody MovingB() const { return {*b, pose_b, motion_b}; }

  Check Judge(const DistanceAnswer& answer) const { return CheckDistance(A(), B(), {}, answer); }
  Check Judge(const IntersectionAnswer& answer) const {
    return CheckIntersection(A(), B(), answer);
  }
  Check Judge(const TimeOfCollisionAnswer& answer, const MotionOptions& options = {}) const {
    return CheckTimeOfCollision(MovingA(), MovingB(), options, answer);
  }
};

template <class Answer>
void ExpectEachContradicted(const Bodies& bodies, const Answer& right,
                            const std::vector<Tampering<Answer>>& tamperings) {
  ExpectEachContradicted(right, tamperings,
                         [&](const Answer& answer) { return bodies.Judge(answer); });
}

// A compound and a single piece, either way round, 1 m apart.
std::vector<Bodies> CompoundsApart() {
  return {{TwoCubes(), Cube(), At(3, 0.5, 0.25)}, {Cube(), TwoCubes(), At(-3, 0.5, 0.25)}};
}

// --- One piece each ------------------------------------------------------------------------------

TEST(CheckBody, OfSinglePiecesIsTheCheckOfThePair) {
  const Bodies bodies = {Cube(), Cube(), At(3, 0.5, 0.25), {{10, 0, 0}, {}, {}}};
  // Of a compound which pieces are named matters, and that where a hit lies does not.
  ExpectEachContradicted<DistanceAnswer>(bodies, Distance(bodies.A(), bodies.B(), {}),
                                         {{"bracket too high", Claim::kLower, [](auto& a) {
                                             a.bracket.lower = a.bracket.upper = a.distance = 1.25;
                                           }}});
  ExpectEachContradicted<IntersectionAnswer>(
      bodies, Intersection(bodies.A(), bodies.B()),
      {{"touching to no tolerance", Claim::kState, [](auto& a) {
          a.state = State::kTouching;
          a.bracket = {-1, 1};
        }}});
  ExpectEachContradicted<TimeOfCollisionAnswer>(
      bodies, TimeOfCollision(bodies.MovingA(), bodies.MovingB(), {}),
      {{"point moved", Claim::kPoint, [](auto& a) { a.p_WB.y += 1; }}});
  MotionProof proof;
  const MotionOptions options = {.proof = &proof};
  const TimeOfCollisionAnswer answer = TimeOfCollision(bodies.MovingA(), bodies.MovingB(), options);
  EXPECT_TRUE(bodies.Judge(answer, options).is_lower_proved);
  proof.intervals[0].t_begin = 0.01;
  EXPECT_EQ(Contradicted(bodies.Judge(answer, options)), Name(Claim::kCover));
}

// --- Compounds -----------------------------------------------------------------------------------

TEST(CheckBody, RejectsWrongOrFartherPiecesOfADistance) {
  for (const Bodies& bodies : CompoundsApart()) {
    const DistanceAnswer right = Distance(bodies.A(), bodies.B(), {});
    const Check check = bodies.Judge(right);
    EXPECT_TRUE(check.is_lower_proved);
    EXPECT_TRUE(check.is_upper_proved);
    ExpectEachContradicted<DistanceAnswer>(
        bodies, right,
        {
            {"no piece of A", Claim::kWitness, [](auto& a) { a.piece_a = 2; }},
            {"no piece of B", Claim::kWitness, [](auto& a) { a.piece_b = 2; }},
            {"bracket too high", Claim::kLower,
             [](auto& a) { a.bracket.lower = a.bracket.upper = a.distance = 1.25; }},
        });
  }
  const Bodies bodies = CompoundsApart()[0];
  DistanceAnswer wrong = Distance(bodies.A(), bodies.B(), {});
  wrong.piece_a = 2;
  EXPECT_FALSE(bodies.Judge(wrong).is_lower_proved);
  wrong.piece_a = 1;
  EXPECT_EQ(Contradicted(bodies.Judge(wrong)), Name(Claim::kUpper));
}

TEST(CheckBody, ObjectsToIntersectionsThatTheBracketDoesNotBearOut) {
  for (const Bodies& bodies : CompoundsApart()) {
    const IntersectionAnswer right = Intersection(bodies.A(), bodies.B());
    ASSERT_EQ(right.state, State::kSeparated);
    const auto reading = [](State state, const Bracket& bracket) {
      return [=](IntersectionAnswer& answer) {
        answer.state = state;
        answer.bracket = bracket;
      };
    };
    ExpectEachContradicted<IntersectionAnswer>(
        bodies, right,
        {
            {"upside down", Claim::kNumber, reading(State::kSeparated, {2, 0.5})},
            {"undecided", Claim::kState, reading(State::kUndecided, {0.5, 2})},
            {"beyond", Claim::kState, reading(State::kBeyond, {0.5, kInfinity})},
            {"touching apart", Claim::kState, reading(State::kTouching, {0.5, 2})},
            {"touching within", Claim::kState, reading(State::kTouching, {-2, -0.5})},
            // Of both that each pair is apart by less than nothing and that one is within -1 the
            // first is told.
            {"separated by -1", Claim::kState, reading(State::kSeparated, {-2, -1})},
            {"bracket too high", Claim::kLower, reading(State::kSeparated, {1.5, 2})},
            {"bracket too low", Claim::kUpper, reading(State::kSeparated, {0.25, 0.5})},
            {"penetrating", Claim::kUpper, reading(State::kPenetrating, {-2, -1})},
        });
  }
}

TEST(CheckBody, TellsOfAnIntersectionWhichEndsAreProved) {
  for (const Bodies& bodies : CompoundsApart()) {
    IntersectionAnswer answer = {State::kSeparated, UndecidedReason::kNone, {0.5, 2}};
    EXPECT_TRUE(bodies.Judge(answer).is_lower_proved);
    EXPECT_TRUE(bodies.Judge(answer).is_upper_proved);
    answer.bracket.upper = 0.5;
    EXPECT_FALSE(bodies.Judge(answer).is_upper_proved);
    EXPECT_EQ(Contradicted(bodies.Judge(answer)), Name(Claim::kUpper));
  }
}

TEST(CheckBody, LeavesOnlyThePointsOfACompoundsHitOpen) {
  Bodies bodies = {TwoCubes(), Cube(), At(6, 0.5, 0.25), {{10, 0, 0}, {}, {}}};
  const TimeOfCollisionAnswer right = TimeOfCollision(bodies.MovingA(), bodies.MovingB(), {});
  ASSERT_EQ(right.state, MotionState::kHit);
  TimeOfCollisionAnswer elsewhere = right;
  elsewhere.p_WA.y += 3;
  EXPECT_EQ(Contradicted(bodies.Judge(elsewhere)), "nothing");
  EXPECT_TRUE(bodies.Judge(elsewhere).is_upper_proved);
  ExpectEachContradicted<TimeOfCollisionAnswer>(
      bodies, elsewhere,
      {
          {"no piece of A", Claim::kWitness, [](auto& a) { a.piece_a = 2; }},
          {"no piece of B", Claim::kWitness, [](auto& a) { a.piece_b = 1; }},
          {"another piece", Claim::kContact, [](auto& a) { a.piece_a = 1; }},
          {"too early", Claim::kContact, [](auto& a) { a.t_free = a.t_hit = 0.2; }},
          {"too late", Claim::kTime, [](auto& a) { a.t_free = a.t_hit = 0.55; }},
          {"normal longer", Claim::kNormal, [](auto& a) { a.n_AB.x = 1 + 1e-13; }},
      });
}

}  // namespace
}  // namespace clearance

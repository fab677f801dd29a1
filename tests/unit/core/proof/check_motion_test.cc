// SPDX-License-Identifier: Apache-2.0
//
// Right times of collision and their proofs, each tampered with in one way; see tampering.h.

#include "core/proof/check_motion.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/core/proof/tampering.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

// A time of collision and its proof, which change together.
struct ProvedMotion {
  TimeOfCollisionAnswer answer;
  MotionProof proof;
};

using TamperedMotion = Tampering<ProvedMotion>;

struct MovingPair {
  ConvexShapePtr a;
  ConvexShapePtr b;
  Motion motion_a;
  Pose pose_b;
  Pose pose_a = {};
  Motion motion_b = {};

  MovingShape A() const { return {*a, pose_a, motion_a}; }
  MovingShape B() const { return {*b, pose_b, motion_b}; }

  ProvedMotion Solve() const {
    ProvedMotion motion;
    motion.answer = TimeOfCollision(A(), B(), {.proof = &motion.proof});
    return motion;
  }
  Check Judge(ProvedMotion motion) const {
    return CheckTimeOfCollision(A(), B(), {.proof = &motion.proof}, motion.answer);
  }
  Check JudgeWithoutProof(const ProvedMotion& motion) const {
    return CheckTimeOfCollision(A(), B(), {}, motion.answer);
  }
};

// A cube of 2 m that goes 10 m along x, and one that stands with its centre at x.
MovingPair CubeTowards(double x) {
  return {Box(1, 1, 1), Box(1, 1, 1), {{10, 0, 0}, {}, {}}, At(x, 0.5, 0.25)};
}

// They meet at t = 0.4.
MovingPair Hitting() { return CubeTowards(6); }

void ExpectEachContradicted(const MovingPair& pair, MotionState state,
                            const std::vector<TamperedMotion>& tamperings) {
  const ProvedMotion right = pair.Solve();
  ASSERT_EQ(right.answer.state, state);
  ExpectEachContradicted(right, tamperings,
                         [&](const ProvedMotion& motion) { return pair.Judge(motion); });
}

TEST(CheckTimeOfCollision, ObjectsToTimesOutOfOrder) {
  ExpectEachContradicted(
      Hitting(), MotionState::kHit,
      {
          {"t_free before 0", Claim::kTime, [](auto& m) { m.answer.t_free = -0.1; }},
          {"t_free is no number", Claim::kTime, [](auto& m) { m.answer.t_free = kNaN; }},
          {"t_hit before t_free", Claim::kTime, [](auto& m) { m.answer.t_hit = 0.2; }},
          {"t_hit after 1", Claim::kTime, [](auto& m) { m.answer.t_hit = 1.5; }},
          {"t_leave before 0", Claim::kTime, [](auto& m) { m.answer.t_leave = -0.1; }},
          {"t_leave after t_free", Claim::kTime, [](auto& m) { m.answer.t_leave = 0.5; }},
          {"with a reason", Claim::kState,
           [](auto& m) { m.answer.reason = UndecidedReason::kIterations; }},
          {"undecided without", Claim::kState,
           [](auto& m) { m.answer.state = MotionState::kUndecided; }},
          {"free until it hits", Claim::kTime,
           [](auto& m) { m.answer.state = MotionState::kFree; }},
          {"overlapping later", Claim::kTime,
           [](auto& m) { m.answer.state = MotionState::kInitiallyOverlapping; }},
      });
}

TEST(CheckTimeOfCollision, ObjectsToIntervalsThatDoNotCover) {
  ExpectEachContradicted(
      Hitting(), MotionState::kHit,
      {
          {"fewer than none", Claim::kCover,
           [](auto& m) {
             m.proof.size = -1;
             m.proof.is_truncated = true;
           }},
          {"none", Claim::kCover, [](auto& m) { m.proof.size = 0; }},
          {"begins late", Claim::kCover, [](auto& m) { m.proof.intervals[0].t_begin = 0.1; }},
          {"begins at no number", Claim::kCover,
           [](auto& m) { m.proof.intervals[0].t_begin = kNaN; }},
          {"ends early", Claim::kCover,
           [](auto& m) {
             m.proof.size = 1;
             m.proof.intervals[0].t_end = 0.3;
           }},
          {"ends before it begins", Claim::kCover,
           [](auto& m) {
             m.proof.intervals[0].t_end = -0.1;
             m.proof.intervals[1].t_begin = -0.1;
           }},
          {"ends after 1", Claim::kCover, [](auto& m) { m.proof.intervals[0].t_end = 1.5; }},
      });
}

TEST(CheckTimeOfCollision, ReadsNoIntervalsBeyondTheRoomForThem) {
  ProvedMotion motion = Hitting().Solve();
  motion.proof.size = MotionProof::kCapacity + 1;
  const Check check = Hitting().Judge(motion);
  ASSERT_EQ(Contradicted(check), Name(Claim::kCover));
  EXPECT_EQ(check.contradiction->claimed, MotionProof::kCapacity + 1);
}

TEST(CheckTimeOfCollision, ObjectsToIntervalsWithoutAGap) {
  ExpectEachContradicted(
      Hitting(), MotionState::kHit,
      {
          {"normal longer", Claim::kNormal,
           [](auto& m) { m.proof.intervals[0].n_W.x = 1 + 1e-13; }},
          {"normal is no number", Claim::kNormal,
           [](auto& m) { m.proof.intervals[0].n_W.y = kNaN; }},
          {"normal turned round", Claim::kInterval,
           [](auto& m) { m.proof.intervals[0].n_W.x = -1; }},
          {"too long", Claim::kInterval, [](auto& m) { m.proof.intervals[0].t_end = 0.5; }},
      });
}

TEST(CheckTimeOfCollision, ObjectsToHitsElsewhere) {
  const std::vector<TamperedMotion> tamperings = {
      {"much too early", Claim::kContact, [](auto& m) { m.answer.t_free = m.answer.t_hit = 0.2; }},
      {"normal longer", Claim::kNormal, [](auto& m) { m.answer.n_AB.x = 1 + 1e-13; }},
      {"p_WA is no number", Claim::kPoint, [](auto& m) { m.answer.p_WA.x = kNaN; }},
      {"p_WB is no number", Claim::kPoint, [](auto& m) { m.answer.p_WB.y = kNaN; }},
      {"p_WB moved", Claim::kPoint, [](auto& m) { m.answer.p_WB.y += 1e-9; }},
      {"both moved off the bodies", Claim::kPoint,
       [](auto& m) {
         m.answer.p_WA.y += 3;
         m.answer.p_WB.y += 3;
       }},
  };
  ExpectEachContradicted(Hitting(), MotionState::kHit, tamperings);
}

TEST(CheckTimeOfCollision, HoldsInitialOverlapsToTheStart) {
  const MovingPair overlapping = CubeTowards(1.5);
  ExpectEachContradicted(overlapping, MotionState::kInitiallyOverlapping,
                         {{"later", Claim::kTime, [](auto& m) { m.answer.t_hit = 0.5; }}});
  ProvedMotion wrong = Hitting().Solve();
  wrong.answer = overlapping.Solve().answer;
  EXPECT_EQ(Contradicted(Hitting().Judge(wrong)), Name(Claim::kContact));
}

TEST(CheckTimeOfCollision, LooksAtTimesWhereTheProofEnds) {
  const MovingPair pair = CubeTowards(6.1);
  ProvedMotion motion = pair.Solve();
  EXPECT_TRUE(pair.Judge(motion).is_lower_proved);
  EXPECT_EQ(Contradicted(pair.JudgeWithoutProof(motion)), "nothing");
  EXPECT_FALSE(pair.JudgeWithoutProof(motion).is_lower_proved);
  motion.proof.is_truncated = true;
  EXPECT_EQ(Contradicted(pair.Judge(motion)), "nothing");
  EXPECT_FALSE(pair.Judge(motion).is_lower_proved);
  motion.answer.state = MotionState::kFree;
  motion.answer.t_free = motion.answer.t_hit = 1;
  EXPECT_EQ(Contradicted(pair.Judge(motion)), Name(Claim::kTime));
}

// What a point of the rim of a fast wheel could do between two times takes more cuts than there
// are, where the gap is next to none: then nothing is found either way.
// Half way the cubes are one behind the other on a line, and A - B is alike all around it.
TEST(CheckTimeOfCollision, ObjectsToFreeMotionsThroughABodyWithoutAProof) {
  const MovingPair through = {Box(1, 1, 1), Box(1, 1, 1), {{10, 0, 0}, {}, {}}, At(5, 0, 0)};
  ProvedMotion motion = through.Solve();
  ASSERT_EQ(motion.answer.state, MotionState::kHit);
  EXPECT_FALSE(through.JudgeWithoutProof(motion).contradiction);
  motion.answer.state = MotionState::kFree;
  motion.answer.t_free = 1;
  motion.answer.t_hit = 1;
  const Check found = through.JudgeWithoutProof(motion);
  ASSERT_TRUE(found.contradiction);
  EXPECT_EQ(found.contradiction->claim, Claim::kTime);
}

TEST(CheckTimeOfCollision, LeavesAnIntervalOpenThatTakesTooManyCuts) {
  for (const double angle : {0.01, 600.0}) {
    const MovingPair pair = {Sphere(1), Sphere(1), {{}, {0, 0, angle}, {}}, At(2 + 1e-10, 0, 0)};
    const ProvedMotion motion = pair.Solve();
    ASSERT_EQ(motion.answer.state, MotionState::kFree);
    const Check check = pair.Judge(motion);
    EXPECT_EQ(Contradicted(check), "nothing");
    EXPECT_EQ(check.is_lower_proved, angle < 1) << angle;
  }
}

}  // namespace
}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/core_check.h"

#include <cmath>

#include "tests/support/answer_checker.h"
#include "tests/support/exact_motion.h"
#include "tests/support/motion_generators.h"

namespace clearance::bench {
namespace {

bool IsOverlapping(Regime regime) { return regime == Regime::kShallow || regime == Regime::kDeep; }

std::string FindStateFault(Regime regime, State state, const Bracket& bracket) {
  if (state != (IsOverlapping(regime) ? State::kPenetrating : State::kSeparated)) {
    return "state " + std::to_string(static_cast<int>(state)) + " of a pair that is " +
           Name(regime);
  }
  if (!(bracket.lower <= bracket.upper)) return "no bracket";
  if (!(IsOverlapping(regime) ? bracket.upper < 0 : bracket.lower > 0)) {
    return "the bracket does not prove the state";
  }
  return "";
}

// Metres: a gap is planted to kPlacement, plus the width of a bracket.
constexpr double kGapSlack = 2 * kPlacement + 1e-8;

}  // namespace

std::string FindFault(const Pair& pair, Regime regime, const DistanceAnswer& answer) {
  if (std::string fault = FindStateFault(regime, answer.state, answer.bracket); !fault.empty()) {
    return fault;
  }
  const bool is_planted = regime == Regime::kFar || regime == Regime::kNear;
  if (is_planted && !(std::fabs(answer.distance - pair.gap) <= kGapSlack)) {
    return "distance " + std::to_string(answer.distance) + " of a gap of " +
           std::to_string(pair.gap);
  }
  // The overlap along one direction was planted, so the depth cannot be more.
  if (regime == Regime::kShallow && answer.bracket.upper < pair.gap - kGapSlack) {
    return "deeper than planted";
  }
  return "";
}

std::string FindFault(const Pair& pair, Regime regime, const IntersectionAnswer& answer) {
  if (std::string fault = FindStateFault(regime, answer.state, answer.bracket); !fault.empty()) {
    return fault;
  }
  const bool is_planted = regime == Regime::kFar || regime == Regime::kNear;
  if (is_planted && (answer.bracket.lower > pair.gap + kGapSlack ||
                     answer.bracket.upper < pair.gap - kGapSlack)) {
    return "a bracket without the gap of " + std::to_string(pair.gap);
  }
  return "";
}

std::string FindInexactness(const Pool& pool, const Pair& pair, const DistanceAnswer& answer) {
  return testing::FindFault(testing::CheckedPair(pair.Bodies(pool)), answer);
}

std::string FindInexactness(const Pool& pool, const Pair& pair, const IntersectionAnswer& answer) {
  return testing::FindFault(testing::CheckedPair(pair.Bodies(pool)), answer);
}

std::string FindFault(const TimeOfCollisionAnswer& answer) {
  if (answer.state != MotionState::kFree && answer.state != MotionState::kHit) {
    return "motion state " + std::to_string(static_cast<int>(answer.state));
  }
  return testing::FindFault(answer);
}

std::string FindInexactness(const Pool& pool, const Approach& approach,
                            const TimeOfCollisionAnswer& answer) {
  const testing::BodyPair bodies = approach.pair.Bodies(pool);
  const testing::MovingPair moving = {
      {bodies.a, approach.motion}, {bodies.b, {{}, {}, bodies.b.pose.p_WS}}, 0};
  for (const double part : {0.0, 0.25, 0.5, 0.75, 0.9, 1.0}) {
    const double t = part * answer.t_free;
    // t_free itself is the end of what was proved free, and not part of it.
    const bool is_end = part == 1.0 && answer.state == MotionState::kHit;
    if (!is_end && testing::DistanceAt(moving.a, moving.b, t).Sign() <= 0) {
      return "not free at " + std::to_string(t);
    }
  }
  if (answer.state != MotionState::kHit) return "";
  const bool is_hit =
      testing::DistanceAt(moving.a, moving.b, answer.t_hit).IsAtMost(testing::Tau(moving));
  return is_hit ? "" : "not within the tolerance at t_hit";
}

}  // namespace clearance::bench

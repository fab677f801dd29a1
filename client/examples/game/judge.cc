// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace game {
namespace {

using clearance::client::MotionState;

enum class Finding { kRight, kMissedWall, kFalseRefusal, kWrongStop };

bool IsStop(const Verdict& verdict) {
  return verdict.state == MotionState::kHit || verdict.state == MotionState::kInitiallyOverlapping;
}

Finding FindingOf(const Expectation& expected, const Verdict& verdict) {
  using Kind = Expectation::Kind;
  if (expected.kind == Kind::kUnknown) return Finding::kRight;
  if (expected.kind == Kind::kFree) {
    return verdict.is_accepted() ? Finding::kRight : Finding::kFalseRefusal;
  }
  if (verdict.is_accepted()) return Finding::kMissedWall;
  if (!IsStop(verdict)) return Finding::kWrongStop;
  if (verdict.t_hit > expected.t + kTimeSlack) return Finding::kMissedWall;
  if (expected.kind == Kind::kStoppedNotAfter) return Finding::kRight;
  const bool is_body_right = std::find(expected.bodies.begin(), expected.bodies.end(),
                                       verdict.body) != expected.bodies.end();
  const bool is_early = verdict.t_hit < expected.t - kTimeSlack;
  return is_early || !is_body_right ? Finding::kWrongStop : Finding::kRight;
}

void NoteFault(const char* what, std::size_t row, const Verdict& verdict, Tally* tally) {
  if (!tally->first_fault.empty()) return;
  tally->first_fault = absl::StrFormat("%s %d: %s, t_free %.17g, t_hit %.17g, body %d", what, row,
                                       clearance::client::Name(verdict.state), verdict.t_free,
                                       verdict.t_hit, verdict.body);
}

void JudgeMove(const Expectation& expected, const Verdict& verdict, Tally* tally) {
  if (expected.kind != Expectation::Kind::kUnknown) ++tally->judged;
  switch (FindingOf(expected, verdict)) {
    case Finding::kMissedWall:
      ++tally->missed_walls;
      break;
    case Finding::kFalseRefusal:
      ++tally->false_refusals;
      break;
    case Finding::kWrongStop:
      ++tally->wrong_stops;
      break;
    case Finding::kRight:
      break;
  }
}

// As asked: never clamped, and all players but one.
bool IsAsAsked(const Shot& shot, std::size_t players, const clearance::client::Rewound& rewound) {
  return rewound.clamp == clearance::client::TrackClamp::kNone &&
         rewound.at.tick == shot.seen.tick && rewound.at.fraction == shot.seen.fraction &&
         rewound.body_count == players - 1;
}

}  // namespace

void Count(const TickAnswers& answers, Tally* tally) {
  for (const Verdict& verdict : answers.verdicts) {
    ++tally->moves;
    ++(verdict.is_accepted() ? tally->accepted : IsStop(verdict) ? tally->stopped : tally->doubted);
  }
  for (const ShotVerdict& shot : answers.shots) {
    ++tally->shots;
    if (IsStop(shot.verdict) && shot.verdict.body >= kFirstPlayerId) ++tally->shots_on_players;
  }
}

void Judge(const PlayedTick& played, const TickAnswers& answers, Tally* tally) {
  Count(answers, tally);
  const TickReference& reference = played.reference;
  for (std::size_t i = 0; i < answers.verdicts.size(); ++i) {
    const Verdict& verdict = answers.verdicts[i];
    JudgeMove(reference.moves[i], verdict, tally);
    if (FindingOf(reference.moves[i], verdict) != Finding::kRight) {
      NoteFault("the move of player", i, verdict, tally);
    }
  }
  for (const TickReference::Cheat& cheat : reference.cheats) {
    ++tally->cheats;
    if (cheat.ends_in_the_open) ++tally->cheats_to_the_open;
    if (IsStop(answers.verdicts[cheat.player])) ++tally->cheats_caught;
  }
  for (std::size_t i = 0; i < answers.shots.size(); ++i) {
    const ShotVerdict& shot = answers.shots[i];
    if (reference.shots[i].kind != Expectation::Kind::kUnknown) ++tally->shots_judged;
    if (IsAsAsked(played.tick.shots[i], answers.verdicts.size(), shot.rewound) &&
        FindingOf(reference.shots[i], shot.verdict) == Finding::kRight) {
      continue;
    }
    ++tally->wrong_shots;
    NoteFault("the shot", i, shot.verdict, tally);
  }
}

}  // namespace game

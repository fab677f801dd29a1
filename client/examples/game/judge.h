// SPDX-License-Identifier: Apache-2.0
//
// Checks the answers against the required ones.

#pragma once

#include <cstdint>
#include <string>

#include "axis_box.h"
#include "match.h"
#include "players.h"

namespace game {

struct Tally {
  std::uint64_t moves = 0;
  std::uint64_t accepted = 0;
  std::uint64_t stopped = 0;
  std::uint64_t doubted = 0;         // undecided or refused: not allowed
  std::uint64_t judged = 0;          // have a reference
  std::uint64_t missed_walls = 0;    // accepted, or stopped too late
  std::uint64_t false_refusals = 0;  // not accepted, and nothing is in the way
  std::uint64_t wrong_stops = 0;     // too early, or by another body
  std::uint64_t cheats = 0;
  std::uint64_t cheats_caught = 0;
  std::uint64_t cheats_to_the_open = 0;
  std::uint64_t shots = 0;
  std::uint64_t shots_judged = 0;
  std::uint64_t shots_on_players = 0;
  std::uint64_t wrong_shots = 0;
  std::string first_fault;

  bool is_faultless() const {
    return missed_walls + false_refusals + wrong_stops + wrong_shots == 0 &&
           cheats_caught == cheats;
  }
};

// Count counts the kinds of answers; Judge also checks whether they are right.
void Count(const TickAnswers& answers, Tally* tally);
void Judge(const PlayedTick& played, const TickAnswers& answers, Tally* tally);

}  // namespace game

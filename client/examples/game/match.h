// SPDX-License-Identifier: Apache-2.0
//
// The questions of a tick of a match, and their answers.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axis_box.h"
#include "clearance/query.h"
#include "clearance/track.h"
#include "level.h"

namespace game {

// A player saw the players at a time of the past, and shot.
struct Shot {
  std::uint32_t shooter = 0;
  clearance::client::TrackTime seen = {};
  Way way = {};
};

// Player p claims to stand at claims[p].from, and to have moved from there.
struct Tick {
  std::uint64_t number = 0;
  std::vector<Way> claims;
  std::vector<Shot> shots;
};

// The verdict on a claim. `body` is the level's.
struct Verdict {
  clearance::client::MotionState state = clearance::client::MotionState::kUnspecified;
  double t_free = 0;       // not for overlapping starts
  double t_hit = 0;        // of kHit
  std::uint32_t body = 0;  // not for kFree

  // Only this state is accepted: moves that were not proved are not allowed.
  bool is_accepted() const { return state == clearance::client::MotionState::kFree; }
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

struct ShotVerdict {
  Verdict verdict;  // `body` may be a player (PlayerId)
  clearance::client::Rewound rewound;
  Vec3 point;
  Vec3 normal;
};

struct TickAnswers {
  std::vector<Verdict> verdicts;  // of each player
  std::vector<ShotVerdict> shots;
};

// Players' ids, above those of the level's bodies.
inline constexpr std::uint32_t kFirstPlayerId = 1'000'000'000;
inline std::uint32_t PlayerId(std::size_t player) {
  return kFirstPlayerId + static_cast<std::uint32_t>(player);
}

// FNV-1a of the bytes of numbers, as they lie in memory.
class Digest {
 public:
  void Add(std::uint64_t number);
  void Add(double number);
  void Add(const Vec3& vector);
  void Add(const TickAnswers& answers);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

// All questions, to be asked again, and their answers as digests.
struct MatchLog {
  struct Entry {
    Tick tick;
    std::uint64_t digest = 0;  // of its answers
  };
  Level level;
  std::vector<Entry> entries;

  std::uint64_t digest() const;  // of all of them
  std::size_t player_count() const { return entries.empty() ? 0 : entries[0].tick.claims.size(); }
};

}  // namespace game

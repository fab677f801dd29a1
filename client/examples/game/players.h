// SPDX-License-Identifier: Apache-2.0
//
// Players that claim moves and shots tick by tick, most of them honest, and the required answers to
// each of them.

#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "axis_box.h"
#include "level.h"
#include "match.h"

namespace game {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double Between(double low, double high);
  std::size_t Below(std::size_t count);
  bool OneIn(std::size_t count) { return Below(count) == 0; }

 private:
  std::mt19937_64 engine_;
};

// The required answers to a tick.
struct TickReference {
  std::vector<Expectation> moves;
  // Claims through a wall by cheating players. `ends_in_the_open`: the end position touches
  // nothing, so that a check of end positions alone sees nothing.
  struct Cheat {
    std::size_t player = 0;
    bool ends_in_the_open = false;
  };
  std::vector<Cheat> cheats;
  std::vector<Expectation> shots;
};

struct PlayedTick {
  Tick tick;
  TickReference reference;
};

struct PlayerOptions {
  std::uint32_t player_count = 0;
  std::size_t shots_per_tick = 0;
  std::uint64_t seed = 1;
};

// The part that is the same in every level. Thread-compatible.
class Players {
 public:
  Players(const Level& level, const PlayerOptions& options);
  virtual ~Players() = default;
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  PlayedTick Next();
  // Takes the verdicts on the claims of that tick.
  virtual void Settle(absl::Span<const Verdict> verdicts) = 0;

 protected:
  struct Claimed {
    Way way;
    Expectation expected;
  };
  // Makes an honest claim, and one through a wall (kUnknown if none was found).
  virtual Claimed Walk(std::size_t player, std::uint64_t tick) = 0;
  virtual Claimed Cheat(const Vec3& from) = 0;

  // Judges by the boxes of the level.
  Expectation ExpectMove(const Way& way) const;
  Random& random() { return random_; }
  const Vec3& half_size() const { return half_size_; }
  const std::vector<BoxBody>& boxes() const { return boxes_; }
  // The distance at which two things are apart, or not, beyond any doubt; in the level's unit.
  double doubt() const { return doubt_; }

 private:
  bool IsInTheOpen(const Vec3& place) const;
  void AddShot(PlayedTick* played);
  Vec3 PlaceAt(std::size_t player, const clearance::client::TrackTime& time) const;
  Expectation ExpectShot(const Shot& shot) const;

  const Vec3 half_size_;
  const std::vector<BoxBody> boxes_;
  const bool is_whole_;  // the level has no other bodies
  const double doubt_;
  const PlayerOptions options_;
  Random random_;
  std::uint64_t tick_ = 0;
  std::deque<std::vector<Vec3>> places_;  // of the last ticks, up to the current one
};

// Players of the built-in level: they walk, jump and fall on their own.
std::unique_ptr<Players> MakeCrowd(const Level& level, const PlayerOptions& options);

// Players that repeat the moves of moves.jsonl, as many players as are wanted. Their reference is
// answers_moves.jsonl, as far as it is there, and beside it the boxes. Starts are those of the
// recording, whatever the verdicts are.
absl::StatusOr<std::unique_ptr<Players>> ReadRecording(const std::filesystem::path& folder,
                                                       const Level& level,
                                                       const PlayerOptions& options);

}  // namespace game

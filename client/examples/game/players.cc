// SPDX-License-Identifier: Apache-2.0
#include "players.h"

#include <algorithm>
#include <cmath>

namespace game {
namespace {

using clearance::client::TrackTime;

// Ticks between what a shooter sees and the present, at most.
constexpr std::size_t kMostLag = 12;
// A player in so many cheats in a tick.
constexpr std::size_t kHonestPerCheat = 40;
constexpr double kDoubtOfSize = 1e-6;  // far above rounding, far below anything seen

}  // namespace

double Random::Between(double low, double high) {
  const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;
  return low + unit * (high - low);
}

std::size_t Random::Below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

Players::Players(const Level& level, const PlayerOptions& options)
    : half_size_(level.player_half_size),
      boxes_(level.Boxes()),
      is_whole_(boxes_.size() == level.bodies.size()),
      doubt_(kDoubtOfSize * half_size_.z),
      options_(options),
      random_(options.seed) {}

Expectation Players::ExpectMove(const Way& way) const {
  return Expect(boxes_, is_whole_, {way, half_size_, doubt_});
}

bool Players::IsInTheOpen(const Vec3& place) const {
  return ExpectMove({place, {}}).kind == Expectation::Kind::kFree;
}

PlayedTick Players::Next() {
  PlayedTick played;
  played.tick.number = ++tick_;
  std::vector<Vec3> places;
  for (std::size_t player = 0; player < options_.player_count; ++player) {
    Claimed claimed = Walk(player, tick_);
    if (random_.OneIn(kHonestPerCheat)) {
      const Claimed cheat = Cheat(claimed.way.from);
      if (cheat.expected.kind != Expectation::Kind::kUnknown) {
        claimed = cheat;
        const bool ends_in_the_open = IsInTheOpen(cheat.way.from + cheat.way.move);
        played.reference.cheats.push_back({player, ends_in_the_open});
      }
    }
    places.push_back(claimed.way.from);
    played.tick.claims.push_back(claimed.way);
    played.reference.moves.push_back(claimed.expected);
  }
  places_.push_back(std::move(places));
  if (places_.size() > kMostLag + 1) places_.pop_front();
  for (std::size_t i = 0; i < options_.shots_per_tick; ++i) AddShot(&played);
  return played;
}

// As the server says it interpolates (track.proto): straight, in double.
Vec3 Players::PlaceAt(std::size_t player, const TrackTime& time) const {
  const std::size_t index = places_.size() - 1 - (tick_ - time.tick);
  const Vec3& earlier = places_[index][player];
  if (time.fraction == 0) return earlier;
  return earlier + time.fraction * (places_[index + 1][player] - earlier);
}

// At a player, or a little beside, as the shooter saw them.
void Players::AddShot(PlayedTick* played) {
  if (options_.player_count < 2 || places_.size() < 2) return;
  Shot shot;
  shot.shooter = static_cast<std::uint32_t>(random_.Below(options_.player_count));
  const std::size_t lag = 1 + random_.Below(places_.size() - 1);
  shot.seen = {tick_ - lag, random_.Between(0, 1)};
  const std::size_t other = 1 + random_.Below(options_.player_count - 1);
  const std::size_t target = (shot.shooter + other) % options_.player_count;
  const double off = random_.OneIn(3) ? 4 * half_size_.z : 0;
  const Vec3 aim =
      PlaceAt(target, shot.seen) +
      Vec3{random_.Between(-off, off), random_.Between(-off, off), random_.Between(-off, off)};
  shot.way.from = places_.back()[shot.shooter];
  shot.way.move = 1.5 * (aim - shot.way.from);
  played->reference.shots.push_back(ExpectShot(shot));
  played->tick.shots.push_back(shot);
}

Expectation Players::ExpectShot(const Shot& shot) const {
  std::vector<BoxBody> world = boxes_;
  for (std::size_t player = 0; player < options_.player_count; ++player) {
    if (player == shot.shooter) continue;
    const Vec3 place = PlaceAt(player, shot.seen);
    world.push_back({PlayerId(player), Grown({place, place}, half_size_)});
  }
  return Expect(world, is_whole_, {shot.way, {}, doubt_});
}

}  // namespace game

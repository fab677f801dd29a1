// SPDX-License-Identifier: Apache-2.0
//
// The players of the built-in level. Their clients move them as games do: a way that keeps a skin
// away from everything, of what they want as much as goes.
#include <cmath>
#include <memory>
#include <vector>

#include "players.h"

namespace game {
namespace {

constexpr double kSecondsPerTick = 1.0 / 60;
constexpr double kSpeed = 5;       // metres a second
constexpr double kJumpSpeed = 5;   // upwards
constexpr double kGravity = 15;    // metres a second squared
constexpr double kSkin = 0.01;     // metres that an honest client stays away from everything
constexpr double kLevelHalf = 23;  // metres; where players want to go
constexpr std::size_t kTicksPerJump = 200;
constexpr double kLeastJumpThroughWalls = 0.5;  // metres
constexpr double kMostJumpThroughWalls = 12;

class Crowd : public Players {
 public:
  Crowd(const Level& level, const PlayerOptions& options) : Players(level, options) {
    for (std::uint32_t i = 0; i < options.player_count; ++i) walkers_.push_back(Spawn());
  }

  void Settle(absl::Span<const Verdict> verdicts) override {
    for (std::size_t i = 0; i < walkers_.size(); ++i) {
      if (verdicts[i].is_accepted()) walkers_[i].place = walkers_[i].place + claims_[i];
    }
    claims_.clear();
  }

 protected:
  Claimed Walk(std::size_t player, std::uint64_t /*tick*/) override {
    Walker& walker = walkers_[player];
    const Way way = {walker.place, WantedMove(&walker)};
    claims_.push_back(way.move);
    return {way, ExpectMove(way)};
  }

  // Any direction, more level than not.
  Claimed Cheat(const Vec3& from) override {
    Claimed cheat;
    cheat.way.from = from;
    const double length = random().Between(kLeastJumpThroughWalls, kMostJumpThroughWalls);
    cheat.way.move = length * Vec3{random().Between(-1, 1), random().Between(-1, 1),
                                   random().Between(-0.2, 0.2)};
    cheat.expected = ExpectMove(cheat.way);
    if (cheat.expected.kind == Expectation::Kind::kStopped) {
      claims_.back() = cheat.way.move;
    } else {
      cheat.expected = {};
    }
    return cheat;
  }

 private:
  struct Walker {
    Vec3 place;
    Vec3 goal;
    double fall_speed = 0;  // downwards
  };

  bool KeepsSkin(const Way& way) const {
    const Vec3 half = half_size() + Vec3{kSkin, kSkin, kSkin};
    for (const BoxBody& body : boxes()) {
      if (EntryTime(Grown(body.box, half), way)) return false;
    }
    return true;
  }

  Vec3 AnyPlace(double low, double high) {
    const double x = random().Between(-kLevelHalf, kLevelHalf);
    const double y = random().Between(-kLevelHalf, kLevelHalf);
    return {x, y, random().Between(low, high)};
  }

  Walker Spawn() {
    Vec3 place;
    do {
      place = AnyPlace(half_size().z + 2 * kSkin, 4);
    } while (!KeepsSkin({place, {}}));
    return {place, AnyPlace(0, 0)};
  }

  // Towards the goal, and down: of this as many axes as go.
  Vec3 WantedMove(Walker* walker) {
    const Vec3 to_goal = walker->goal - walker->place;
    const double distance = std::hypot(to_goal.x, to_goal.y);
    const double step = kSpeed * kSecondsPerTick;
    if (distance < 2 * step) walker->goal = AnyPlace(0, 0);
    walker->fall_speed += kGravity * kSecondsPerTick;
    const double scale = distance > 0 ? step / distance : 0;
    const Vec3 wanted = {scale * to_goal.x, scale * to_goal.y,
                         -walker->fall_speed * kSecondsPerTick};
    const Vec3 choices[] = {
        wanted,           {wanted.x, wanted.y, 0}, {wanted.x, 0, wanted.z}, {0, wanted.y, wanted.z},
        {wanted.x, 0, 0}, {0, wanted.y, 0},        {0, 0, wanted.z}};
    for (const Vec3& move : choices) {
      if (!KeepsSkin({walker->place, move})) continue;
      if (move.z == 0) Land(walker);
      if (move.x == 0 || move.y == 0) walker->goal = AnyPlace(0, 0);
      return move;
    }
    Land(walker);
    walker->goal = AnyPlace(0, 0);
    return {};
  }

  void Land(Walker* walker) {
    walker->fall_speed = random().OneIn(kTicksPerJump) ? -kJumpSpeed : 0;
  }

  std::vector<Walker> walkers_;
  std::vector<Vec3> claims_;  // of the current tick
};

}  // namespace

std::unique_ptr<Players> MakeCrowd(const Level& level, const PlayerOptions& options) {
  return std::make_unique<Crowd>(level, options);
}

}  // namespace game

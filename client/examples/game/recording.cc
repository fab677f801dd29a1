// SPDX-License-Identifier: Apache-2.0
//
// Players whose moves were recorded in a level before.
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "json_lines.h"
#include "players.h"

namespace game {
namespace {

using MoveKey = std::pair<std::size_t, std::size_t>;  // player and frame of the recording

// Frames between two players of a match who are the same one of the recording.
constexpr std::size_t kFramesApart = 37;
// Attempts to find a way through a wall, which not every place has.
constexpr int kAttempts = 4;

MoveKey KeyOf(const Json& line) {
  return {line.at("player").get<std::size_t>(), line.at("frame").get<std::size_t>()};
}

struct Recorded {
  Way way;
  Expectation expected;
};

class Recording : public Players {
 public:
  Recording(const Level& level, const PlayerOptions& options) : Players(level, options) {}

  absl::Status ReadMoves(const std::filesystem::path& path) {
    std::map<MoveKey, Recorded> moves;
    absl::Status status = ForEachLine(path, [&](const Json& line) {
      const Way way = {ReadVec3(line.at("center")), ReadVec3(line.at("delta"))};
      moves[KeyOf(line)] = {way, ExpectMove(way)};
    });
    for (auto& [key, move] : moves) {
      if (key.first >= players_.size()) players_.resize(key.first + 1);
      index_[key] = {key.first, players_[key.first].size()};
      players_[key.first].push_back(std::move(move));
    }
    for (const auto& frames : players_) {
      if (frames.empty()) status.Update(absl::InvalidArgumentError("a player without moves"));
    }
    if (players_.empty()) status.Update(absl::NotFoundError("no moves"));
    return status;
  }

  absl::Status ReadAnswers(const std::filesystem::path& path, const Level& level) {
    std::unordered_map<std::string, std::uint32_t> ids;
    for (std::uint32_t id = 0; id < level.bodies.size(); ++id) ids[level.bodies[id].name] = id;
    return ForEachLine(path, [&](const Json& line) {
      const auto place = index_.find(KeyOf(line));
      if (place == index_.end()) return;
      Expectation expected{Expectation::Kind::kFree};
      if (!line.at("first_contact").is_null()) {
        expected = {Expectation::Kind::kStopped, line["first_contact"].get<double>()};
        for (const Json& name : line.at("brushes")) {
          expected.bodies.push_back(ids[name.get<std::string>()]);
        }
      }
      players_[place->second.first][place->second.second].expected = std::move(expected);
    });
  }

  void Settle(absl::Span<const Verdict> /*verdicts*/) override {}

 protected:
  Claimed Walk(std::size_t player, std::uint64_t tick) override {
    const std::vector<Recorded>& frames = players_[player % players_.size()];
    const std::size_t later = kFramesApart * (player / players_.size());
    const Recorded& move = frames[(tick + later) % frames.size()];
    return {move.way, move.expected};
  }

  // To where somebody else was.
  Claimed Cheat(const Vec3& from) override {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::vector<Recorded>& frames = players_[random().Below(players_.size())];
      const Vec3& there = frames[random().Below(frames.size())].way.from;
      Claimed cheat{{from, there - from}, {}};
      cheat.expected = ExpectMove(cheat.way);
      if (cheat.expected.kind == Expectation::Kind::kStoppedNotAfter) return cheat;
      if (cheat.expected.kind == Expectation::Kind::kStopped) return cheat;
    }
    return {};
  }

 private:
  std::vector<std::vector<Recorded>> players_;
  std::map<MoveKey, std::pair<std::size_t, std::size_t>> index_;  // into players_
};

}  // namespace

absl::StatusOr<std::unique_ptr<Players>> ReadRecording(const std::filesystem::path& folder,
                                                       const Level& level,
                                                       const PlayerOptions& options) {
  auto recording = std::make_unique<Recording>(level, options);
  absl::Status status = recording->ReadMoves(folder / "moves.jsonl");
  if (status.ok() && std::filesystem::exists(folder / "answers_moves.jsonl")) {
    status = recording->ReadAnswers(folder / "answers_moves.jsonl", level);
  }
  if (!status.ok())
    return absl::Status(status.code(),
                        absl::StrCat(folder.c_str(), ": ", std::string(status.message())));
  return std::unique_ptr<Players>(std::move(recording));
}

}  // namespace game

// SPDX-License-Identifier: Apache-2.0
//
// The authority over moves. It holds a level as a scene of the server, and asks for every claimed
// move of a tick, in one message, whether anything is in its path.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "clearance/client.h"
#include "clearance/scene.h"
#include "clearance/scene_query.h"
#include "clearance/session.h"
#include "level.h"
#include "match.h"

namespace game {

// The form in which the moves of a tick become rows of a message.
enum class Form : std::uint8_t {
  // The session's query body is the players' box; a row is a player. Each is answered by its first
  // contact, and a claim that is bad by itself (not a number) is refused alone.
  kRows,
  // Every player is a query body; one row has them all and lists every pair that meets. For players
  // of different shapes, or players that block each other; a bad claim has the whole row refused.
  kBodies,
};

struct AuthorityOptions {
  Form form = Form::kRows;
  std::uint32_t player_count = 0;
  std::string scene;       // its name
  bool is_stored = false;  // else it is gone ten minutes after a crash
};

// Returns the verdicts of a row of all players, whose pairs are in the order of the players. If the
// list was cut short, the last player in it and all later players are not judged. No player is
// judged if the row was refused, or if its pairs are not such a list.
std::vector<Verdict> VerdictsOfBodies(const clearance::client::SweepResult& result,
                                      std::size_t player_count);

class Authority {
 public:
  // Registers the level's bodies and the players' box, makes the scene, and opens it.
  static absl::StatusOr<std::unique_ptr<Authority>> Start(const clearance::client::Client& client,
                                                          const Level& level,
                                                          const AuthorityOptions& options);
  // Deletes the scene.
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  // Judges each player's claim.
  absl::StatusOr<std::vector<Verdict>> Judge(absl::Span<const Way> claims);
  // Sends the same message about a scene without a body, to measure its cost without geometry.
  absl::Status AskEmptyScene(absl::Span<const Way> claims);

  // The players' box as the server has it.
  const clearance::client::ByDigest& player() const { return player_; }

 private:
  Authority(const clearance::client::Client& client, const AuthorityOptions& options);
  absl::Status Register(const Level& level);
  absl::Status MakeScenes(const Level& level);
  absl::Status OpenSession();
  absl::StatusOr<clearance::client::SweepResult> Ask(absl::Span<const Way> claims,
                                                     std::uint32_t scene_slot);

  const clearance::client::Client client_;
  const clearance::client::SceneClient scenes_;
  const AuthorityOptions options_;
  clearance::client::ByDigest player_;
  std::vector<clearance::client::ShapeKey> level_shapes_;
  std::uint32_t max_row_pairs_ = 0;
  std::unique_ptr<clearance::client::Session> session_;
};

}  // namespace game

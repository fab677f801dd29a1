// SPDX-License-Identifier: Apache-2.0
//
// The authority over shots. It publishes the positions of the players, tick by tick, and asks what
// a shot met in the world as its shooter saw it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "clearance/client.h"
#include "clearance/track.h"
#include "match.h"

namespace game {

struct RewinderOptions {
  std::string scene;
  std::string track;
  std::uint32_t player_count = 0;
  clearance::client::ByDigest player;  // their box
};

class Rewinder {
 public:
  static absl::StatusOr<std::unique_ptr<Rewinder>> Start(const clearance::client::Client& client,
                                                         const RewinderOptions& options);

  // Publishes the position of each player.
  absl::Status Publish(std::uint64_t tick, absl::Span<const Vec3> places);
  // Judges a shot. A shot seen at no time is refused by itself, as is one on a path that is not a
  // number.
  absl::StatusOr<ShotVerdict> Judge(const Shot& shot);

 private:
  explicit Rewinder(std::string track) : track_(std::move(track)) {}

  const std::string track_;
  std::unique_ptr<clearance::client::TrackWriter> writer_;
  std::unique_ptr<clearance::client::TrackReader> reader_;
};

}  // namespace game

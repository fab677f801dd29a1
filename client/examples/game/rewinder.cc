// SPDX-License-Identifier: Apache-2.0
#include "rewinder.h"

#include <utility>
#include <vector>

namespace game {

using clearance::client::RewoundRays;

absl::StatusOr<std::unique_ptr<Rewinder>> Rewinder::Start(const clearance::client::Client& client,
                                                          const RewinderOptions& options) {
  auto rewinder = std::unique_ptr<Rewinder>(new Rewinder(options.track));
  clearance::client::SceneBodies players;
  players.count = options.player_count;
  players.shapes = {options.player};
  for (std::size_t i = 0; i < options.player_count; ++i) players.ids.push_back(PlayerId(i));
  auto writer = clearance::client::TrackWriter::Open(client, options.track, players);
  if (!writer.ok()) return writer.status();
  auto reader = clearance::client::TrackReader::Open(client, {.scene = options.scene});
  if (!reader.ok()) return reader.status();
  rewinder->writer_ = *std::move(writer);
  rewinder->reader_ = *std::move(reader);
  return rewinder;
}

absl::Status Rewinder::Publish(std::uint64_t tick, absl::Span<const Way> claims) {
  std::vector<double> poses;
  for (const Way& claim : claims) {
    clearance::client::AppendPose({.x = claim.from.x, .y = claim.from.y, .z = claim.from.z},
                                  &poses);
  }
  return writer_->Publish(tick, poses).status();
}

absl::StatusOr<ShotVerdict> Rewinder::Judge(const Shot& shot) {
  const auto rewound = reader_->Rewind(
      {.track = track_, .at = shot.seen, .left_out_bodies = {PlayerId(shot.shooter)}});
  if (!rewound.ok()) return rewound.status();
  RewoundRays rays;
  rays.count = 1;
  clearance::client::AppendVec3(shot.way.from, &rays.origins);
  clearance::client::AppendVec3(shot.way.move, &rays.displacements);
  const auto hits = reader_->CastRays(rays);
  if (!hits.ok()) return hits.status();
  ShotVerdict answer;
  answer.rewound = *rewound;
  answer.verdict.state = hits->states.at(0);
  answer.verdict.t_free = hits->t_free.at(0);
  answer.verdict.t_hit = hits->t_hit.at(0);
  answer.verdict.body = hits->bodies.at(0);
  answer.point = {hits->points.at(0), hits->points.at(1), hits->points.at(2)};
  answer.normal = {hits->normals.at(0), hits->normals.at(1), hits->normals.at(2)};
  return answer;
}

}  // namespace game

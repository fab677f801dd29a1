// SPDX-License-Identifier: Apache-2.0
#include "rewinder.h"

#include <utility>
#include <vector>

namespace game {

namespace {

using clearance::client::MotionState;
using clearance::client::RewoundRays;

// False for NaN too.
bool IsTime(const clearance::client::TrackTime& time) {
  return time.fraction >= 0 && time.fraction < 1;
}

}  // namespace

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

absl::Status Rewinder::Publish(std::uint64_t tick, absl::Span<const Vec3> places) {
  std::vector<double> poses;
  for (const Vec3& place : places) {
    clearance::client::AppendPose({.x = place.x, .y = place.y, .z = place.z}, &poses);
  }
  return writer_->Publish(tick, poses).status();
}

absl::StatusOr<ShotVerdict> Rewinder::Judge(const Shot& shot) {
  ShotVerdict answer;
  answer.verdict.state = MotionState::kRefused;
  if (!IsTime(shot.seen)) return answer;
  const auto rewound = reader_->Rewind(
      {.track = track_, .at = shot.seen, .left_out_bodies = {PlayerId(shot.shooter)}});
  if (!rewound.ok()) return rewound.status();
  RewoundRays rays;
  rays.count = 1;
  clearance::client::AppendVec3(shot.way.from, &rays.origins);
  clearance::client::AppendVec3(shot.way.move, &rays.displacements);
  const auto hits = reader_->CastRays(rays);
  if (!hits.ok()) return hits.status();
  answer.rewound = *rewound;
  answer.verdict.state = hits->states.at(0);
  answer.verdict.t_free = hits->t_free.at(0);
  answer.verdict.body = hits->bodies.at(0);
  if (answer.verdict.state != MotionState::kHit &&
      answer.verdict.state != MotionState::kInitiallyOverlapping) {
    return answer;  // the rest is NaN
  }
  answer.verdict.t_hit = hits->t_hit.at(0);
  answer.point = {hits->points.at(0), hits->points.at(1), hits->points.at(2)};
  answer.normal = {hits->normals.at(0), hits->normals.at(1), hits->normals.at(2)};
  return answer;
}

}  // namespace game

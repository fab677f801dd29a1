// SPDX-License-Identifier: Apache-2.0

#include "server/session/session_track.h"

#include <memory>
#include <utility>
#include <vector>

#include "server/convert/scene_change.h"
#include "server/engine/rows.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// Differences of ticks are exact as doubles up to here.
constexpr std::uint64_t kHighestTick = std::uint64_t{1} << 53;

absl::Status CheckBodies(const QueryBodies& own, const Limits& limits) {
  absl::Status status =
      CheckMost(own.bodies().size(), {"max_track_bodies", limits.max_track_bodies},
                {.reason = Reason::kTooManyBodies,
                 .field = "poses",
                 .unit = " bodies",
                 .message = "The session has more bodies than a tick may have; detach some, or "
                            "make several tracks of several sessions."});
  if (!status.ok()) return status;
  if (own.owned_bytes() == 0) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kInlineShapeNotAllowed,
                 .field = "poses",
                 .value = "query bodies with inline shapes",
                 .limit = "registered shapes",
                 .message = "A track keeps the shapes of its bodies for others; register them."});
}

// Returns one pose for each body, or the poses that the bodies have.
absl::StatusOr<std::vector<Pose>> ReadPoses(const v1::PublishTick& publish,
                                            absl::Span<const SceneBody> bodies) {
  std::vector<Pose> poses;
  poses.reserve(bodies.size());
  const auto numbers = static_cast<std::uint64_t>(publish.poses_size());
  if (numbers == 0) {
    for (const SceneBody& body : bodies) poses.push_back(body.X_WB);
    return poses;
  }
  if (numbers != kPoseNumbers * bodies.size()) {
    return RefuseArgument(
        {.reason = Reason::kColumnLength,
         .field = "poses",
         .value = FormatNumber(numbers) + " numbers",
         .limit = "0 or " + FormatNumber(kPoseNumbers * bodies.size()) + " numbers (7 a body)",
         .message = "The column does not fit the session's query bodies."});
  }
  const Rows<double> rows = {publish.poses().data(), kPoseNumbers};
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    SceneBody placed = bodies[k];
    placed.X_WB = PoseAt(rows, k);
    if (const auto fault = FindBodyFault(placed))
      return RefusePlace(*fault, Indexed("poses", k), placed.X_WB);
    poses.push_back(placed.X_WB);
  }
  return poses;
}

}  // namespace

void SessionTrack::End() {
  if (track_ != nullptr) call_.parts.tracks->End(*track_);
  track_ = nullptr;
  place_.reset();
}

void SessionTrack::EndUnlessAllowed() {
  if (track_ != nullptr && !RequirePublisher(track_->name()).ok()) End();
}

absl::Status SessionTrack::RequirePublisher(std::string_view name) const {
  absl::Status status = ScenesOf(call_).RequireReach(name, "name");
  const PrincipalPtr& principal = call_.caller.principal;
  if (!status.ok() || principal == nullptr) return status;
  return RequireRole(*principal, Role::kRegister, "name");
}

absl::Status SessionTrack::Open(const v1::OpenTrack& open, v1::OpenTrackResult* result) {
  if (absl::Status status = RequirePublisher(open.name()); !status.ok()) return status;
  if (track_ != nullptr) {
    return Refuse(absl::StatusCode::kFailedPrecondition,
                  {.reason = Reason::kTrackAlreadyOpen,
                   .field = "name",
                   .value = open.name(),
                   .limit = "one track a session",
                   .message = "The session publishes a track already, " + track_->name() +
                              "; close that first."});
  }
  place_.emplace(call_.parts.track_places, call_.caller.holder());
  if (absl::Status status = place_->Take(1); !status.ok()) {
    call_.parts.metrics.tracks_refused().Increment();
    return status;
  }
  auto opened = call_.parts.tracks->Open(open.name());
  if (!opened.ok()) {
    place_.reset();
    return opened.status();
  }
  track_ = *std::move(opened);
  result->set_name(track_->name());
  return absl::OkStatus();
}

absl::Status SessionTrack::RequireOpen() const {
  if (track_ != nullptr) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kTrackNotOpen,
                 .field = "track",
                 .value = "none",
                 .limit = "a track that the session has opened",
                 .message = "The session publishes no track; open one."});
}

absl::Status SessionTrack::CheckNumber(std::uint64_t number) const {
  if (number > kHighestTick) {
    return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                           .field = "tick",
                           .value = FormatNumber(number),
                           .limit = "<= " + FormatNumber(kHighestTick),
                           .message = "The number of the tick is too high."});
  }
  const TrackTicksPtr ticks = track_->ticks();
  if (ticks->empty() || number > ticks->back()->number) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kTickNotNewer,
                 .field = "tick",
                 .value = FormatNumber(number),
                 .limit = "> " + FormatNumber(ticks->back()->number),
                 .message = "The track has this tick already, or a later one."});
}

absl::Status SessionTrack::Publish(const v1::PublishTick& publish, const SessionScenes& scenes,
                                   v1::PublishTickResult* result) {
  if (absl::Status status = RequireProcessorTime(call_); !status.ok()) return status;
  if (absl::Status status = RequireOpen(); !status.ok()) return status;
  if (absl::Status status = CheckNumber(publish.tick()); !status.ok()) return status;
  const auto own = scenes.RequireOwn("poses");
  if (!own.ok()) return own.status();
  const Limits& limits = call_.parts.limits;
  if (absl::Status status = CheckBodies(**own, limits); !status.ok()) return status;
  auto poses = ReadPoses(publish, (*own)->bodies());
  if (!poses.ok()) return poses.status();
  track_->Publish(
      std::make_shared<const TrackTick>(TrackTick{
          .number = publish.tick(), .bodies = (*own)->shared_bodies(), .poses = *std::move(poses)}),
      limits.max_track_ticks);
  call_.parts.metrics.track_ticks().Increment();
  result->set_tick(publish.tick());
  result->set_oldest_tick(track_->ticks()->front()->number);
  result->set_body_count(static_cast<std::uint32_t>((*own)->bodies().size()));
  return absl::OkStatus();
}

absl::Status SessionTrack::Close(v1::CloseTrackResult* result) {
  if (absl::Status status = RequireOpen(); !status.ok()) return status;
  result->set_name(track_->name());
  End();
  return absl::OkStatus();
}

std::uint64_t CostOf(const v1::PublishTick& publish) {
  constexpr std::uint64_t kNumbersAUnit = 64;
  return static_cast<std::uint64_t>(publish.poses_size()) / kNumbersAUnit;
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/strings/str_format.h"
#include "core/scene/track.h"
#include "server/convert/scene_change.h"
#include "server/engine/rows.h"
#include "server/guard/refusal.h"
#include "server/session/session_scenes.h"

namespace clearance::server {
namespace {

absl::Status CheckNumber(std::uint64_t number, const TrackTicks& ticks) {
  // Differences of ticks are exact as doubles up to here.
  constexpr std::uint64_t kHighestTick = std::uint64_t{1} << 53;
  if (number > kHighestTick) {
    return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                           .field = "tick",
                           .value = FormatNumber(number),
                           .limit = "<= " + FormatNumber(kHighestTick),
                           .message = "The number of the tick is too high."});
  }
  if (ticks.empty() || number > ticks.back()->number) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kTickNotNewer,
                 .field = "tick",
                 .value = FormatNumber(number),
                 .limit = "> " + FormatNumber(ticks.back()->number),
                 .message = "The track has this tick already, or a later one."});
}

absl::Status CheckBodies(const QueryBodies& own, const Limits& limits) {
  absl::Status status =
      CheckMost(own.bodies->size(), {"max_track_bodies", limits.max_track_bodies},
                {.reason = Reason::kTooManyBodies,
                 .field = "poses",
                 .unit = " bodies",
                 .message = "The session has more bodies than a tick may have; detach some, or "
                            "make several tracks of several sessions."});
  if (!status.ok()) return status;
  if (own.owned_bytes == 0) return absl::OkStatus();
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
    if (FindBodyFault(placed)) return RefusePlace("poses", k, placed.X_WB);
    poses.push_back(placed.X_WB);
  }
  return poses;
}

absl::Status CheckRewind(const v1::RewindTrack& rewind, const Limits& limits) {
  // Written so that NaN is refused.
  if (!(rewind.fraction() >= 0 && rewind.fraction() < 1)) {
    return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                           .field = "fraction",
                           .value = FormatNumber(rewind.fraction()),
                           .limit = "0 <= fraction < 1",
                           .message = "The time is a tick and a fraction of one after it."});
  }
  absl::Status status =
      CheckMost(rewind.left_out_bodies_size(), {"max_track_bodies", limits.max_track_bodies},
                {.reason = Reason::kTooManyBodies,
                 .field = "left_out_bodies",
                 .message = "More bodies are left out than a track may have."});
  const std::uint32_t base = rewind.base_scene_slot();
  if (!status.ok() || !rewind.has_base_scene_slot() || base != rewind.scene_slot()) return status;
  return RefuseArgument({.reason = Reason::kFieldsConflict,
                         .field = "base_scene_slot",
                         .value = FormatNumber(std::uint64_t{base}),
                         .limit = "another slot than scene_slot",
                         .message = "The scene that bodies are put in stays in its slot; choose "
                                    "another one for what is made of it."});
}

absl::StatusOr<TrackTicksPtr> FindTicks(const CallScope& call, const std::string& name) {
  if (absl::Status status = ScenesOf(call).RequireReach(name, "track"); !status.ok()) return status;
  const auto track = call.parts.tracks->Find(name);
  if (!track.ok()) return track.status();
  TrackTicksPtr ticks = (*track)->ticks();
  if (!ticks->empty()) return ticks;
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kTrackEmpty,
                 .field = "track",
                 .value = name,
                 .limit = "a track with a tick",
                 .message = "The track has no tick yet; repeat with back-off."});
}

// Sets the result's count of the track's bodies in the scene.
absl::StatusOr<ScenePtr> MakeScene(const TrackMoment& moment, const Scene& base,
                                   const v1::RewindTrack& rewind, v1::RewindTrackResult* result) {
  const absl::btree_set<BodyId> left_out(rewind.left_out_bodies().begin(),
                                         rewind.left_out_bodies().end());
  std::vector<SceneBody> bodies = BodiesAt(moment);
  std::erase_if(bodies, [&](const SceneBody& body) { return left_out.contains(body.id); });
  std::vector<BodyId> removed;
  std::ranges::copy_if(left_out, std::back_inserter(removed),
                       [&](BodyId id) { return base.Contains(id); });
  const SceneOrFault made = base.Apply({.remove = removed, .put = bodies});
  result->set_body_count(static_cast<std::uint32_t>(bodies.size()));
  if (std::holds_alternative<ScenePtr>(made)) return std::get<ScenePtr>(made);
  // A body between two places near the largest double may lie beyond it.
  const std::size_t k = std::get<SceneFault>(made).index;
  return RefuseArgument({.reason = Reason::kCoordinateTooLarge,
                         .field = "track",
                         .value = "body " + FormatNumber(std::uint64_t{bodies[k].id}),
                         .limit = "bodies that are representable between the ticks",
                         .message = "A body of the track lies too far out between its ticks."});
}

}  // namespace

void SessionScenes::EndTrack() {
  if (track_ != nullptr) call_.parts.tracks->End(*track_);
  track_ = nullptr;
  track_place_.reset();
}

void SessionScenes::EndTrackUnlessAllowed() {
  if (track_ != nullptr && !RequirePublisher(track_->name()).ok()) EndTrack();
}

absl::Status SessionScenes::RequirePublisher(std::string_view name) const {
  absl::Status status = ScenesOf(call_).RequireReach(name, "name");
  const PrincipalPtr& principal = call_.caller.principal;
  if (!status.ok() || principal == nullptr) return status;
  return RequireRole(*principal, Role::kRegister, "name");
}

absl::Status SessionScenes::OpenTrack(const v1::OpenTrack& open, v1::OpenTrackResult* result) {
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
  track_place_.emplace(call_.parts.track_places, call_.caller.holder());
  if (absl::Status status = track_place_->Take(1); !status.ok()) {
    call_.parts.metrics.tracks_refused().Increment();
    return status;
  }
  auto opened = call_.parts.tracks->Open(open.name());
  if (!opened.ok()) {
    track_place_.reset();
    return opened.status();
  }
  track_ = *std::move(opened);
  result->set_name(track_->name());
  return absl::OkStatus();
}

absl::Status SessionScenes::RequireTrack() const {
  if (track_ != nullptr) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kTrackNotOpen,
                 .field = "track",
                 .value = "none",
                 .limit = "a track that the session has opened",
                 .message = "The session publishes no track; open one."});
}

absl::Status SessionScenes::Publish(const v1::PublishTick& publish, v1::PublishTickResult* result) {
  const Limits& limits = call_.parts.limits;
  absl::Status status = RequireProcessorTime(call_);
  if (status.ok()) status = RequireTrack();
  if (status.ok()) status = CheckNumber(publish.tick(), *track_->ticks());
  if (status.ok()) status = RequireOwn("poses");
  if (status.ok()) status = CheckBodies(own_, limits);
  if (!status.ok()) return status;
  auto poses = ReadPoses(publish, *own_.bodies);
  if (!poses.ok()) return poses.status();
  track_->Publish(std::make_shared<const TrackTick>(TrackTick{
                      .number = publish.tick(), .bodies = own_.bodies, .poses = *std::move(poses)}),
                  limits.max_track_ticks);
  call_.parts.metrics.track_ticks().Increment();
  result->set_tick(publish.tick());
  result->set_oldest_tick(track_->ticks()->front()->number);
  result->set_body_count(static_cast<std::uint32_t>(own_.bodies->size()));
  return absl::OkStatus();
}

absl::Status SessionScenes::CloseTrack(v1::CloseTrackResult* result) {
  if (absl::Status status = RequireTrack(); !status.ok()) return status;
  result->set_name(track_->name());
  EndTrack();
  return absl::OkStatus();
}

absl::Status SessionScenes::Rewind(const v1::RewindTrack& rewind, v1::RewindTrackResult* result) {
  const std::uint32_t slot = rewind.scene_slot();
  absl::Status status = CheckSceneSlot(slot);
  if (status.ok()) status = RequireProcessorTime(call_);
  if (status.ok()) status = CheckRewind(rewind, call_.parts.limits);
  if (!status.ok()) return status;
  std::optional<std::uint32_t> base_slot;
  if (rewind.has_base_scene_slot()) base_slot = rewind.base_scene_slot();
  const auto base = Find(base_slot, "base_scene_slot");
  if (!base.ok()) return base.status();
  const auto ticks = FindTicks(call_, rewind.track());
  if (!ticks.ok()) return ticks.status();
  // The slot's old content makes room for the new one.
  Clear(slot);
  const TrackMoment moment = MomentAt(**ticks, {rewind.tick(), rewind.fraction()});
  const auto scene = MakeScene(moment, *base->scene, rewind, result);
  if (!scene.ok()) return scene.status();
  auto held = std::make_shared<ShareLedger::Part>(call_.parts.scenes->own(), call_.caller.holder());
  status = held->Take((*scene)->byte_size());
  if (!status.ok()) return WithField("scene_slot", status);
  Put(slot, {*scene, base->revision, "", std::move(held),
             absl::StrFormat("%s with track %s at tick %d and %a", base->name, rewind.track(),
                             rewind.tick(), rewind.fraction())});
  using Clamp = TrackMoment::Clamp;
  call_.parts.metrics.rewinds(moment.clamp != Clamp::kNone).Increment();
  result->set_scene_slot(slot);
  result->set_tick(moment.time.number);
  result->set_fraction(moment.time.fraction);
  result->set_clamp(moment.clamp == Clamp::kNone       ? v1::TRACK_CLAMP_NONE
                    : moment.clamp == Clamp::kToOldest ? v1::TRACK_CLAMP_TO_OLDEST
                                                       : v1::TRACK_CLAMP_TO_NEWEST);
  result->set_earlier_tick(moment.earlier->number);
  result->set_later_tick(moment.later->number);
  result->set_weight(moment.weight);
  result->set_oldest_tick((*ticks)->front()->number);
  result->set_newest_tick((*ticks)->back()->number);
  result->set_scene_revision(base->revision);
  return absl::OkStatus();
}

// Occasionally, or always by the choice of bodies, all of the base's tree is built again.
std::uint64_t SessionScenes::CostOf(const v1::RewindTrack& rewind) const {
  constexpr std::uint64_t kUnitsABody = 2;
  constexpr std::uint64_t kBaseBodiesAUnit = 2;
  const auto ticks = FindTicks(call_, rewind.track());
  if (!ticks.ok()) return 0;  // it will be refused
  std::uint64_t cost = kUnitsABody * (*ticks)->back()->bodies->size();
  const Slot& base = At(rewind.base_scene_slot());
  if (rewind.has_base_scene_slot() && base.scene != nullptr)
    cost += base.scene->size() / kBaseBodiesAUnit;
  return cost;
}

}  // namespace clearance::server

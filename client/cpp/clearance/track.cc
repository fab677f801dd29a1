// SPDX-License-Identifier: Apache-2.0
#include "clearance/track.h"

#include <utility>

#include "internal/blank_rows.h"
#include "internal/columns.h"
#include "internal/scene_convert.h"
#include "internal/status_convert.h"
#include "internal/track_session.h"

namespace clearance::client {
namespace {

// Slots of scenes of a reader's session: the scene as it is, and as it was with the track's bodies.
constexpr std::uint32_t kSceneSlot = 0;
constexpr std::uint32_t kRewoundSlot = 1;

Rewound RewoundOf(const v1::RewindTrackResult& proto) {
  return {.at = {proto.tick(), proto.fraction()},
          .clamp = static_cast<TrackClamp>(proto.clamp()),
          .earlier_tick = proto.earlier_tick(),
          .later_tick = proto.later_tick(),
          .weight = proto.weight(),
          .oldest_tick = proto.oldest_tick(),
          .newest_tick = proto.newest_tick(),
          .body_count = proto.body_count(),
          .scene_revision = proto.scene_revision()};
}

template <class Result>
std::vector<Error> ErrorsOf(const Result& result) {
  std::vector<Error> errors;
  for (const v1::Error& error : result.errors()) errors.push_back(FromProto(error));
  return errors;
}

RewoundHits HitsOf(const v1::SweepBatchResult& proto) {
  RewoundHits hits = {.states = {},
                      .t_free = ToVector(proto.t_free()),
                      .t_hit = ToVector(proto.t_hit()),
                      .query_bodies = ToVector(proto.bodies_a()),
                      .bodies = ToVector(proto.bodies_b()),
                      .points = ToVector(proto.points_b()),
                      .normals = ToVector(proto.normals()),
                      .errors = ErrorsOf(proto)};
  for (const int state : proto.states()) hits.states.push_back(static_cast<MotionState>(state));
  BlankRows(hits.states, {{&hits.t_hit}, {&hits.points, 3}, {&hits.normals, 3}});
  return hits;
}

RewoundChecks ChecksOf(const v1::CheckBatchResult& proto) {
  RewoundChecks checks = {.verdicts = {},
                          .query_bodies = ToVector(proto.bodies_a()),
                          .bodies = ToVector(proto.bodies_b()),
                          .errors = ErrorsOf(proto)};
  for (const int verdict : proto.verdicts())
    checks.verdicts.push_back(static_cast<RewoundChecks::Verdict>(verdict));
  return checks;
}

RewoundMinimumDistances MinimumDistancesOf(const v1::MinimumDistanceBatchResult& proto) {
  RewoundMinimumDistances minimums = {.states = {},
                                      .distances = ToVector(proto.distances()),
                                      .lower_bounds = ToVector(proto.lower_bounds()),
                                      .upper_bounds = ToVector(proto.upper_bounds()),
                                      .query_bodies = ToVector(proto.bodies_a()),
                                      .bodies = ToVector(proto.bodies_b()),
                                      .own_points = ToVector(proto.points_a()),
                                      .points = ToVector(proto.points_b()),
                                      .normals = ToVector(proto.normals()),
                                      .errors = ErrorsOf(proto)};
  for (const int state : proto.states()) minimums.states.push_back(static_cast<State>(state));
  BlankRows(minimums.states, {{&minimums.distances},
                              {&minimums.own_points, 3},
                              {&minimums.points, 3},
                              {&minimums.normals, 3}});
  return minimums;
}

void WantHits(v1::SweepDetail* detail) {
  detail->set_times(true);
  detail->set_pairs(true);
  detail->set_points(true);
  detail->set_normals(true);
}

template <class Poses>
void FillConfigurations(std::uint32_t count, const Poses& poses, v1::ConfigurationColumns* proto) {
  proto->set_count(count);
  proto->set_scene_slot(kRewoundSlot);
  proto->set_pair_scope(v1::PAIR_SCOPE_SCENE);
  Assign(poses, proto->mutable_poses());
}

// Each takes a column of numbers, or a span of poses.
template <class Poses>
absl::StatusOr<PublishedTick> PublishTick(std::uint64_t tick, const Poses& poses,
                                          TrackSession* session) {
  v1::SessionRequest request;
  request.mutable_publish_tick()->set_tick(tick);
  Assign(poses, request.mutable_publish_tick()->mutable_poses());
  const auto response = session->Ask(&request);
  if (!response.ok()) return response.status();
  const v1::PublishTickResult& result = response->publish_tick();
  return PublishedTick{result.tick(), result.oldest_tick(), result.body_count()};
}

template <class Poses>
absl::StatusOr<RewoundChecks> AskCheck(std::uint32_t count, const Poses& poses,
                                       TrackSession* session) {
  v1::SessionRequest request;
  v1::CheckBatch& batch = *request.mutable_check();
  FillConfigurations(count, poses, batch.mutable_configurations());
  batch.mutable_detail()->set_pairs(true);
  session->LimitReply(&batch);
  const auto response = session->Ask(&request);
  if (!response.ok()) return response.status();
  return ChecksOf(response->check());
}

template <class Poses>
absl::StatusOr<RewoundMinimumDistances> AskMinimumDistance(std::uint32_t count, const Poses& poses,
                                                           TrackSession* session) {
  v1::SessionRequest request;
  v1::MinimumDistanceBatch& batch = *request.mutable_minimum_distance();
  FillConfigurations(count, poses, batch.mutable_configurations());
  v1::MinimumDistanceDetail& detail = *batch.mutable_detail();
  detail.set_distances(true);
  detail.set_bounds(true);
  detail.set_pairs(true);
  detail.set_points(true);
  detail.set_normals(true);
  session->LimitReply(&batch);
  const auto response = session->Ask(&request);
  if (!response.ok()) return response.status();
  return MinimumDistancesOf(response->minimum_distance());
}

}  // namespace

TrackWriter::TrackWriter(std::unique_ptr<TrackSession> session) : session_(std::move(session)) {}
TrackWriter::~TrackWriter() = default;

absl::StatusOr<std::unique_ptr<TrackWriter>> TrackWriter::Open(const Client& client,
                                                               const std::string& name,
                                                               const SceneBodies& bodies) {
  auto session = std::make_unique<TrackSession>(client);
  v1::SessionRequest request;
  request.mutable_open_track()->set_name(name);
  if (const auto opened = session->Ask(&request); !opened.ok()) return opened.status();
  SceneChange change;
  change.bodies = bodies;
  if (absl::Status status = session->Attach(change, /*reset=*/false); !status.ok()) return status;
  return std::unique_ptr<TrackWriter>(new TrackWriter(std::move(session)));
}

absl::StatusOr<PublishedTick> TrackWriter::Publish(std::uint64_t tick,
                                                   const std::vector<double>& poses) {
  return PublishTick(tick, poses, session_.get());
}

absl::StatusOr<PublishedTick> TrackWriter::PublishPoses(std::uint64_t tick,
                                                        absl::Span<const Pose> poses) {
  return PublishTick(tick, poses, session_.get());
}

absl::Status TrackWriter::Change(const SceneChange& change, bool reset) {
  return session_->Attach(change, reset);
}

absl::Status TrackWriter::Finish() { return session_->Finish(); }

TrackReader::TrackReader(std::unique_ptr<TrackSession> session) : session_(std::move(session)) {}
TrackReader::~TrackReader() = default;

absl::StatusOr<std::unique_ptr<TrackReader>> TrackReader::Open(const Client& client,
                                                               const TrackReaderOptions& options) {
  std::unique_ptr<TrackReader> reader(new TrackReader(std::make_unique<TrackSession>(client)));
  SceneChange change;
  change.bodies = options.bodies;
  if (absl::Status status = reader->session_->Attach(change, /*reset=*/false); !status.ok())
    return status;
  if (options.scene.empty()) return reader;
  if (const auto opened = reader->OpenScene(options.scene); !opened.ok()) return opened.status();
  return reader;
}

absl::StatusOr<SceneInfo> TrackReader::OpenScene(const std::string& name) {
  // Whether it opens or not: where it does not the slot is poisoned, and a rewind in it is refused
  // rather than answered of a world without it.
  has_scene_ = true;
  v1::SessionRequest request;
  request.mutable_open_scene()->set_scene_slot(kSceneSlot);
  request.mutable_open_scene()->set_name(name);
  const auto response = session_->Ask(&request);
  if (!response.ok()) return response.status();
  return FromProto(response->open_scene().scene());
}

absl::StatusOr<Rewound> TrackReader::Rewind(const RewindQuestion& question) {
  v1::SessionRequest request;
  v1::RewindTrack& rewind = *request.mutable_rewind_track();
  rewind.set_scene_slot(kRewoundSlot);
  if (has_scene_) rewind.set_base_scene_slot(kSceneSlot);
  rewind.set_track(question.track);
  rewind.set_tick(question.at.tick);
  rewind.set_fraction(question.at.fraction);
  Assign(question.left_out_bodies, rewind.mutable_left_out_bodies());
  const auto response = session_->Ask(&request);
  if (!response.ok()) return response.status();
  return RewoundOf(response->rewind_track());
}

absl::StatusOr<RewoundHits> TrackReader::CastRays(const RewoundRays& rays) {
  v1::SessionRequest request;
  v1::RayBatch& batch = *request.mutable_ray();
  batch.set_count(rays.count);
  batch.set_scene_slot(kRewoundSlot);
  Assign(rays.origins, batch.mutable_origins());
  Assign(rays.displacements, batch.mutable_displacements());
  Assign(rays.radii, batch.mutable_radii());
  WantHits(batch.mutable_detail());
  session_->LimitReply(&batch);
  const auto response = session_->Ask(&request);
  if (!response.ok()) return response.status();
  return HitsOf(response->ray());
}

absl::StatusOr<RewoundChecks> TrackReader::Check(std::uint32_t count,
                                                 const std::vector<double>& poses) {
  return AskCheck(count, poses, session_.get());
}

absl::StatusOr<RewoundChecks> TrackReader::CheckPoses(std::uint32_t count,
                                                      absl::Span<const Pose> poses) {
  return AskCheck(count, poses, session_.get());
}

absl::StatusOr<RewoundMinimumDistances> TrackReader::MinimumDistance(
    std::uint32_t count, const std::vector<double>& poses) {
  return AskMinimumDistance(count, poses, session_.get());
}

absl::StatusOr<RewoundMinimumDistances> TrackReader::MinimumDistanceOfPoses(
    std::uint32_t count, absl::Span<const Pose> poses) {
  return AskMinimumDistance(count, poses, session_.get());
}

absl::StatusOr<RewoundHits> TrackReader::Sweep(const RewoundSweeps& motions) {
  v1::SessionRequest request;
  v1::SweepBatch& batch = *request.mutable_sweep();
  FillConfigurations(motions.count, motions.poses, batch.mutable_configurations());
  Assign(motions.displacements, batch.mutable_displacements());
  WantHits(batch.mutable_detail());
  session_->LimitReply(&batch);
  const auto response = session_->Ask(&request);
  if (!response.ok()) return response.status();
  return HitsOf(response->sweep());
}

}  // namespace clearance::client

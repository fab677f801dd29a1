// SPDX-License-Identifier: Apache-2.0

#include "server/services/server_info.h"

#include "core/math/tolerance.h"
#include "server/observe/wall_clock.h"

namespace clearance::server {
namespace {

void FillLimits(const Limits& limits, v1::Limits* message) {
  message->set_max_request_bytes(limits.max_request_bytes);
  message->set_max_transport_bytes(limits.max_transport_bytes);
  message->set_max_reply_bytes(limits.max_reply_bytes);
  message->set_max_batch_rows(limits.max_batch_rows);
  message->set_max_batch_shapes(limits.max_batch_shapes);
  message->set_max_shape_vertices(limits.max_shape_vertices);
  message->set_max_shapes(limits.max_shapes);
  message->set_max_registry_bytes(limits.max_registry_bytes);
  message->set_max_slots_per_session(limits.max_slots_per_session);
  message->set_max_sessions(limits.max_sessions);
  message->set_max_messages_in_flight(limits.max_messages_in_flight);
  message->set_max_bytes_in_flight(limits.max_bytes_in_flight);
  message->set_max_session_shape_bytes(limits.max_session_shape_bytes);
  message->set_max_pieces_per_shape(limits.max_pieces_per_shape);
  message->set_max_scenes(limits.max_scenes);
  message->set_max_scene_bodies(limits.max_scene_bodies);
  message->set_max_scene_rules(limits.max_scene_rules);
  message->set_max_scene_revisions(limits.max_scene_revisions);
  message->set_max_scene_bytes(limits.max_scene_bytes);
  message->set_max_session_scenes(limits.max_session_scenes);
  message->set_max_session_bodies(limits.max_session_bodies);
  message->set_max_session_rules(limits.max_session_rules);
  message->set_max_row_pairs(limits.max_row_pairs);
  message->set_max_tracks(limits.max_tracks);
  message->set_max_caller_tracks(limits.max_caller_tracks);
  message->set_max_track_ticks(limits.max_track_ticks);
  message->set_max_track_bodies(limits.max_track_bodies);
  message->set_max_watches(limits.max_watches);
  message->set_max_caller_watches(limits.max_caller_watches);
  message->set_max_row_steps(limits.max_row_steps);
}

void FillTolerances(v1::Tolerances* message) {
  message->set_relative(kRelativeTolerance);
  message->set_rounding(kRoundingTolerance);
  message->set_max_iterations(kMaxIterations);
  message->set_max_motion_steps(kMaxMotionSteps);
  message->set_max_rotation(kMaxRotation);
  message->set_quaternion_slack(kQuaternionSlack);
}

void FillTime(absl::Time time, google::protobuf::Timestamp* message) {
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  message->set_seconds(seconds);
  message->set_nanos(
      static_cast<std::int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

}  // namespace

absl::Status GetServerInfo(const CallScope& call, const v1::GetServerInfoRequest& /*request*/,
                           const StopRule& /*stop*/, v1::GetServerInfoResponse* response) {
  response->set_version(CLEARANCE_VERSION);
  FillLimits(call.parts.limits, response->mutable_limits());
  FillTolerances(response->mutable_tolerances());
  response->set_revision(call.registry.nameless().revision());
  FillTime(WallNow(), response->mutable_server_time());
  return absl::OkStatus();
}

}  // namespace clearance::server

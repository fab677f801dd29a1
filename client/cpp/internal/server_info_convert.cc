// SPDX-License-Identifier: Apache-2.0
#include "internal/server_info_convert.h"

namespace clearance::client {
namespace {

Limits FromProto(const v1::Limits& proto) {
  return {.max_request_bytes = proto.max_request_bytes(),
          .max_transport_bytes = proto.max_transport_bytes(),
          .max_reply_bytes = proto.max_reply_bytes(),
          .max_batch_rows = proto.max_batch_rows(),
          .max_batch_shapes = proto.max_batch_shapes(),
          .max_shape_vertices = proto.max_shape_vertices(),
          .max_shapes = proto.max_shapes(),
          .max_registry_bytes = proto.max_registry_bytes(),
          .max_slots_per_session = proto.max_slots_per_session(),
          .max_sessions = proto.max_sessions(),
          .max_messages_in_flight = proto.max_messages_in_flight(),
          .max_bytes_in_flight = proto.max_bytes_in_flight(),
          .max_session_shape_bytes = proto.max_session_shape_bytes(),
          .max_pieces_per_shape = proto.max_pieces_per_shape(),
          .max_scenes = proto.max_scenes(),
          .max_scene_bodies = proto.max_scene_bodies(),
          .max_scene_rules = proto.max_scene_rules(),
          .max_scene_revisions = proto.max_scene_revisions(),
          .max_scene_bytes = proto.max_scene_bytes(),
          .max_session_scenes = proto.max_session_scenes(),
          .max_session_bodies = proto.max_session_bodies(),
          .max_session_rules = proto.max_session_rules(),
          .max_row_pairs = proto.max_row_pairs(),
          .max_tracks = proto.max_tracks(),
          .max_caller_tracks = proto.max_caller_tracks(),
          .max_track_ticks = proto.max_track_ticks(),
          .max_track_bodies = proto.max_track_bodies(),
          .max_watches = proto.max_watches(),
          .max_caller_watches = proto.max_caller_watches(),
          .max_row_steps = proto.max_row_steps()};
}

Tolerances FromProto(const v1::Tolerances& proto) {
  return {.relative = proto.relative(),
          .rounding = proto.rounding(),
          .max_iterations = proto.max_iterations(),
          .max_motion_steps = proto.max_motion_steps(),
          .max_rotation = proto.max_rotation(),
          .quaternion_slack = proto.quaternion_slack()};
}

std::optional<absl::Time> ServerTime(const v1::GetServerInfoResponse& proto) {
  if (!proto.has_server_time()) return std::nullopt;
  return absl::FromUnixSeconds(proto.server_time().seconds()) +
         absl::Nanoseconds(proto.server_time().nanos());
}

}  // namespace

ServerInfo FromProto(const v1::GetServerInfoResponse& proto) {
  return {.version = proto.version(),
          .limits = FromProto(proto.limits()),
          .tolerances = FromProto(proto.tolerances()),
          .revision = proto.revision(),
          .server_time = ServerTime(proto)};
}

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// The identity, limits and tolerances of a server. proto/clearance/v1/server_service.proto explains
// each number.

#ifndef CLEARANCE_SERVER_INFO_H_
#define CLEARANCE_SERVER_INFO_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace clearance::client {

struct Limits {
  std::uint64_t max_request_bytes = 0;
  std::uint64_t max_transport_bytes = 0;
  std::uint64_t max_reply_bytes = 0;
  std::uint64_t max_batch_rows = 0;
  std::uint64_t max_batch_shapes = 0;
  std::uint64_t max_shape_vertices = 0;
  std::uint64_t max_shapes = 0;
  std::uint64_t max_registry_bytes = 0;
  std::uint64_t max_slots_per_session = 0;
  std::uint64_t max_sessions = 0;
  std::uint64_t max_messages_in_flight = 0;
  std::uint64_t max_bytes_in_flight = 0;
  std::uint64_t max_session_shape_bytes = 0;
  std::uint64_t max_pieces_per_shape = 0;
  std::uint64_t max_scenes = 0;
  std::uint64_t max_scene_bodies = 0;
  std::uint64_t max_scene_rules = 0;
  std::uint64_t max_scene_revisions = 0;
  std::uint64_t max_scene_bytes = 0;
  std::uint64_t max_session_scenes = 0;
  std::uint64_t max_session_bodies = 0;
  std::uint64_t max_session_rules = 0;
  std::uint64_t max_row_pairs = 0;
  std::uint64_t max_tracks = 0;
  std::uint64_t max_caller_tracks = 0;
  std::uint64_t max_track_ticks = 0;
  std::uint64_t max_track_bodies = 0;
  std::uint64_t max_watches = 0;
  std::uint64_t max_caller_watches = 0;
  std::uint64_t max_row_steps = 0;
};

struct Tolerances {
  double relative = 0;
  double rounding = 0;
  std::uint32_t max_iterations = 0;
  std::uint32_t max_motion_steps = 0;
  double max_rotation = 0;      // radians
  double quaternion_slack = 0;  // of the length
};

struct ServerInfo {
  std::string version;
  Limits limits;
  Tolerances tolerances;
  std::uint64_t revision = 0;
  std::optional<absl::Time> server_time = {};  // by its clock; none of a server that tells none
};

}  // namespace clearance::client

#endif  // CLEARANCE_SERVER_INFO_H_

// SPDX-License-Identifier: Apache-2.0
//
// The identity, limits and tolerances of a server. proto/clearance/v1/server_service.proto explains
// each number.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace clearance::client {

// LIMIT(name) for each limit of a server; server_service.proto explains each.
#define CLEARANCE_LIMITS(LIMIT)  \
  LIMIT(max_request_bytes)       \
  LIMIT(max_transport_bytes)     \
  LIMIT(max_reply_bytes)         \
  LIMIT(max_batch_rows)          \
  LIMIT(max_batch_hulls)         \
  LIMIT(max_shape_vertices)      \
  LIMIT(max_shapes)              \
  LIMIT(max_registry_bytes)      \
  LIMIT(max_slots_per_session)   \
  LIMIT(max_sessions)            \
  LIMIT(max_messages_in_flight)  \
  LIMIT(max_bytes_in_flight)     \
  LIMIT(max_session_shape_bytes) \
  LIMIT(max_pieces_per_shape)    \
  LIMIT(max_scenes)              \
  LIMIT(max_scene_bodies)        \
  LIMIT(max_scene_rules)         \
  LIMIT(max_scene_revisions)     \
  LIMIT(max_scene_bytes)         \
  LIMIT(max_session_scenes)      \
  LIMIT(max_session_bodies)      \
  LIMIT(max_session_rules)       \
  LIMIT(max_row_pairs)           \
  LIMIT(max_tracks)              \
  LIMIT(max_caller_tracks)       \
  LIMIT(max_track_ticks)         \
  LIMIT(max_track_bodies)        \
  LIMIT(max_watches)             \
  LIMIT(max_caller_watches)      \
  LIMIT(max_row_steps)

struct Limits {
#define CLEARANCE_LIMIT_FIELD(name) std::uint64_t name = 0;
  CLEARANCE_LIMITS(CLEARANCE_LIMIT_FIELD)
#undef CLEARANCE_LIMIT_FIELD
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

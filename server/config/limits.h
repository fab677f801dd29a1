// SPDX-License-Identifier: Apache-2.0
//
// What the server refuses to exceed: the fields of clearance.v1.Limits, each a flag of the same
// name.

#ifndef CLEARANCE_SERVER_CONFIG_LIMITS_H_
#define CLEARANCE_SERVER_CONFIG_LIMITS_H_

#include <cstdint>

namespace clearance::server {

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// Values that came from flags keep to:
//     max_request_bytes <= max_transport_bytes, max_request_bytes <= max_bytes_in_flight,
//     max_messages_in_flight <= 2.
struct Limits {
  std::uint64_t max_request_bytes = 16 * kMebibyte;    // one request message
  std::uint64_t max_transport_bytes = 24 * kMebibyte;  // one message as gRPC takes it; more ends it
  std::uint64_t max_reply_bytes = 64 * kMebibyte;      // one reply message
  std::uint64_t max_batch_rows = 100'000;              // rows of one batch
  std::uint64_t max_batch_shapes = 10'000;             // items of one BatchRegisterShapes
  std::uint64_t max_shape_vertices = 65'536;           // points of one shape
  std::uint64_t max_shapes = 1'000'000;                // shapes in the registry
  std::uint64_t max_registry_bytes = 4 * kGibibyte;    // all shapes in the registry together
  std::uint64_t max_slots_per_session = 65'536;        // slots, and shapes of one unary call
  std::uint64_t max_sessions = 1'024;                  // sessions of the whole server
  std::uint64_t max_messages_in_flight = 2;            // of one session: 2 reads one ahead, 1 none
  std::uint64_t max_bytes_in_flight = 64 * kMebibyte;  // of one session, read and not yet answered
  std::uint64_t max_session_shape_bytes = 256 * kMebibyte;  // inline shapes of one session
  std::uint64_t max_pieces_per_shape = 256;                 // pieces of one compound
  std::uint64_t max_scenes = 10'000;                        // scenes of the whole server
  std::uint64_t max_scene_bodies = 200'000;                 // bodies of one scene
  std::uint64_t max_scene_rules = 100'000;                  // rules of pairs of one scene
  std::uint64_t max_scene_revisions = 16;                   // of one scene, the newest included
  std::uint64_t max_scene_bytes = 2 * kGibibyte;            // all scenes together
  std::uint64_t max_session_scenes = 64;                    // slots of scenes of one session
  std::uint64_t max_session_bodies = 1'024;                 // own bodies of one session
  std::uint64_t max_session_rules = 65'536;                 // own rules of pairs of one session
  std::uint64_t max_row_pairs = 4'096;                      // pairs that a row may list
  std::uint64_t max_tracks = 64;                            // tracks of the whole server
  std::uint64_t max_caller_tracks = 16;                     // tracks of one principal or address
  std::uint64_t max_track_ticks = 128;                      // ticks of one track
  std::uint64_t max_track_bodies = 256;                     // bodies of one tick
  std::uint64_t max_watches = 1'024;                        // watches of the whole server
  std::uint64_t max_caller_watches = 128;                   // watches of one principal or address
  std::uint64_t max_row_steps = 2'000'000;                  // distances of small shapes, of one row
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_LIMITS_H_

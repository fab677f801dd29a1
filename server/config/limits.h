// SPDX-License-Identifier: Apache-2.0
//
// The limits of the server, in one table: the fields of clearance.v1.Limits, each a flag of the
// same name.

#ifndef CLEARANCE_SERVER_CONFIG_LIMITS_H_
#define CLEARANCE_SERVER_CONFIG_LIMITS_H_

#include <cstdint>

namespace clearance::server {

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// LIMIT(kind of the flag's value, name, default, help of the flag), for each limit.
#define CLEARANCE_SERVER_LIMITS(LIMIT)                                                             \
  LIMIT(MessageBytes, max_request_bytes, 16 * kMebibyte,                                           \
        "Bytes of one request message; a larger one is refused alone.")                            \
  LIMIT(MessageBytes, max_transport_bytes, 24 * kMebibyte,                                         \
        "Bytes of one message in the transport; a larger one ends the stream.")                    \
  LIMIT(MessageBytes, max_reply_bytes, 64 * kMebibyte,                                             \
        "Bytes of one reply message, whatever the client accepts.")                                \
  LIMIT(WireCount, max_batch_rows, 100'000, "Rows of one batch.")                                  \
  LIMIT(WireCount, max_batch_shapes, 10'000, "Items of one BatchRegisterShapes.")                  \
  LIMIT(WireCount, max_shape_vertices, 65'536, "Points of one shape.")                             \
  LIMIT(WireCount, max_shapes, 1'000'000, "Shapes in the registry.")                               \
  LIMIT(HeldBytes, max_registry_bytes, 4 * kGibibyte,                                              \
        "Bytes of all shapes in the registry together.")                                           \
  LIMIT(WireCount, max_slots_per_session, 65'536,                                                  \
        "Slots of one session, and shapes of one unary call.")                                     \
  LIMIT(WireCount, max_sessions, 1'024, "Sessions of the whole server.")                           \
  LIMIT(WireCount, max_messages_in_flight, 2,                                                      \
        "Messages of one session read and not yet answered: 2 reads one ahead, 1 none.")           \
  LIMIT(HeldBytes, max_bytes_in_flight, 64 * kMebibyte,                                            \
        "Bytes of one session read and not yet answered.")                                         \
  LIMIT(HeldBytes, max_session_shape_bytes, 256 * kMebibyte,                                       \
        "Bytes of all inline shapes that one session holds.")                                      \
  LIMIT(PieceCount, max_pieces_per_shape, 256, "Pieces of one compound.")                          \
  LIMIT(WireCount, max_scenes, 10'000, "Scenes of the whole server.")                              \
  LIMIT(WireCount, max_scene_bodies, 200'000, "Bodies of one scene.")                              \
  LIMIT(WireCount, max_scene_rules, 100'000, "Rules of pairs of one scene.")                       \
  LIMIT(WireCount, max_scene_revisions, 16,                                                        \
        "Revisions of one scene that are held, the newest included.")                              \
  LIMIT(HeldBytes, max_scene_bytes, 2 * kGibibyte,                                                 \
        "Approximate bytes of all scenes and their revisions.")                                    \
  LIMIT(WireCount, max_session_scenes, 64, "Slots of scenes of one session.")                      \
  LIMIT(WireCount, max_session_bodies, 1'024, "Query bodies of one session.")                      \
  LIMIT(WireCount, max_session_rules, 65'536, "Rules of pairs that one session adds.")             \
  LIMIT(PairCount, max_row_pairs, 4'096, "Pairs that a row of a question about a scene may list.") \
  LIMIT(WireCount, max_tracks, 64, "Tracks of the whole server.")                                  \
  LIMIT(WireCount, max_caller_tracks, 16,                                                          \
        "Tracks of one principal or, without a policy, of one address.")                           \
  LIMIT(WireCount, max_track_ticks, 128, "Ticks of one track that are held.")                      \
  LIMIT(WireCount, max_track_bodies, 256, "Bodies of one tick of a track.")                        \
  LIMIT(WireCount, max_watches, 1'024, "Watches of scenes of the whole server.")                   \
  LIMIT(WireCount, max_caller_watches, 128,                                                        \
        "Watches of one principal or, without a policy, of one address.")                          \
  LIMIT(WireCount, max_row_steps, 2'000'000,                                                       \
        "Steps of one row, each as much as a distance of two small shapes.")

// Values that came from flags keep to:
//     max_request_bytes <= max_transport_bytes, max_request_bytes <= max_bytes_in_flight,
//     max_messages_in_flight <= 2.
struct Limits {
#define CLEARANCE_LIMIT_FIELD(kind, name, default_value, help) std::uint64_t name = default_value;
  CLEARANCE_SERVER_LIMITS(CLEARANCE_LIMIT_FIELD)
#undef CLEARANCE_LIMIT_FIELD
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_LIMITS_H_

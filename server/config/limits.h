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
  std::uint64_t max_session_shape_bytes = 256 * kMebibyte;  // inline shapes that one session holds
  std::uint64_t max_pieces_per_shape = 256;                 // pieces of one compound
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_LIMITS_H_

// SPDX-License-Identifier: Apache-2.0
//
// The limits of the server: the fields of clearance.v1.Limits, each a flag of the same name.

#pragma once

#include <cstdint>

namespace clearance::server {

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// Values that came from settings keep to:
//     max_request_bytes <= max_transport_bytes, max_request_bytes <= max_bytes_in_flight,
//     max_messages_in_flight <= 2.
struct Limits {
#define LIMIT(kind, name, default_value, uses, help, more) std::uint64_t name = default_value;
#include "server/config/settings.def"
};

}  // namespace clearance::server

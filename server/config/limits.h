// SPDX-License-Identifier: Apache-2.0
//
// The limits of the server, and those of one principal in addition.

#pragma once

#include <cstdint>
#include <limits>

namespace clearance::server {

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// Holds the fields of clearance.v1.Limits, each a flag of the same name. Values that came from
// settings keep to:
//     max_request_bytes <= max_transport_bytes, max_request_bytes <= max_bytes_in_flight.
struct Limits {
#define LIMIT(kind, name, default_value, uses, help, ...) std::uint64_t name = default_value;
#include "server/config/settings.def"
};

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
inline constexpr double kNoLimitOfCores = std::numeric_limits<double>::infinity();

// Holds the fields of a policy's `limits`; a field that the policy leaves out is the flag
// --principal_NAME.
struct HoldingLimits {
  std::uint64_t shapes = kNoLimit;          // names
  std::uint64_t registry_bytes = kNoLimit;  // of the contents of these, each name's counted whole
  std::uint64_t scenes = kNoLimit;
  std::uint64_t scene_bytes = kNoLimit;  // of these and their revisions, as max_scene_bytes counts

  friend bool operator==(const HoldingLimits&, const HoldingLimits&) = default;
};

// Holds the limits of one principal. By default only the server's own limits apply.
struct PrincipalLimits {
  std::uint64_t sessions = kNoLimit;  // open at a time
  double cores = kNoLimitOfCores;     // processor time, seconds a second, on average
  HoldingLimits holding = {};         // of the registry

  friend bool operator==(const PrincipalLimits&, const PrincipalLimits&) = default;
};

inline constexpr std::uint64_t kMostSessionsOfOne = 1'000'000;
inline constexpr double kLeastCores = 0.001;
inline constexpr double kMostCores = 4096;

}  // namespace clearance::server

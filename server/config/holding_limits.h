// SPDX-License-Identifier: Apache-2.0
//
// Limits of one principal, for its objects in the registry and its use of the server, in addition
// to the limits that apply to all.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace clearance::server {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Holds the fields of a policy's `limits`; a field that the policy leaves out is the flag
// --principal_NAME.
struct HoldingLimits {
  std::uint64_t shapes = kNoLimit;          // names
  std::uint64_t registry_bytes = kNoLimit;  // of the contents of these, each name's counted whole
  std::uint64_t scenes = kNoLimit;
  std::uint64_t scene_bytes = kNoLimit;  // of these and their revisions, as max_scene_bytes counts

  friend bool operator==(const HoldingLimits&, const HoldingLimits&) = default;
};

// Holds the limits of one principal. Unset: only the server's own limits apply.
struct PrincipalLimits {
  std::optional<std::uint64_t> sessions = {};  // open at a time
  std::optional<double> cores = {};            // processor time, seconds a second, on average
  HoldingLimits holding = {};                  // of the registry

  friend bool operator==(const PrincipalLimits&, const PrincipalLimits&) = default;
};

inline constexpr std::uint64_t kMostSessionsOfOne = 1'000'000;
inline constexpr double kLeastCores = 0.001;
inline constexpr double kMostCores = 4096;

}  // namespace clearance::server

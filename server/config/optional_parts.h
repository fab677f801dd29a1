// SPDX-License-Identifier: Apache-2.0
//
// The parts of the server that a build may leave out, and the flags that need them.

#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/config/server_config.h"

namespace clearance::server {

struct OptionalPart {
  absl::string_view name;
  absl::string_view option;                   // of CMake
  absl::Span<const absl::string_view> flags;  // without effect in a build without the part
};

// server/fence: limits and cuts connections.
extern const OptionalPart kFence;
// server/etcd: the store that servers share.
extern const OptionalPart kEtcd;

// INVALID_ARGUMENT, for a build without the part, if one of its flags differs from its default.
absl::Status RefuseFlagsOf(const OptionalPart& part, const ServerConfig& config);

// The same for each part that this build does not have.
absl::Status RefuseFlagsOfAbsentParts(const ServerConfig& config);

// Returns whether this build has the part that the flag needs, if it needs one.
bool IsInEffect(absl::string_view flag);

}  // namespace clearance::server

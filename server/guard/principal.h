// SPDX-License-Identifier: Apache-2.0
//
// Somebody whom the policy file names: what they may do, under which names, and how much.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/config/holding_limits.h"
#include "server/guard/principal_usage.h"

namespace clearance::server {

// Each may what the ones before it may.
enum class Role : std::uint8_t {
  kQuery,     // ask, look at shapes
  kRegister,  // add shapes under new names
  kAdmin,     // replace and delete shapes
};

const char* NameOf(Role role);
std::optional<Role> RoleOf(std::string_view name);

// Immutable but for what it uses, which outlives reloads of the policy. Thread-safe.
struct Principal {
  std::string id;
  Role role = Role::kQuery;
  std::vector<std::string> prefixes;  // sorted, none begins with another; empty: every name
  PrincipalLimits limits;
  std::shared_ptr<PrincipalUsage> usage;

  bool MayReach(std::string_view name) const;
};
using PrincipalPtr = std::shared_ptr<const Principal>;

// 1 to 64 characters of `[a-z0-9][a-z0-9._-]*`.
bool IsPrincipalId(std::string_view text);

// PERMISSION_DENIED naming `field` unless the principal has this role or a higher one.
absl::Status RequireRole(const Principal& principal, Role role, std::string_view field);

// PERMISSION_DENIED naming `field` unless the principal's prefixes hold the name (of a shape, or
// what listed names begin with).
absl::Status RequireName(const Principal& principal, std::string_view name, std::string_view field);

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// The caller of a method, with the principal of the policy file that it is. It has the ids under
// which the call is found again in logs: its request id, the caller's or one of ours, and the trace
// of the W3C's `traceparent` if the caller sent one. Ids from a caller are only taken in their
// published form, so that no part of them can be mistaken for another part of a line.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/config/limits.h"

namespace clearance::server {

class PrincipalUsage;  // quota.h

// Each may what the ones before it may.
enum class Role : std::uint8_t {
  kQuery,     // ask, look at shapes
  kRegister,  // add shapes under new names
  kAdmin,     // replace and delete shapes
};

const char* NameOf(Role role);
std::optional<Role> RoleOf(std::string_view name);

// A caller that the policy file names: what it may do, under which names, how much, and how much of
// that it uses. Immutable but for the last, which outlives reloads of the policy. Thread-safe.
struct Principal {
  std::string id;
  Role role = Role::kQuery;
  std::vector<std::string> prefixes;  // sorted, none begins with another; empty: every name
  PrincipalLimits limits;
  std::shared_ptr<PrincipalUsage> usage;

  bool MayReach(std::string_view name) const {
    const auto begins = [name](const std::string& prefix) { return name.starts_with(prefix); };
    return prefixes.empty() || std::ranges::any_of(prefixes, begins);
  }
};
using PrincipalPtr = std::shared_ptr<const Principal>;

// 1 to 64 characters of `[a-z0-9][a-z0-9._-]*`.
bool IsPrincipalId(std::string_view text);

// PERMISSION_DENIED naming `field` unless the principal has this role or a higher one.
absl::Status RequireRole(const Principal& principal, Role role, std::string_view field);

// PERMISSION_DENIED naming `field` unless the principal's prefixes hold the name (of a shape, or
// what listed names begin with).
absl::Status RequireName(const Principal& principal, std::string_view name, std::string_view field);

// Returns the part of an address, as gRPC writes it ("ipv4:192.0.2.1:5000",
// "ipv6:%5B2001:db8::1%5D:5000"), that all of the same machine or /64 have in common. Any other
// text, such as that of a unix socket, is returned whole.
std::string AddressGroupOf(std::string_view peer);

struct Caller {
  PrincipalPtr principal;  // null: this server does not identify callers
  std::string peer;        // the address, as gRPC writes it
  std::string request_id;
  std::string trace_id;  // empty: the caller sent none

  // Returns the group whose turns the caller's work takes: the principal or, if callers are not
  // identified, the connection.
  std::string_view group() const { return principal == nullptr ? peer : principal->id; }

  // Returns the holder that bytes count for: the principal or, without one, all callers at the same
  // address (for IPv6, in the same /64), as a client that can open one connection there can open
  // many.
  std::string holder() const { return principal == nullptr ? AddressGroupOf(peer) : principal->id; }

  // Returns the owner of the names that the caller gives: the principal or, without one, none.
  std::string owner() const { return principal == nullptr ? "" : principal->id; }

  // For logs.
  std::string principal_id() const { return principal == nullptr ? "anyone" : principal->id; }
};

inline constexpr char kRequestIdHeader[] = "x-request-id";
inline constexpr char kTraceParentHeader[] = "traceparent";

// Returns whether the text is 1 to 128 characters of letters, digits and `._:/+=-`.
bool IsRequestId(std::string_view text);

// Returns 32 random digits of 0-9 and a-f: enough never to meet twice, not a secret.
std::string MakeRequestId();

// Returns a `traceparent` as this server understands it, or an empty text if it does not have that
// form: "00-<32>-<16>-<2>" of lower case hexadecimal digits, ids not all 0. A version above 00 may
// be longer; it is read, and passed on, as version 00.
std::string TraceParentOf(std::string_view traceparent);

// Returns its trace-id, or an empty text if it does not have that form.
std::string TraceIdOf(std::string_view traceparent);

}  // namespace clearance::server

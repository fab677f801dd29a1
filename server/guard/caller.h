// SPDX-License-Identifier: Apache-2.0
//
// The caller of a method, and the ids under which the call is found again.

#pragma once

#include <string>
#include <string_view>

#include "server/guard/principal.h"

namespace clearance::server {

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

}  // namespace clearance::server

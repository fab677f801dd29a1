// SPDX-License-Identifier: Apache-2.0
//
// Who asks, and under which id the call is found again.

#ifndef CLEARANCE_SERVER_GUARD_CALLER_H_
#define CLEARANCE_SERVER_GUARD_CALLER_H_

#include <string>
#include <string_view>

#include "server/guard/principal.h"

namespace clearance::server {

// Of an address as gRPC writes it ("ipv4:192.0.2.1:5000", "ipv6:%5B2001:db8::1%5D:5000"), what all
// of the same machine or /64 have in common; of any other text, as of a unix socket, the whole.
std::string AddressGroupOf(std::string_view peer);

struct Caller {
  PrincipalPtr principal;  // null: this server asks nobody who they are
  std::string peer;        // the address, as gRPC writes it
  std::string request_id;
  std::string trace_id;  // empty: the caller sent none

  // Whose turn the caller's work takes: the principal's or, where nobody is asked who they are, the
  // connection's.
  std::string_view group() const { return principal == nullptr ? peer : principal->id; }

  // Who holds bytes together: the principal or, without one, everybody at the same address (of
  // IPv6, in the same /64), as whoever can open one connection there can open many.
  std::string holder() const { return principal == nullptr ? AddressGroupOf(peer) : principal->id; }

  // Whose the names are that the caller gives: the principal's or, without one, nobody's.
  std::string owner() const { return principal == nullptr ? "" : principal->id; }

  // For logs.
  std::string principal_id() const { return principal == nullptr ? "anyone" : principal->id; }
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_GUARD_CALLER_H_

// SPDX-License-Identifier: Apache-2.0
//
// The sockets behind `--listen`: one of a unix path, one of each address that a host name means.

#ifndef CLEARANCE_SERVER_FENCE_LISTEN_SOCKET_H_
#define CLEARANCE_SERVER_FENCE_LISTEN_SOCKET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/observe/descriptor.h"

namespace clearance::server {

// Bound and listening, none of them blocking. Whatever they accept has Nagle's algorithm off.
struct ListenSockets {
  std::vector<Descriptor> sockets;
  int port = 0;           // the one of all; 0 for a unix path
  std::string unix_path;  // to be removed when the sockets are closed; empty: none
};

// `address` is host:port, an IPv6 host in brackets, or unix:path. 0.0.0.0 is every IPv4 address of
// the machine, [::] every address of both families. Port 0 takes a free one. What an earlier
// process left behind at a unix path is replaced. UNAVAILABLE, with the address and the reason,
// where it cannot be had or another process listens there.
absl::StatusOr<ListenSockets> Listen(const std::string& address);

// Whether everyone who could connect to the address is on this machine.
bool IsLocalOnly(const std::string& address);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_FENCE_LISTEN_SOCKET_H_

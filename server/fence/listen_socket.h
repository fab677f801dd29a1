// SPDX-License-Identifier: Apache-2.0
//
// The sockets behind `--listen`: one for a unix path, or one for each address of a host name.

#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/observe/descriptor.h"

namespace clearance::server {

// Bound, listening and non-blocking. Connections accepted there have Nagle's algorithm off.
struct ListenSockets {
  std::vector<Descriptor> sockets;
  int port = 0;           // of all sockets; 0 for a unix path
  std::string unix_path;  // to be removed when the sockets are closed; empty: none
};

// Binds and listens. `address` is host:port, with an IPv6 host in brackets, or unix:path. 0.0.0.0
// is every IPv4 address of the machine, [::] every address of both families. Port 0 takes a free
// one. A socket that an earlier process left at a unix path is replaced. UNAVAILABLE, with the
// address and the reason, if the address cannot be had or another process listens there.
absl::StatusOr<ListenSockets> Listen(const std::string& address);

}  // namespace clearance::server

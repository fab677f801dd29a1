// SPDX-License-Identifier: Apache-2.0
//
// Sockets to the places of a gRPC address, for what gRPC does not tell of a connection, and for the
// server's HTTP port.

#ifndef CLEARANCE_CLIENT_CLI_NETWORK_H_
#define CLEARANCE_CLIENT_CLI_NETWORK_H_

#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace clearance::client {

// A host with its port, or the path of a Unix socket.
struct Place {
  std::string host = {};
  std::string port = {};
  std::string unix_path = {};
};

// Of "host:port", "dns:///host:port", "ipv4:a:p,b:p", "unix:/path" and their like; a place without
// a port has gRPC's, 443.
std::vector<Place> PlacesOf(const std::string& address);
std::string TextOf(const Place& place);

// What a place means to this machine: one of its addresses.
struct Peer {
  sockaddr_storage address = {};
  socklen_t size = 0;
  std::string text = {};  // numbers, without the port; of a Unix socket its path
};

// At least one. NOT_FOUND with the resolver's words.
absl::StatusOr<std::vector<Peer>> Resolve(const Place& place);

// Closed when it goes.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Connected; the timeout is of connecting, and of each read and write after it. UNAVAILABLE with
// the system's words.
absl::StatusOr<Socket> ConnectTo(const Peer& peer, absl::Duration timeout);

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_NETWORK_H_

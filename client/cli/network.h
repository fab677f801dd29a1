// SPDX-License-Identifier: Apache-2.0
//
// Sockets to the places of a gRPC address, for details of a connection that gRPC does not give, and
// for the server's HTTP port.

#pragma once

#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace clearance::client {

// A host with its port, or the path of a Unix socket.
struct Place {
  std::string host = {};
  std::string port = {};
  std::string unix_path = {};
};

// Returns the places of "host:port", "dns:///host:port", "ipv4:a:p,b:p", "unix:/path" and similar
// addresses.
std::vector<Place> PlacesOf(const std::string& address, absl::string_view default_port = "50051");
std::string TextOf(const Place& place);

// One of the addresses to which a place resolves on this machine.
struct Peer {
  sockaddr_storage address = {};
  socklen_t size = 0;
  std::string text = {};  // numbers, without the port; for a Unix socket its path
};

// Returns at least one address. NOT_FOUND with the resolver's message.
absl::StatusOr<std::vector<Peer>> Resolve(const Place& place);

// An open socket; the destructor closes it.
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

// Returns a connected socket. The timeout limits connecting, and each read and write after it.
// UNAVAILABLE with the system's message.
absl::StatusOr<Socket> ConnectTo(const Peer& peer, absl::Duration timeout);

}  // namespace clearance::client

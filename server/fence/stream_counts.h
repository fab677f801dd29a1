// SPDX-License-Identifier: Apache-2.0
//
// How many streams gRPC has on a connection: by its own books (channelz), since a call whose
// message has not come, or one on a stream that was given up, never reaches this server's own code.

#ifndef CLEARANCE_SERVER_FENCE_STREAM_COUNTS_H_
#define CLEARANCE_SERVER_FENCE_STREAM_COUNTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"

struct sockaddr_storage;

namespace clearance::server {

struct StreamCounts {
  std::uint64_t started = 0;
  std::uint64_t answered = 0;  // ended with a status that was sent
  std::uint64_t given_up = 0;  // ended without
  std::uint64_t messages = 0;  // received whole

  // gRPC reads its counts one after another while streams begin and end: what is in the books as
  // ended may be more than what began.
  std::uint64_t open() const {
    const std::uint64_t ended = answered + given_up;
    return started > ended ? started - ended : 0;
  }

  // Grows with whatever happens to a stream but the coming of a part of a message or of headers.
  std::uint64_t events() const { return started + answered + given_up + messages; }
};

// What tells the connections to one port apart: the peer's address and port.
std::string PeerKey(const sockaddr_storage& peer);
// The peer of a key as gRPC writes it: "ipv4:127.0.0.1:5000", "ipv6:%5B::1%5D:5000", "unix:".
std::string PeerText(const std::string& peer_key);

// Thread-compatible.
class StreamBook {
 public:
  // Of the connections that were accepted on this port.
  explicit StreamBook(int port) : port_(port) {}

  // Before the connections are looked at: gRPC is asked for new ones once in each look.
  void BeginLook() { has_searched_ = false; }

  // nullopt where gRPC did not have the connection yet when it was asked, or has it no more. Some
  // 15 µs; under a microsecond for those that it does not have.
  std::optional<StreamCounts> CountsOf(const std::string& peer_key);

 private:
  void FindNewSockets();
  void FindSocketsOf(std::int64_t server);
  void Remember(std::int64_t socket);

  const int port_;
  bool has_searched_ = false;                               // in this look
  std::int64_t newest_ = 0;                                 // of the sockets that were looked at
  absl::flat_hash_map<std::string, std::int64_t> sockets_;  // by PeerKey
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_FENCE_STREAM_COUNTS_H_

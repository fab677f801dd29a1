// SPDX-License-Identifier: Apache-2.0
//
// Tracks which connections are open, though others own and close their descriptors. A descriptor's
// number is used again once it is closed, but the inode of a socket is not. If the number no longer
// leads to the inode, the connection has ended. So owners report nothing, no second descriptor is
// held, and a look at a thousand connections takes a third of a millisecond.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "server/fence/stream_counts.h"
#include "server/observe/steady_clock.h"

struct sockaddr_storage;

namespace clearance::server {

// Returns the part of an address that counts as one address: all of IPv4, the 64 bits of IPv6 that
// a network gives to one customer.
std::string AddressKey(const sockaddr_storage& peer);

// Returns an IP address of 4 or 16 bytes with its port as gRPC writes it: "ipv4:127.0.0.1:5000",
// "ipv6:%5B::1%5D:5000". Any other address is "unix:".
std::string PeerText(const std::string& address, int port);
// Returns the same of a socket's peer.
std::string PeerText(const sockaddr_storage& peer);

// Since when a connection has been seen beyond a limit, by each of the clocks that distinguish a
// client's excess from a server that stood still.
struct Excess {
  SteadyTime seen = SteadyTime();
  std::uint64_t round = 0;  // of the threads that read connections
  std::uint64_t hold = 0;
  absl::Duration spent_in_hold = absl::ZeroDuration();
};

// The bytes that had been read of a connection, which may not be parsed yet.
struct ReadMark {
  std::uint64_t read = 0;  // bytes
  SteadyTime seen = SteadyTime();
  std::uint64_t round = 0;  // of the threads that read connections
};

// The last observations of the stream fence.
struct FenceNotes {
  std::uint64_t received = 0;  // bytes
  bool is_unknown = false;     // to gRPC
  std::optional<Excess> streams = std::nullopt;
  std::optional<Excess> resets = std::nullopt;
  bool is_second_window = false;  // the one before had more resets than are allowed
  // When a window began, and the counts at that time.
  SteadyTime window_began = SteadyTime();
  StreamCounts counted = {};
  std::uint64_t received_by_then = 0;
  StreamCounts latest = {};  // as gRPC had them at the last close look
  // The bytes that gRPC had certainly parsed by then, and those it had read at an earlier close
  // look. It has parsed the latter once all reading threads have come back since.
  std::uint64_t received_by_latest = 0;
  std::optional<ReadMark> mark = std::nullopt;
  std::uint64_t received_now = 0;  // at the last look
  // As of the last change of one of the counts.
  std::uint64_t events = 0;
  std::uint64_t received_by_event = 0;
  // The last hold in which it was read. The bytes read of it and the cost of the hold, when the
  // hold began or one of the counts last changed.
  std::uint64_t hold = 0;
  std::uint64_t received_by_hold = 0;  // when it began
  std::uint64_t received_in_hold = 0;
  absl::Duration spent_in_hold = absl::ZeroDuration();
};

struct WatchedConnection {
  int descriptor = -1;  // owned by others
  dev_t device = 0;
  ino_t inode = 0;
  std::string address_key = {};
  std::string peer = {};  // as gRPC writes it
  SteadyTime opened = SteadyTime();
  bool is_cut = false;
  bool was_quiet = false;  // at the last look of a drain: no stream, and nothing to send
  FenceNotes notes = {};

  // Returns whether the descriptor still leads to the connection.
  bool IsOpen() const;
  // Returns 0 if this is not a TCP socket: only users of this machine reach those.
  std::uint64_t BytesReceived() const;
  // Returns the received bytes that are not read yet. gRPC does not count them either.
  std::uint64_t BytesUnread() const;
  // Ends it at once, so that its owner finds it closed. False if it had ended, or was cut and its
  // owner has not found out yet.
  bool Cut();
  // Tells both sides that nothing more comes, after the bytes on their way. False if it had ended.
  bool End() const;
};

// Thread-compatible.
class ConnectionTable {
 public:
  // Requires: the descriptor is open. It may be closed by others at any time.
  void Add(int descriptor, const sockaddr_storage& peer);

  // Forgets the connections that have ended.
  void Sweep();
  // Forgets those of one address.
  void Sweep(const std::string& address_key);

  template <class Visitor>
  void ForEach(const Visitor& visit) {
    for (auto& [address, connections] : by_address_) {
      for (WatchedConnection& connection : connections) visit(connection);
    }
  }

  std::size_t size() const { return size_; }
  // Returns 0 for the empty key: peers without an address are not distinguished.
  std::size_t CountOf(const std::string& address_key) const;

 private:
  using Connections = std::vector<WatchedConnection>;

  void Sweep(Connections* connections);

  absl::flat_hash_map<std::string, Connections> by_address_;
  std::size_t size_ = 0;
};

}  // namespace clearance::server

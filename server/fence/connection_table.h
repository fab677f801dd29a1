// SPDX-License-Identifier: Apache-2.0
//
// Which connections are open, though others own and close their descriptors. A descriptor's number
// is taken anew once it is closed, but the inode of a socket is not: where the number no longer
// leads to the inode, the connection has ended. So nothing need be told, no second descriptor is
// held, and a look at a thousand connections costs a third of a millisecond.

#ifndef CLEARANCE_SERVER_FENCE_CONNECTION_TABLE_H_
#define CLEARANCE_SERVER_FENCE_CONNECTION_TABLE_H_

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

// The bytes of an IP address, 4 or 16; an IPv4 peer of a socket for both families has 4. Empty for
// those that have none (unix sockets).
std::string AddressBytes(const sockaddr_storage& peer);

// What counts as one address: all of IPv4, the 64 bits of IPv6 that a network gives to one
// customer.
std::string AddressKey(const sockaddr_storage& peer);

// Since when a connection has been seen beyond a limit, by each of the clocks that tell a client
// from a server that stood still.
struct Excess {
  SteadyTime seen = SteadyTime();
  std::uint64_t round = 0;  // of the threads that read connections
  std::uint64_t hold = 0;
  absl::Duration spent_in_hold = absl::ZeroDuration();
};

// What had been read of a connection, which may not be parsed yet.
struct ReadMark {
  std::uint64_t read = 0;  // bytes
  SteadyTime seen = SteadyTime();
  std::uint64_t round = 0;  // of the threads that read connections
};

// What the stream fence saw last.
struct FenceNotes {
  std::uint64_t received = 0;  // bytes
  bool is_unknown = false;     // to gRPC
  std::optional<Excess> streams = std::nullopt;
  std::optional<Excess> resets = std::nullopt;
  bool is_second_window = false;  // the one before had more resets than are allowed
  // When a window began, and what was counted by then.
  SteadyTime window_began = SteadyTime();
  StreamCounts counted = {};
  std::uint64_t received_by_then = 0;
  StreamCounts latest = {};  // as gRPC had them at the last close look
  // What gRPC had parsed for certain by then; and what it had read at an earlier close look, which
  // it has parsed once all that read have come back since.
  std::uint64_t received_by_latest = 0;
  std::optional<ReadMark> mark = std::nullopt;
  std::uint64_t received_now = 0;  // at the last look
  // When one of the counts last changed.
  std::uint64_t events = 0;
  std::uint64_t received_by_event = 0;
  // The last hold that it was read in; and what had been read of it, and what the hold had cost,
  // when the hold began or one of the counts last changed.
  std::uint64_t hold = 0;
  std::uint64_t received_by_hold = 0;  // when it began
  std::uint64_t received_in_hold = 0;
  absl::Duration spent_in_hold = absl::ZeroDuration();
};

struct WatchedConnection {
  int descriptor = -1;  // owned by others
  dev_t device = 0;
  ino_t inode = 0;
  std::string peer_key = {};
  SteadyTime opened = SteadyTime();
  bool is_cut = false;
  bool was_quiet = false;  // at the last look of a drain: without a stream, and nothing to send
  FenceNotes notes = {};

  // Whether the descriptor still leads to it.
  bool IsOpen() const;
  // 0 for what is no TCP socket: only users of this machine reach those.
  std::uint64_t BytesReceived() const;
  // Of those, what nobody has read yet. It is not in gRPC's books either.
  std::uint64_t BytesUnread() const;
  // Ends it at once, so that its owner finds it closed. False where it had ended, or was cut and
  // its owner has not found out yet.
  bool Cut();
  // Says to both sides that nothing more comes, after what is on its way. False where it
  // had ended.
  bool End() const;
};

// Thread-compatible.
class ConnectionTable {
 public:
  // The descriptor is open. It may be closed by anybody at any time.
  void Add(int descriptor, const sockaddr_storage& peer);

  // Forgets the connections that have ended.
  void Sweep();
  // The same for those of one address.
  void Sweep(const std::string& address_key);

  // visit(address_key, connection) for each.
  template <class Visitor>
  void ForEach(const Visitor& visit) {
    for (auto& [address, connections] : by_address_) {
      for (WatchedConnection& connection : connections) visit(address, connection);
    }
  }

  std::size_t size() const { return size_; }
  // 0 for the empty address: those who have none are not told apart.
  std::size_t CountOf(const std::string& address_key) const;

 private:
  using Connections = std::vector<WatchedConnection>;

  void Sweep(Connections* connections);

  absl::flat_hash_map<std::string, Connections> by_address_;
  std::size_t size_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_FENCE_CONNECTION_TABLE_H_

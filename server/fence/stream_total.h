// SPDX-License-Identifier: Apache-2.0
//
// Limits the streams that all connections hold together, each within its own limit, and finds those
// that must go if there are too many.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/fence/connection_table.h"
#include "server/fence/stream_fence.h"

namespace clearance::server {

// A connection with the streams that it has open.
struct StreamHolder {
  const std::string* address_key = nullptr;
  WatchedConnection* connection = nullptr;
  std::uint64_t streams = 0;
};

// Returns the holders that must go so that no more than `most` streams stay: of the address that
// holds most, the connection that holds most, and so on.
std::vector<StreamHolder> HoldersToCut(std::vector<StreamHolder> holders, std::uint64_t most);

// Thread-compatible.
class StreamTotal {
 public:
  // The fence outlives this, and looks at the connections first.
  StreamTotal(std::uint64_t most, StreamFence* fence) : most_(most), fence_(*fence) {}

  // Returns the connections to cut now, and those of the worst address that have more to be read
  // than a few calls: gRPC reads the received bytes of a hundred connections before it sees that
  // one was cut. Up to twice as many streams are tolerated until the server had the time to work
  // off the backlog that it found when it went on (StreamFence).
  std::vector<StreamHolder> InExcess(ConnectionTable* connections);

 private:
  std::vector<StreamHolder> Count(ConnectionTable* connections);
  static void AddUnread(const std::string& address_key, ConnectionTable* connections,
                        std::vector<StreamHolder>* cut);

  const std::uint64_t most_;
  StreamFence& fence_;
  std::optional<Excess> excess_;
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// Connections that gRPC is not given before their clients send something. gRPC spends a hundred
// times as much on one as waiting here costs. A client that only connects must not cause that.

#pragma once

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/observe/descriptor.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Thread-compatible.
class SilentConnections {
 public:
  SilentConnections();

  // Returns false if no descriptor was left to wait with. Nothing else may be called then.
  bool is_open() const { return waiting_.is_open(); }
  // Returns a descriptor for poll(2): readable when TakeSpoken() has something to do.
  int number() const { return waiting_.number(); }
  std::size_t size() const { return silent_.size(); }

  void Add(Descriptor connection, SteadyTime now);

  // Takes some of those whose clients have spoken since they were added. Closes those whose clients
  // went without a word.
  std::vector<Descriptor> TakeSpoken();

  // Closes those that were added before `added` and have not spoken yet.
  void EndOlderThan(SteadyTime added);

  void EndAll() { silent_.clear(); }

 private:
  struct Silent {
    Descriptor connection;
    SteadyTime added;
  };

  Descriptor waiting_;                       // of epoll(7), which forgets closed ones
  absl::flat_hash_map<int, Silent> silent_;  // by the number of the descriptor
};

}  // namespace clearance::server

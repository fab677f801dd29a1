// SPDX-License-Identifier: Apache-2.0
//
// Connections that gRPC is not given before their clients send something. gRPC spends a hundred
// times as much on one as waiting here costs. A client that only connects must not cause that.

#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/observe/descriptor.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Thread-compatible.
class SilentConnections {
 public:
  SilentConnections() : waiting_(epoll_create1(EPOLL_CLOEXEC)) {}

  // Returns false if no descriptor was left to wait with. Nothing else may be called then.
  bool is_open() const { return waiting_.is_open(); }
  // Returns a descriptor for poll(2): readable when TakeSpoken() has something to do.
  int number() const { return waiting_.number(); }
  std::size_t size() const { return silent_.size(); }

  // Closes the connection if the kernel has no memory to wait for it.
  void Add(Descriptor connection, SteadyTime now) {
    const int number = connection.number();
    epoll_event event = {.events = EPOLLIN, .data = {.fd = number}};
    if (epoll_ctl(waiting_.number(), EPOLL_CTL_ADD, number, &event) != 0) return;
    silent_[number] = {.connection = std::move(connection), .added = now};
  }

  // Takes some of those whose clients have spoken since they were added. Closes those whose clients
  // went without a word.
  std::vector<Descriptor> TakeSpoken() {
    std::array<epoll_event, kTakenAtOnce> events;
    const int count =
        epoll_wait(waiting_.number(), events.data(), static_cast<int>(events.size()), 0);
    std::vector<Descriptor> spoken;
    for (int i = 0; i < count; ++i) {
      const int number = events[static_cast<std::size_t>(i)].data.fd;
      Descriptor connection = std::move(silent_.extract(number).mapped().connection);
      // Its next owner may also wait for it, under the same number.
      epoll_ctl(waiting_.number(), EPOLL_CTL_DEL, number, nullptr);
      if (HasSpoken(connection)) spoken.push_back(std::move(connection));
    }
    return spoken;
  }

  // Closes those that were added before `added` and have not spoken yet.
  void EndOlderThan(SteadyTime added) {
    absl::erase_if(silent_, [added](const auto& entry) {
      const Silent& silent = entry.second;
      return silent.added < added && !HasSpoken(silent.connection);
    });
  }

  void EndAll() { silent_.clear(); }

 private:
  struct Silent {
    Descriptor connection;
    SteadyTime added;
  };

  // Connections taken at once, before others have their turn.
  static constexpr std::size_t kTakenAtOnce = 64;

  // Returns whether there are bytes to read. A connection that has an event but no bytes is over.
  static bool HasSpoken(const Descriptor& connection) {
    char first = 0;
    return recv(connection.number(), &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }

  Descriptor waiting_;                       // of epoll(7), which forgets closed ones
  absl::flat_hash_map<int, Silent> silent_;  // by the number of the descriptor
};

}  // namespace clearance::server

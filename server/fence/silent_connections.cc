// SPDX-License-Identifier: Apache-2.0

#include "server/fence/silent_connections.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

namespace clearance::server {
namespace {

// Connections taken at once, before others have their turn.
constexpr std::size_t kTakenAtOnce = 64;

// Returns whether there are bytes to read. A connection that has an event but no bytes is over.
bool HasSpoken(const Descriptor& connection) {
  char first = 0;
  return recv(connection.number(), &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace

SilentConnections::SilentConnections() : waiting_(epoll_create1(EPOLL_CLOEXEC)) {}

// Closes the connection if the kernel has no memory to wait for it.
void SilentConnections::Add(Descriptor connection, SteadyTime now) {
  const int number = connection.number();
  epoll_event event = {.events = EPOLLIN, .data = {.fd = number}};
  if (epoll_ctl(waiting_.number(), EPOLL_CTL_ADD, number, &event) != 0) return;
  silent_[number] = {.connection = std::move(connection), .added = now};
}

std::vector<Descriptor> SilentConnections::TakeSpoken() {
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

void SilentConnections::EndOlderThan(SteadyTime added) {
  absl::erase_if(silent_, [added](const auto& entry) {
    const Silent& silent = entry.second;
    return silent.added < added && !HasSpoken(silent.connection);
  });
}

}  // namespace clearance::server

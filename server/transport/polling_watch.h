// SPDX-License-Identifier: Apache-2.0
//
// What all the threads that poll, and so read connections, are at.

#ifndef CLEARANCE_SERVER_TRANSPORT_POLLING_WATCH_H_
#define CLEARANCE_SERVER_TRANSPORT_POLLING_WATCH_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "server/transport/poller.h"

namespace clearance::server {

// For one watching thread.
class PollingWatch {
 public:
  // The pollers run, and outlive this.
  explicit PollingWatch(const std::vector<Poller*>& pollers);

  // The most that one of them has Poller::HeldFor().
  absl::Duration LongestHold();

  // How often all of them have come back to their queues, each at least once since all others had.
  // Asks those that have not to do so. Requires: no queue is being shut down.
  std::uint64_t Rounds();

 private:
  struct Watched {
    Poller* poller;
    std::uint64_t turns_before;  // this round
  };

  std::vector<Watched> watched_;
  std::uint64_t rounds_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_TRANSPORT_POLLING_WATCH_H_

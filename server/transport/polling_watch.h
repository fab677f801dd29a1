// SPDX-License-Identifier: Apache-2.0
//
// Watches all threads that poll, and so read connections.

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

  // Returns the longest Poller::HeldFor() of all.
  absl::Duration LongestHold();

  // Returns how often all of them have come back to their queues, each at least once since all
  // others had. Asks those that have not come back to do so. Requires: no queue is being shut down.
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

// SPDX-License-Identifier: Apache-2.0
//
// Watches all threads that read connections.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "server/schedule/accept_loop.h"

namespace clearance::server {

// For one watching thread.
class ReaderWatch {
 public:
  explicit ReaderWatch(const std::vector<ReadingThread>& readers);

  // Returns the longest ReadingThread::held_for() of all.
  absl::Duration LongestHold() const;

  // Returns how often all of them have turned, each at least once since all others had. Asks those
  // that have not turned to do so.
  std::uint64_t Rounds();

 private:
  struct Watched {
    ReadingThread reader;
    std::uint64_t turns_before;  // this round
  };

  std::vector<Watched> watched_;
  std::uint64_t rounds_ = 0;
};

}  // namespace clearance::server

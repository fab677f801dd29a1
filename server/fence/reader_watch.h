// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "server/schedule/accept_loop.h"

namespace clearance::server {

// Watches all threads that read connections. For one watching thread.
class ReaderWatch {
 public:
  explicit ReaderWatch(const std::vector<ReadingThread>& readers) {
    for (const ReadingThread& reader : readers) watched_.push_back({reader, reader.loop.turns()});
  }

  // Returns the longest ReadingThread::held_for() of all.
  absl::Duration LongestHold() const {
    absl::Duration longest = absl::ZeroDuration();
    for (const Watched& watched : watched_) longest = std::max(longest, watched.reader.held_for());
    return longest;
  }

  // Returns how often all of them have turned, each at least once since all others had. Asks those
  // that have not turned to do so.
  std::uint64_t Rounds() {
    if (std::ranges::all_of(watched_, &Watched::HasTurned)) {
      ++rounds_;
      for (Watched& watched : watched_) watched.turns_before = watched.reader.loop.turns();
    }
    for (const Watched& watched : watched_) {
      if (!watched.HasTurned()) watched.reader.loop.ask();
    }
    return rounds_;
  }

 private:
  struct Watched {
    bool HasTurned() const { return reader.loop.turns() != turns_before; }

    ReadingThread reader;
    std::uint64_t turns_before;  // this round
  };

  std::vector<Watched> watched_;
  std::uint64_t rounds_ = 0;
};

}  // namespace clearance::server

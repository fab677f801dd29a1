// SPDX-License-Identifier: Apache-2.0
//
// Finds addresses that call again and again without valid credentials. Each of their calls is
// refused cheaply, but gRPC spends more on it than the refusal does.

#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Thread-safe.
class RefusedCalls {
 public:
  // The calls of one connection that may be refused: this many a second on average, and this many
  // at once. A client whose token has expired stays below it, unless it had more calls in progress.
  static constexpr double kRate = 100;
  static constexpr double kMostAtOnce = 256;
  // The number of connections that are remembered.
  static constexpr std::size_t kMostPeers = 16'384;

  // Counts a refused call. `peer` is as gRPC writes it ("ipv4:192.0.2.1:5000").
  void Count(std::string_view peer, SteadyTime now);
  // Takes the peers that had more.
  absl::flat_hash_set<std::string> TakeOffenders();

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return by_peer_.size();
  }

 private:
  struct Bucket {
    double tokens = kMostAtOnce;
    SteadyTime filled = SteadyTime();

    void Fill(SteadyTime now);
  };
  // Requires: mutex_ is held.
  void ForgetIdle(SteadyTime now);

  mutable std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, Bucket> by_peer_;
  absl::flat_hash_set<std::string> offenders_;  // at most kMostPeers
};

}  // namespace clearance::server

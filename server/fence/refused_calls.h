// SPDX-License-Identifier: Apache-2.0
//
// Finds addresses that call again and again without valid credentials. Each of their calls is
// refused cheaply, but gRPC spends more on it than the refusal does.

#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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
  void Count(std::string_view peer, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    const auto found = by_peer_.try_emplace(std::string(peer), Bucket{.filled = now}).first;
    Bucket& bucket = found->second;
    bucket.Fill(now);
    if (--bucket.tokens < 0) {
      if (offenders_.size() < kMostPeers) offenders_.insert(found->first);
      by_peer_.erase(found);
    } else if (by_peer_.size() > kMostPeers) {
      ForgetIdle(now);
    }
  }

  // Takes the peers that had more.
  absl::flat_hash_set<std::string> TakeOffenders() {
    const std::lock_guard lock(mutex_);
    return std::exchange(offenders_, {});
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return by_peer_.size();
  }

 private:
  struct Bucket {
    void Fill(SteadyTime now) {
      tokens = std::min(kMostAtOnce, tokens + kRate * absl::ToDoubleSeconds(now - filled));
      filled = now;
    }

    double tokens = kMostAtOnce;
    SteadyTime filled = SteadyTime();
  };

  // Forgets those that are as if they had never called; if there are none, all. Requires: mutex_ is
  // held.
  void ForgetIdle(SteadyTime now) {
    absl::erase_if(by_peer_, [now](auto& entry) {
      entry.second.Fill(now);
      return entry.second.tokens >= kMostAtOnce;
    });
    if (by_peer_.size() > kMostPeers) by_peer_.clear();
  }

  mutable std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, Bucket> by_peer_;
  absl::flat_hash_set<std::string> offenders_;  // at most kMostPeers
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/fence/refused_calls.h"

#include <algorithm>
#include <utility>

namespace clearance::server {

void RefusedCalls::Bucket::Fill(SteadyTime now) {
  tokens = std::min(kMostAtOnce, tokens + kRate * absl::ToDoubleSeconds(now - filled));
  filled = now;
}

void RefusedCalls::Count(std::string_view peer, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = by_peer_.try_emplace(std::string(peer));
  Bucket& bucket = found->second;
  if (is_new) bucket.filled = now;
  bucket.Fill(now);
  if (--bucket.tokens < 0) {
    if (offenders_.size() < kMostPeers) offenders_.insert(found->first);
    by_peer_.erase(found);
  } else if (by_peer_.size() > kMostPeers) {
    ForgetIdle(now);
  }
}

absl::flat_hash_set<std::string> RefusedCalls::TakeOffenders() {
  const std::lock_guard lock(mutex_);
  return std::exchange(offenders_, {});
}

// Forgets those that are as if they had never called; if there are none, all.
void RefusedCalls::ForgetIdle(SteadyTime now) {
  absl::erase_if(by_peer_, [now](auto& entry) {
    entry.second.Fill(now);
    return entry.second.tokens >= kMostAtOnce;
  });
  if (by_peer_.size() > kMostPeers) by_peer_.clear();
}

}  // namespace clearance::server

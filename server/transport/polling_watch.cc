// SPDX-License-Identifier: Apache-2.0

#include "server/transport/polling_watch.h"

#include <algorithm>

namespace clearance::server {

PollingWatch::PollingWatch(const std::vector<Poller*>& pollers) {
  for (Poller* const poller : pollers) {
    watched_.push_back({.poller = poller, .turns_before = poller->turns()});
  }
}

absl::Duration PollingWatch::LongestHold() {
  absl::Duration longest = absl::ZeroDuration();
  for (const Watched& watched : watched_) longest = std::max(longest, watched.poller->HeldFor());
  return longest;
}

std::uint64_t PollingWatch::Rounds() {
  const bool is_over = std::all_of(watched_.begin(), watched_.end(), [](const Watched& watched) {
    return watched.poller->turns() != watched.turns_before;
  });
  if (is_over) {
    ++rounds_;
    for (Watched& watched : watched_) watched.turns_before = watched.poller->turns();
  }
  for (const Watched& watched : watched_) {
    if (watched.poller->turns() == watched.turns_before) watched.poller->AskToTurn();
  }
  return rounds_;
}

}  // namespace clearance::server

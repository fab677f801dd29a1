// SPDX-License-Identifier: Apache-2.0

#include "server/fence/reader_watch.h"

#include <algorithm>

namespace clearance::server {

ReaderWatch::ReaderWatch(const std::vector<ReadingThread>& readers) {
  for (const ReadingThread& reader : readers) {
    watched_.push_back({.reader = reader, .turns_before = reader.loop.turns()});
  }
}

absl::Duration ReaderWatch::LongestHold() const {
  absl::Duration longest = absl::ZeroDuration();
  for (const Watched& watched : watched_) longest = std::max(longest, watched.reader.held_for());
  return longest;
}

std::uint64_t ReaderWatch::Rounds() {
  const bool is_over = std::all_of(watched_.begin(), watched_.end(), [](const Watched& watched) {
    return watched.reader.loop.turns() != watched.turns_before;
  });
  if (is_over) {
    ++rounds_;
    for (Watched& watched : watched_) watched.turns_before = watched.reader.loop.turns();
  }
  for (const Watched& watched : watched_) {
    if (watched.reader.loop.turns() == watched.turns_before) watched.reader.loop.ask();
  }
  return rounds_;
}

}  // namespace clearance::server

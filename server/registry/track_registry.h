// SPDX-License-Identifier: Apache-2.0
//
// The tracks that sessions publish, by name. A track has one writer and any number of readers.
// Readers take a pointer to an immutable list of immutable ticks; the writer puts the next list in
// place. Neither waits for the other for longer than that takes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "core/scene/track.h"

namespace clearance::server {

using TrackTicksPtr = std::shared_ptr<const TrackTicks>;

// Thread-safe. One thread at a time publishes.
class Track {
 public:
  explicit Track(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  // Returns the ticks that are held, the newest last; not null.
  TrackTicksPtr ticks() const {
    const std::lock_guard lock(mutex_);
    return ticks_;
  }

  // Appends a tick, and releases the oldest beyond `most`. Requires: its number is higher than that
  // of the newest.
  void Publish(TrackTickPtr tick, std::uint64_t most);

 private:
  const std::string name_;
  mutable std::mutex mutex_;  // guards the next member, for as long as a pointer is copied
  TrackTicksPtr ticks_ = std::make_shared<const TrackTicks>();
};
using TrackPtr = std::shared_ptr<Track>;

// Thread-safe.
class TrackRegistry {
 public:
  // Number of names of ended tracks that are distinguished from names that never had a track.
  static constexpr std::size_t kRememberedEnds = 1024;

  // Returns a track without a tick. ALREADY_EXISTS if there is one of this name. Requires: the text
  // is a name.
  absl::StatusOr<TrackPtr> Open(std::string_view name);

  // NOT_FOUND if the track of this name has ended, FAILED_PRECONDITION if this server knows none.
  absl::StatusOr<TrackPtr> Find(std::string_view name) const;

  // Requires: Open() gave it, and it has not ended.
  void End(const Track& track);

 private:
  mutable std::mutex mutex_;  // guards the members below
  absl::btree_map<std::string, TrackPtr, std::less<>> tracks_;
  std::deque<std::string> ended_;  // names, the newest last
};

}  // namespace clearance::server

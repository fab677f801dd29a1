// SPDX-License-Identifier: Apache-2.0

#include "server/registry/track_registry.h"

#include <algorithm>

#include "server/guard/refusal.h"

namespace clearance::server {

void Track::Publish(TrackTickPtr tick, std::uint64_t most) {
  const TrackTicksPtr before = ticks();
  auto after = std::make_shared<TrackTicks>();
  after->reserve(before->size() + 1);
  const std::size_t gone = before->size() < most ? 0 : before->size() + 1 - most;
  after->assign(before->begin() + static_cast<std::ptrdiff_t>(gone), before->end());
  after->push_back(std::move(tick));
  TrackTicksPtr replaced = std::move(after);
  {
    const std::lock_guard lock(mutex_);
    ticks_.swap(replaced);
  }
  // Ticks that have no reader are freed here, without the lock.
}

absl::StatusOr<TrackPtr> TrackRegistry::Open(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (tracks_.contains(name)) {
    return Refuse(absl::StatusCode::kAlreadyExists,
                  {.reason = Reason::kTrackExists,
                   .field = "name",
                   .value = std::string(name),
                   .limit = "a name without a track",
                   .message = "A session publishes a track of this name; a track has one writer."});
  }
  auto track = std::make_shared<Track>(std::string(name));
  tracks_.emplace(name, track);
  return track;
}

absl::StatusOr<TrackPtr> TrackRegistry::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = tracks_.find(name); found != tracks_.end()) return found->second;
  if (std::ranges::find(ended_, name) != ended_.end()) {
    return Refuse(absl::StatusCode::kNotFound,
                  {.reason = Reason::kTrackEnded,
                   .field = "track",
                   .value = std::string(name),
                   .limit = "a track that a session publishes",
                   .message = "The track has ended: its session closed it, or is gone."});
  }
  return Refuse(
      absl::StatusCode::kFailedPrecondition,
      {.reason = Reason::kTrackUnknown,
       .field = "track",
       .value = std::string(name),
       .limit = "a track that a session of this server publishes",
       .message = "This server knows no such track. A track is known to the server of its "
                  "writer alone: ask there, or wait until it begins."});
}

void TrackRegistry::End(const Track& track) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(ended_, track.name()) == ended_.end()) ended_.push_back(track.name());
  if (ended_.size() > kRememberedEnds) ended_.pop_front();
  tracks_.erase(track.name());
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/registry/track_registry.h"

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

absl::Status TooManyTracks(const char* limit, std::uint64_t most, const char* advice) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "name",
                 .value = FormatNumber(most + 1) + " tracks",
                 .limit = std::string(limit) + " <= " + FormatNumber(most),
                 .message = advice});
}

}  // namespace

TrackTicksPtr Track::ticks() const {
  const std::lock_guard lock(mutex_);
  return ticks_;
}

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
  // What nobody reads any more goes here, without the lock.
}

absl::StatusOr<TrackPtr> TrackRegistry::Open(std::string_view name, std::string_view holder) {
  const std::lock_guard lock(mutex_);
  if (tracks_.contains(name)) {
    return Refuse(absl::StatusCode::kAlreadyExists,
                  {.field = "name",
                   .value = std::string(name),
                   .limit = "a name without a track",
                   .message = "A session publishes a track of this name; a track has one writer."});
  }
  if (absl::Status status = CheckRoom(holder); !status.ok()) {
    if (metrics_ != nullptr) metrics_->tracks_refused().Increment();
    return status;
  }
  auto track = std::make_shared<Track>(std::string(name), std::string(holder));
  tracks_.emplace(name, track);
  ++of_holder_[track->holder()];
  if (metrics_ != nullptr) metrics_->tracks().Set(static_cast<double>(tracks_.size()));
  return track;
}

absl::Status TrackRegistry::CheckRoom(std::string_view holder) const {
  if (tracks_.size() >= limits_.max_tracks) {
    return TooManyTracks("max_tracks", limits_.max_tracks,
                         "The server holds as many tracks as it may; try another one.");
  }
  const auto held = of_holder_.find(holder);
  if (held == of_holder_.end() || held->second < limits_.max_caller_tracks) return absl::OkStatus();
  return TooManyTracks("max_caller_tracks", limits_.max_caller_tracks,
                       "This caller has as many tracks as it may; close some.");
}

absl::StatusOr<TrackPtr> TrackRegistry::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = tracks_.find(name); found != tracks_.end()) return found->second;
  if (ended_.contains(name)) {
    return Refuse(absl::StatusCode::kNotFound,
                  {.field = "track",
                   .value = std::string(name),
                   .limit = "a track that a session publishes",
                   .message = "The track has ended: its session closed it, or is gone."});
  }
  return Refuse(
      absl::StatusCode::kFailedPrecondition,
      {.field = "track",
       .value = std::string(name),
       .limit = "a track that a session of this server publishes",
       .message = "This server knows no such track. A track is known to the server of its "
                  "writer alone: ask there, or wait until it begins."});
}

void TrackRegistry::End(const Track& track) {
  const std::lock_guard lock(mutex_);
  const auto held = of_holder_.find(track.holder());
  if (--held->second == 0) of_holder_.erase(held);
  Remember(track.name());
  tracks_.erase(track.name());
  if (metrics_ != nullptr) metrics_->tracks().Set(static_cast<double>(tracks_.size()));
}

void TrackRegistry::Remember(const std::string& name) {
  if (!ended_.insert(name).second) return;
  ends_.push_back(name);
  if (ends_.size() <= kRememberedEnds) return;
  ended_.erase(ends_.front());
  ends_.pop_front();
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// The next message for one watcher of a scene. Knows nothing of streams: the coroutine of
// scene_watch.cc carries the messages.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/v1/scene_watch.pb.h"
#include "server/registry/scene_registry.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Answers how the scene of an incarnation ended once it is not found any more; nullopt if that is
// not known.
using KnownEnds = absl::FunctionRef<std::optional<SceneEnd>(std::uint64_t incarnation)>;

// Holds the revision of the scene that was told last, whatever the registry still holds. Holds a
// large scene only as long as another holder does. Thread-compatible.
class SceneFollower {
 public:
  // Maximum rows of one message. If there are more, the watcher must read the scene again.
  static constexpr std::size_t kMostRows = 10'000;

  // Maximum size of a revision that is held without another holder.
  static constexpr std::uint64_t kMostHeldBytes = 1 << 20;

  // The scope outlives this.
  explicit SceneFollower(const CallScope& call) : call_(call) {}

  // Finds the revision to begin at. Fails as WatchScene does.
  absl::Status Begin(const v1::WatchSceneRequest& request);

  // Fills an empty response if there is something to tell. Returns false if the watcher knows all.
  // Fails if the caller may not reach the scene any more. Requires: Begin() was OK, has_ended() is
  // false.
  absl::StatusOr<bool> Next(KnownEnds end_of, v1::WatchSceneResponse* response);

  // Returns whether the last message told of the scene's end.
  bool has_ended() const { return has_ended_; }
  std::uint64_t incarnation() const { return told_.incarnation; }
  // Returns the number of bodies of the revision that was told last.
  std::uint64_t body_count() const { return told_info_.body_count(); }

 private:
  absl::StatusOr<SceneState> Find(std::uint64_t revision) const;
  void TellOfEnd(SceneEnd end, v1::WatchSceneResponse* response);
  void TellOf(const SceneState& next, v1::WatchSceneResponse* response);
  void Keep(SceneState told);

  const CallScope& call_;
  SceneState told_;  // its scene may be null
  std::weak_ptr<const Scene> told_scene_;
  v1::SceneInfo told_info_;
  bool is_told_nothing_ = true;
  bool is_reload_ = false;  // the next message is a reload
  bool has_ended_ = false;
};

}  // namespace clearance::server

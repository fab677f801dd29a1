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
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/v1/scene_watch.pb.h"
#include "core/scene/scene_diff.h"
#include "server/convert/scene_change.h"
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
  absl::Status Begin(const v1::WatchSceneRequest& request) {
    told_.name = request.name();
    auto newest = Find(0);
    if (!newest.ok()) return newest.status();
    Keep(*std::move(newest));
    SceneState from = told_;
    from.revision = request.from_revision();
    const bool is_same_scene = request.etag().empty() || request.etag() == from.etag();
    absl::Status status = RequireReached(request.from_revision(), told_.revision, "scene");
    if (is_same_scene && !status.ok()) return WithField("from_revision", status);
    is_reload_ = true;
    if (request.from_revision() == 0 || !is_same_scene) return absl::OkStatus();
    auto held = Find(request.from_revision());
    // Others may have changed the scene since, or taken its name. Then it is read again.
    if (!held.ok() || held->incarnation != told_.incarnation) return absl::OkStatus();
    Keep(*std::move(held));
    is_reload_ = false;
    return absl::OkStatus();
  }

  // Fills an empty response if there is something to tell. Returns false if the watcher knows all.
  // Fails if the caller may not reach the scene any more. Requires: Begin() was OK, has_ended() is
  // false.
  absl::StatusOr<bool> Next(KnownEnds end_of, v1::WatchSceneResponse* response) {
    const auto newest = Find(0);
    const bool is_gone = absl::IsNotFound(newest.status());
    if (!newest.ok() && !is_gone) return newest.status();
    if (is_gone || newest->incarnation != told_.incarnation) {
      // Asked after the look, because the end of a scene is told before the scene goes. The end of
      // an expired scene may not have been told yet.
      TellOfEnd(end_of(told_.incarnation).value_or(SceneEnd::kExpired), response);
      return true;
    }
    const bool knows_all = newest->revision == told_.revision && !is_reload_ && !is_told_nothing_;
    if (knows_all) return false;
    SceneState next = *newest;
    is_reload_ = is_reload_ || told_scene_.expired();
    if (!is_reload_ && newest->revision > told_.revision + 1) {
      auto held = Find(told_.revision + 1);
      if (held.ok() && held->incarnation == told_.incarnation) next = *std::move(held);
    }
    TellOf(next, response);
    return true;
  }

  // Returns whether the last message told of the scene's end.
  bool has_ended() const { return has_ended_; }
  std::uint64_t incarnation() const { return told_.incarnation; }
  // Returns the number of bodies of the revision that was told last.
  std::uint64_t body_count() const { return told_info_.body_count(); }

 private:
  absl::StatusOr<SceneState> Find(std::uint64_t revision) const {
    return ScenesOf(call_).Find(told_.name, "name", revision);
  }

  void TellOfEnd(SceneEnd end, v1::WatchSceneResponse* response) {
    *response->mutable_scene() = told_info_;
    response->set_base_revision(told_.revision);
    response->set_end(end == SceneEnd::kDeleted ? v1::SCENE_END_DELETED : v1::SCENE_END_EXPIRED);
    has_ended_ = true;
  }

  void TellOf(const SceneState& next, v1::WatchSceneResponse* response) {
    Metrics& metrics = call_.parts.metrics;
    FillSceneInfo(next, response->mutable_scene());
    // Null if it went since Next() looked.
    const ScenePtr base = is_reload_ ? nullptr : told_scene_.lock();
    std::optional<SceneDiff> diff;
    if (base != nullptr) diff = DiffOf(*base, *next.scene, kMostRows);
    if (diff.has_value()) {
      response->set_base_revision(told_.revision);
      FillDiff(*diff, response->mutable_change());
      if (next.revision > told_.revision + 1)
        metrics.watch_revisions_merged().Increment(
            static_cast<double>(next.revision - told_.revision - 1));
    } else {
      response->set_is_reload(true);
      metrics.watch_reloads().Increment();
    }
    Keep(next);
    is_told_nothing_ = false;
    is_reload_ = false;
  }

  void Keep(SceneState told) {
    told_ = std::move(told);
    told_scene_ = told_.scene;
    told_info_.Clear();
    FillSceneInfo(told_, &told_info_);
    if (told_.scene->byte_size() > kMostHeldBytes) told_.scene.reset();
  }

  const CallScope& call_;
  SceneState told_;  // its scene may be null
  std::weak_ptr<const Scene> told_scene_;
  v1::SceneInfo told_info_;
  bool is_told_nothing_ = true;
  bool is_reload_ = false;  // the next message is a reload
  bool has_ended_ = false;
};

}  // namespace clearance::server

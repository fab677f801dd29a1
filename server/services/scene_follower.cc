// SPDX-License-Identifier: Apache-2.0

#include "server/services/scene_follower.h"

#include <utility>

#include "core/scene/scene_diff.h"
#include "server/convert/scene_change.h"
#include "server/guard/refusal.h"

namespace clearance::server {

absl::StatusOr<SceneState> SceneFollower::Find(std::uint64_t revision) const {
  return ScenesOf(call_).Find(told_.name, "name", revision);
}

absl::Status SceneFollower::Begin(const v1::WatchSceneRequest& request) {
  told_.name = request.name();
  auto newest = Find(0);
  if (!newest.ok()) return newest.status();
  Keep(*std::move(newest));
  SceneState from = told_;
  from.revision = request.from_revision();
  const bool is_same_scene = request.etag().empty() || request.etag() == from.etag();
  if (is_same_scene && request.from_revision() > told_.revision) {
    return Refuse(absl::StatusCode::kFailedPrecondition,
                  {.reason = Reason::kRevisionNotReached,
                   .field = "from_revision",
                   .value = FormatNumber(request.from_revision()),
                   .limit = "<= " + FormatNumber(told_.revision),
                   .message = "The scene has not reached this revision; repeat with back-off."});
  }
  is_reload_ = true;
  if (request.from_revision() == 0 || !is_same_scene) return absl::OkStatus();
  auto held = Find(request.from_revision());
  // Others may have changed the scene since, or taken its name. Then it is read again.
  if (!held.ok() || held->incarnation != told_.incarnation) return absl::OkStatus();
  Keep(*std::move(held));
  is_reload_ = false;
  return absl::OkStatus();
}

void SceneFollower::Keep(SceneState told) {
  told_ = std::move(told);
  told_scene_ = told_.scene;
  told_info_.Clear();
  FillSceneInfo(told_, &told_info_);
  if (told_.scene->byte_size() > kMostHeldBytes) told_.scene.reset();
}

absl::StatusOr<bool> SceneFollower::Next(KnownEnds end_of, v1::WatchSceneResponse* response) {
  const auto newest = Find(0);
  const bool is_gone = absl::IsNotFound(newest.status());
  if (!newest.ok() && !is_gone) return newest.status();
  if (is_gone || newest->incarnation != told_.incarnation) {
    // Asked after the look, because the end of a scene is told before the scene goes. The end of an
    // expired scene may not have been told yet.
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

void SceneFollower::TellOfEnd(SceneEnd end, v1::WatchSceneResponse* response) {
  *response->mutable_scene() = told_info_;
  response->set_base_revision(told_.revision);
  response->set_end(end == SceneEnd::kDeleted ? v1::SCENE_END_DELETED : v1::SCENE_END_EXPIRED);
  has_ended_ = true;
}

void SceneFollower::TellOf(const SceneState& next, v1::WatchSceneResponse* response) {
  Metrics& metrics = call_.parts.metrics;
  FillSceneInfo(next, response->mutable_scene());
  // Null if it went since Next() looked.
  const ScenePtr base = told_scene_.lock();
  is_reload_ = is_reload_ || base == nullptr;
  if (!is_reload_) {
    const std::optional<SceneDiff> diff = DiffOf(*base, *next.scene, kMostRows);
    is_reload_ = !diff.has_value();
    if (!is_reload_) {
      response->set_base_revision(told_.revision);
      FillDiff(*diff, response->mutable_change());
      if (next.revision > told_.revision + 1)
        metrics.watch_revisions_merged().Increment(
            static_cast<double>(next.revision - told_.revision - 1));
    }
  }
  if (is_reload_) metrics.watch_reloads().Increment();
  response->set_is_reload(is_reload_);
  Keep(next);
  is_told_nothing_ = false;
  is_reload_ = false;
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/app/restore_scenes.h"

#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clearance/v1/scene.pb.h"
#include "core/shape/make_shape.h"
#include "core/shape/rigid_body.h"
#include "server/convert/scene_change.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

// Limits are for what is new.
constexpr Limits kNoLimits = {.max_scene_bodies = std::numeric_limits<std::uint64_t>::max(),
                              .max_scene_rules = std::numeric_limits<std::uint64_t>::max()};

absl::Status Damaged(const std::string& name, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("the store is damaged: the scene '", name, "' ", what, "; restore a backup"));
}

// Plays the records of all scenes one after another.
class Replay {
 public:
  explicit Replay(RecordPlayer player) : player_(std::move(player)) {}

  absl::Status Add(const SceneRecord& record);
  // The scenes, once every record was added.
  absl::StatusOr<std::vector<SceneRegistry::Kept>> Finish();

 private:
  // Ends the scene that is being played.
  absl::Status FinishScene();

  const RecordPlayer player_;
  std::vector<SceneRegistry::Kept> scenes_;
};

absl::Status Replay::Add(const SceneRecord& record) {
  const bool is_new = scenes_.empty() || scenes_.back().name != record.name;
  if (is_new) {
    if (absl::Status status = FinishScene(); !status.ok()) return status;
    if (!CheckShapeName(record.name, "name").ok()) return Damaged(record.name, "has no name");
    scenes_.push_back({.name = record.name, .scene = Scene::MakeEmpty(), .owner = record.owner});
  }
  SceneRegistry::Kept& scene = scenes_.back();
  const bool is_next = record.incarnation == scene.incarnation && !record.is_whole &&
                       record.revision == scene.revision + 1;
  if (is_new != record.is_whole || (!is_new && !is_next) || record.revision == 0)
    return Damaged(record.name, "has records that do not follow on each other");
  auto next = player_.Play(record, scene.scene);
  if (!next.ok()) return next.status();
  scene.scene = *std::move(next);
  scene.incarnation = record.incarnation;
  scene.revision = record.revision;
  if (record.is_whole) {
    scene.whole_bytes = record.change.size();
  } else {
    scene.record_bytes += record.change.size();
  }
  return absl::OkStatus();
}

absl::Status Replay::FinishScene() {
  if (scenes_.empty()) return absl::OkStatus();
  return player_.RequireWhole(scenes_.back().name, *scenes_.back().scene);
}

absl::StatusOr<std::vector<SceneRegistry::Kept>> Replay::Finish() {
  if (absl::Status status = FinishScene(); !status.ok()) return status;
  return std::move(scenes_);
}

}  // namespace

RecordPlayer::RecordPlayer(Find find, SceneContents* contents)
    : find_(std::move(find)),
      contents_(contents),
      missing_(MakeBody(std::get<ConvexShapePtr>(MakePoint(0)))) {}

absl::StatusOr<ScenePtr> RecordPlayer::Play(const SceneRecord& record,
                                            const ScenePtr& before) const {
  v1::SceneChange change;
  if (!change.ParseFromString(record.change)) return Damaged(record.name, "cannot be read");
  std::vector<RigidBodyPtr> bodies;
  for (const v1::ShapeReference& shape : change.bodies().shapes()) {
    const ShapeContentPtr content = find_(shape.digest());
    bodies.push_back(content == nullptr ? missing_ : contents_->Share(content));
  }
  const auto edit = ReadSceneChange(change, bodies);
  if (!edit.ok()) return Damaged(record.name, edit.status().message());
  auto next = ApplyEdit(before, *edit, kNoLimits);
  if (!next.ok()) return Damaged(record.name, next.status().message());
  return next;
}

absl::Status RecordPlayer::RequireWhole(const std::string& name, const Scene& scene) const {
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if (scene.BodyAt(i).body == missing_) return Damaged(name, "has a body whose shape is gone");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SceneRegistry::Kept>> ReadStoredScenes(ShapeSource* store,
                                                                  RecordPlayer::Find find,
                                                                  SceneContents* contents) {
  Replay replay(RecordPlayer(std::move(find), contents));
  absl::Status status =
      store->ReadScenes([&](const SceneRecord& record) { return replay.Add(record); });
  if (!status.ok()) return status;
  return replay.Finish();
}

absl::Status RestoreScenes(ShapeSource* store, const Registry& shapes, SceneRegistry* scenes) {
  auto restored = ReadStoredScenes(
      store, [&shapes](const std::string& digest) { return shapes.FindContent(digest); },
      &scenes->contents());
  if (!restored.ok()) return restored.status();
  scenes->Follow(*restored);
  return absl::OkStatus();
}

}  // namespace clearance::server

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

// Plays records one after another.
class Replay {
 public:
  Replay(const Registry& shapes, SceneContents* contents)
      : shapes_(shapes),
        contents_(contents),
        missing_(MakeBody(std::get<ConvexShapePtr>(MakePoint(0)))) {}

  absl::Status Add(const SceneRecord& record);
  // The scenes, once every record was added.
  absl::StatusOr<std::vector<SceneRegistry::Stored>> Finish();

 private:
  absl::StatusOr<ScenePtr> Play(const SceneRecord& record, const ScenePtr& before) const;
  // Ends the scene that is being played.
  absl::Status FinishScene();

  const Registry& shapes_;
  SceneContents* const contents_;
  // Stands for a shape that was deleted since: as long as a later record takes the body away again,
  // nothing is lost. A point is somewhere wherever a shape can be.
  const RigidBodyPtr missing_;
  std::vector<SceneRegistry::Stored> scenes_;
};

absl::Status Damaged(const std::string& name, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("the store is damaged: the scene '", name, "' ", what, "; restore a backup"));
}

absl::Status Replay::Add(const SceneRecord& record) {
  const bool is_new = scenes_.empty() || scenes_.back().name != record.name;
  if (is_new) {
    if (absl::Status status = FinishScene(); !status.ok()) return status;
    if (!CheckShapeName(record.name, "name").ok()) return Damaged(record.name, "has no name");
    scenes_.push_back({.name = record.name, .scene = Scene::MakeEmpty(), .owner = record.owner});
  }
  SceneRegistry::Stored& scene = scenes_.back();
  const bool is_next = record.incarnation == scene.incarnation && !record.is_whole &&
                       record.revision == scene.revision + 1;
  if (is_new != record.is_whole || (!is_new && !is_next) || record.revision == 0)
    return Damaged(record.name, "has records that do not follow on each other");
  auto next = Play(record, scene.scene);
  if (!next.ok()) return next.status();
  scene.scene = *std::move(next);
  scene.incarnation = record.incarnation;
  scene.revision = record.revision;
  (record.is_whole ? scene.whole_bytes : scene.record_bytes) += record.change.size();
  return absl::OkStatus();
}

absl::StatusOr<ScenePtr> Replay::Play(const SceneRecord& record, const ScenePtr& before) const {
  v1::SceneChange change;
  if (!change.ParseFromString(record.change)) return Damaged(record.name, "cannot be read");
  std::vector<RigidBodyPtr> bodies;
  for (const v1::ShapeReference& shape : change.bodies().shapes()) {
    const ShapeContentPtr content = shapes_.FindContent(shape.digest());
    bodies.push_back(content == nullptr ? missing_ : contents_->Share(content));
  }
  const auto edit = ReadSceneChange(change, bodies);
  if (!edit.ok()) return Damaged(record.name, edit.status().message());
  auto next = ApplyEdit(before, *edit, kNoLimits);
  if (!next.ok()) return Damaged(record.name, next.status().message());
  return next;
}

absl::Status Replay::FinishScene() {
  if (scenes_.empty()) return absl::OkStatus();
  const SceneRegistry::Stored& last = scenes_.back();
  for (std::size_t i = 0; i < last.scene->size(); ++i) {
    if (last.scene->BodyAt(i).body == missing_)
      return Damaged(last.name, "has a body whose shape is gone");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SceneRegistry::Stored>> Replay::Finish() {
  if (absl::Status status = FinishScene(); !status.ok()) return status;
  return std::move(scenes_);
}

}  // namespace

absl::Status RestoreScenes(ShapeStore* store, const Registry& shapes, SceneRegistry* scenes) {
  Replay replay(shapes, &scenes->contents());
  absl::Status status =
      store->ReadScenes([&](const SceneRecord& record) { return replay.Add(record); });
  if (!status.ok()) return status;
  auto restored = replay.Finish();
  if (!restored.ok()) return restored.status();
  scenes->Restore(*std::move(restored));
  return absl::OkStatus();
}

}  // namespace clearance::server

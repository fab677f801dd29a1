// SPDX-License-Identifier: Apache-2.0
#include "server/app/restore.h"

#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "clearance/v1/scene.pb.h"
#include "clearance/v1/shape.pb.h"
#include "core/shape/make_shape.h"
#include "server/config/limits.h"
#include "server/convert/scene_change.h"
#include "server/convert/shape_content.h"
#include "server/guard/caller.h"
#include "server/registry/shape_name.h"
#include "server/storage/body_codec.h"

namespace clearance::server {
namespace {

using Contents = absl::flat_hash_map<std::string, ShapeContentPtr>;

absl::StatusOr<Contents> ReadAllContents(int threads, const ShapeSource& store) {
  Contents contents;
  std::mutex mutex;  // guards the contents
  const auto add = [&](const StoredContent& stored) {
    const absl::StatusOr<ShapeContentPtr> content = ReadStored(stored);
    if (!content.ok()) return content.status();
    const std::lock_guard lock(mutex);
    contents.emplace((*content)->digest, *content);
    return absl::OkStatus();
  };
  const auto parts = static_cast<std::uint64_t>(threads);
  std::vector<absl::Status> ends(parts);
  {
    std::vector<std::jthread> readers;
    for (std::uint64_t part = 0; part < parts; ++part)
      readers.emplace_back([&, part] { ends[part] = store.ReadContents({part, parts}, add); });
  }
  for (const absl::Status& end : ends) {
    if (!end.ok()) return end;
  }
  return contents;
}

// Limits are for what is new.
constexpr Limits kNoLimits = {.max_scene_bodies = kNoLimit, .max_scene_rules = kNoLimit};

absl::Status Damaged(const std::string& name, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("the store is damaged: the scene '", name, "' ", what, "; restore a backup"));
}

// Makes the scene what the record says. `is_new`: the record is the first of this scene.
absl::Status Follow(const RecordPlayer& player, const SceneRecord& record, bool is_new,
                    SceneRegistry::Kept* scene) {
  const bool is_next = record.incarnation == scene->incarnation && !record.is_whole &&
                       record.revision == scene->revision + 1;
  if (is_new != record.is_whole || (!is_new && !is_next) || record.revision == 0)
    return Damaged(record.name, "has records that do not follow on each other");
  auto next = player.Play(record, scene->scene);
  if (!next.ok()) return next.status();
  scene->scene = *std::move(next);
  scene->incarnation = record.incarnation;
  scene->revision = record.revision;
  if (record.is_whole) {
    scene->whole_bytes = record.change.size();
  } else {
    scene->record_bytes += record.change.size();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ShapeContentPtr> ReadStored(const StoredContent& stored) {
  v1::Shape shape;
  const bool is_parsed =
      stored.shape.size() <= std::numeric_limits<int>::max() &&
      shape.ParseFromArray(stored.shape.data(), static_cast<int>(stored.shape.size()));
  if (!is_parsed || DigestOf(shape) != stored.digest) {
    return absl::DataLossError(absl::StrCat("a shape does not have its digest ", stored.digest));
  }
  auto body = DecodeBody(stored.body);
  if (!body.ok()) return body.status();
  return std::make_shared<const ShapeContent>(
      ShapeContent{std::string(stored.digest), *std::move(body), std::string(stored.shape)});
}

absl::StatusOr<NamedShape> ReadStored(const StoredName& stored, std::uint64_t revision,
                                      const ShapeContentPtr& content) {
  const bool is_owned = stored.owner.empty() || IsPrincipalId(stored.owner);
  if (!CheckShapeName(stored.name, "name").ok() || content == nullptr || !is_owned ||
      stored.revision > revision) {
    return absl::DataLossError(absl::StrCat("the store is damaged: the name '", stored.name,
                                            "' has no content, revision or owner; restore a "
                                            "backup"));
  }
  return NamedShape{stored.name, content, stored.revision, stored.owner};
}

absl::Status RestoreShapes(int threads, ShapeSource* store, Registry* registry) {
  const absl::StatusOr<StoredNames> stored = store->ReadNames();
  if (!stored.ok()) return stored.status();
  const absl::StatusOr<Contents> contents = ReadAllContents(threads, *store);
  if (!contents.ok()) return contents.status();
  std::vector<NamedShape> shapes;
  shapes.reserve(stored->names.size());
  for (const StoredName& name : stored->names) {
    const auto content = contents->find(name.digest);
    absl::StatusOr<NamedShape> shape =
        ReadStored(name, stored->revision, content == contents->end() ? nullptr : content->second);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  registry->Follow(shapes, stored->revision);
  return absl::OkStatus();
}

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
  const RecordPlayer player(std::move(find), contents);
  std::vector<SceneRegistry::Kept> scenes;
  const auto require_last_whole = [&] {
    return scenes.empty() ? absl::OkStatus()
                          : player.RequireWhole(scenes.back().name, *scenes.back().scene);
  };
  absl::Status status = store->ReadScenes([&](const SceneRecord& record) -> absl::Status {
    const bool is_new = scenes.empty() || scenes.back().name != record.name;
    if (is_new) {
      if (absl::Status last = require_last_whole(); !last.ok()) return last;
      if (!CheckShapeName(record.name, "name").ok()) return Damaged(record.name, "has no name");
      scenes.push_back({.name = record.name, .scene = Scene::MakeEmpty(), .owner = record.owner});
    }
    return Follow(player, record, is_new, &scenes.back());
  });
  if (status.ok()) status = require_last_whole();
  if (!status.ok()) return status;
  return scenes;
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

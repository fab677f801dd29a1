// SPDX-License-Identifier: Apache-2.0
#include "server/app/restore.h"

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

absl::Status DoesNotFollow(const SceneRecord& record) {
  return Damaged(record.name, absl::StrCat("has a record of revision ", record.revision,
                                           " that does not follow on those before it"));
}

}  // namespace

absl::StatusOr<ShapeContentPtr> ReadStored(const StoredContent& stored) {
  v1::Shape shape;
  if (!shape.ParseFromString(stored.shape) || DigestOf(shape) != stored.digest)
    return absl::DataLossError(absl::StrCat("a shape does not have its digest ", stored.digest));
  auto body = DecodeBody(stored.body);
  if (!body.ok()) return body.status();
  return std::make_shared<const ShapeContent>(
      ShapeContent{stored.digest, *std::move(body), stored.shape});
}

absl::StatusOr<std::vector<NamedShape>> ReadStored(const std::vector<StoredName>& stored,
                                                   std::uint64_t revision,
                                                   const FindContent& find) {
  std::vector<NamedShape> shapes;
  shapes.reserve(stored.size());
  for (const StoredName& name : stored) {
    const ShapeContentPtr content = find(name.digest);
    const bool is_owned = name.owner.empty() || IsPrincipalId(name.owner);
    if (!CheckShapeName(name.name, "name").ok() || content == nullptr || !is_owned ||
        name.revision > revision) {
      return absl::DataLossError(absl::StrCat("the store is damaged: the name '", name.name,
                                              "' has no content, revision or owner; restore a "
                                              "backup"));
    }
    shapes.push_back({name.name, content, name.revision, name.owner});
  }
  return shapes;
}

absl::Status RestoreShapes(int threads, ShapeSource* store, Registry* registry) {
  const absl::StatusOr<StoredNames> stored = store->ReadNames();
  if (!stored.ok()) return stored.status();
  const absl::StatusOr<Contents> contents = ReadAllContents(threads, *store);
  if (!contents.ok()) return contents.status();
  const auto shapes = ReadStored(stored->names, stored->revision, [&](const std::string& digest) {
    const auto content = contents->find(digest);
    return content == contents->end() ? nullptr : content->second;
  });
  if (!shapes.ok()) return shapes.status();
  registry->Follow(*shapes, stored->revision);
  return absl::OkStatus();
}

absl::StatusOr<SceneRegistry::Kept> PlayRecord(const SceneRecord& record,
                                               const SceneRegistry::Kept& before,
                                               const FindContent& find, SceneContents* contents) {
  // Stands for a shape that was deleted since: as long as a later record takes the body away again,
  // nothing is lost. A point is somewhere wherever a shape can be.
  static const RigidBodyPtr kMissing = MakeBody(std::get<ConvexShapePtr>(MakePoint(0)));
  SceneRegistry::Kept scene = {.name = record.name,
                               .scene = nullptr,
                               .incarnation = record.incarnation,
                               .revision = record.revision,
                               .owner = record.owner,
                               .record_bytes = record.change.size()};
  if (record.is_whole) scene.whole_bytes = std::exchange(scene.record_bytes, 0);
  if (record.revision == 0) return scene;
  const bool is_next = before.scene != nullptr && record.incarnation == before.incarnation &&
                       record.revision == before.revision + 1;
  if (!record.is_whole && !is_next) return DoesNotFollow(record);
  v1::SceneChange change;
  if (!change.ParseFromString(record.change)) return Damaged(record.name, "cannot be read");
  std::vector<RigidBodyPtr> bodies;
  for (const v1::ShapeReference& shape : change.bodies().shapes()) {
    const ShapeContentPtr content = find(shape.digest());
    bodies.push_back(content == nullptr ? kMissing : contents->Share(content));
  }
  const auto edit = ReadSceneChange(change, bodies);
  if (!edit.ok()) return Damaged(record.name, edit.status().message());
  auto next = ApplyEdit(record.is_whole ? Scene::MakeEmpty() : before.scene, *edit, kNoLimits);
  if (!next.ok()) return Damaged(record.name, next.status().message());
  scene.scene = *std::move(next);
  return scene;
}

absl::Status RequireWhole(const SceneRegistry::Kept& scene) {
  for (std::size_t i = 0; i < scene.scene->size(); ++i) {
    if (SceneContents::Of(scene.scene->BodyAt(i).body) == nullptr)
      return Damaged(scene.name, "has a body whose shape is gone");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SceneRegistry::Kept>> ReadStoredScenes(ShapeSource* store,
                                                                  const FindContent& find,
                                                                  SceneContents* contents) {
  std::vector<SceneRegistry::Kept> scenes;
  const auto require_last_whole = [&] {
    return scenes.empty() ? absl::OkStatus() : RequireWhole(scenes.back());
  };
  absl::Status status = store->ReadScenes([&](const SceneRecord& record) -> absl::Status {
    const bool is_new = scenes.empty() || scenes.back().name != record.name;
    if (is_new != record.is_whole || record.revision == 0) return DoesNotFollow(record);
    if (is_new) {
      if (absl::Status last = require_last_whole(); !last.ok()) return last;
      if (!CheckShapeName(record.name, "name").ok()) return Damaged(record.name, "has no name");
      scenes.emplace_back();
    }
    SceneRegistry::Kept& scene = scenes.back();
    auto played = PlayRecord(record, scene, find, contents);
    if (!played.ok()) return played.status();
    if (!is_new) played->whole_bytes = scene.whole_bytes;
    played->record_bytes += scene.record_bytes;
    played->bytes = played->scene->byte_size();  // it shares nothing with an older revision
    scene = *std::move(played);
    return absl::OkStatus();
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

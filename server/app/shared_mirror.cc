// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/app/optional_parts.h"
#include "server/app/restore.h"
#include "server/etcd/etcd_store.h"
#include "server/observe/periodic_thread.h"

namespace clearance::server {
namespace {

using Contents = absl::flat_hash_map<std::string, ShapeContentPtr>;
using Kept = SceneRegistry::Kept;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// Returns the content of this digest from the registry or, if it has none, from `added`.
ShapeContentPtr Find(const Registry& shapes, const std::string& digest, const Contents& added) {
  if (ShapeContentPtr held = shapes.FindContent(digest); held != nullptr) return held;
  const auto found = added.find(digest);
  return found == added.end() ? nullptr : found->second;
}

// Returns the scene that the record makes of the scene `before`.
absl::StatusOr<Kept> PlayOne(const RecordPlayer& player, const SceneRecord& record,
                             const Kept& before) {
  Kept scene = {.name = record.name,
                .scene = nullptr,
                .incarnation = record.incarnation,
                .revision = record.revision,
                .owner = record.owner,
                .record_bytes = record.change.size()};
  if (record.is_whole) scene.whole_bytes = std::exchange(scene.record_bytes, 0);
  if (record.revision == 0) return scene;
  const bool is_next = before.scene != nullptr && record.incarnation == before.incarnation &&
                       record.revision == before.revision + 1;
  if (!record.is_whole && !is_next) {
    return absl::DataLossError(absl::StrCat("the store is damaged: revision ", record.revision,
                                            " of the scene '", record.name,
                                            "' does not follow on what is known of it"));
  }
  auto next = player.Play(record, record.is_whole ? Scene::MakeEmpty() : before.scene);
  if (!next.ok()) return next.status();
  scene.scene = *std::move(next);
  if (is_next) scene.bytes = before.scene->BytesBeside(*scene.scene);
  absl::Status status = player.RequireWhole(record.name, *scene.scene);
  if (!status.ok()) return status;
  return scene;
}

absl::StatusOr<std::vector<Kept>> Play(const RecordPlayer& player,
                                       const std::vector<SceneRecord>& records,
                                       const SceneRegistry& scenes) {
  std::map<std::string, Kept> newest;
  std::vector<Kept> played;
  for (const SceneRecord& record : records) {
    const auto [before, is_first] = newest.try_emplace(record.name);
    const auto found = scenes.Find(record.name);
    if (is_first && found.ok() && !found->ttl.has_value())
      before->second = {record.name, found->scene, found->incarnation, found->revision};
    auto scene = PlayOne(player, record, before->second);
    if (!scene.ok()) return scene.status();
    before->second = *scene;
    played.push_back(*std::move(scene));
  }
  return played;
}

absl::StatusOr<Contents> ReadNew(const StoredNames& names, const SharedStore& store,
                                 const Registry& shapes) {
  Contents added;
  for (const StoredName& name : names.names) {
    if (Find(shapes, name.digest, added) != nullptr) continue;
    const auto stored = store.ReadContent(name.digest);
    if (absl::IsNotFound(stored.status())) continue;  // reported with the name
    if (!stored.ok()) return stored.status();
    auto content = ReadStored(stored->view());
    if (!content.ok()) return content.status();
    added.emplace(name.digest, *std::move(content));
  }
  return added;
}

// Returns the changes that make the registry of shapes equal to `names`.
absl::StatusOr<std::vector<NamedShape>> DifferenceTo(const StoredNames& names,
                                                     const Contents& added,
                                                     const Registry& shapes) {
  std::vector<NamedShape> changes;
  absl::flat_hash_map<std::string, NamedShape> before;
  for (NamedShape& shape : shapes.List("", "", kAll).shapes)
    before.emplace(shape.name, std::move(shape));
  for (const StoredName& name : names.names) {
    auto shape = ReadStored(name, names.revision, Find(shapes, name.digest, added));
    if (!shape.ok()) return shape.status();
    const auto old = before.find(name.name);
    const bool is_same = old != before.end() && old->second.revision == name.revision &&
                         old->second.content == shape->content;
    if (!is_same) changes.push_back(*std::move(shape));
    if (old != before.end()) before.erase(old);
  }
  for (const auto& [name, shape] : before) changes.push_back({name, nullptr});
  return changes;
}

// Returns what makes the registry of scenes equal to `scenes`.
std::vector<Kept> DifferenceTo(std::vector<Kept> scenes, const SceneRegistry& registry) {
  std::vector<Kept> followed;
  absl::flat_hash_map<std::string, SceneState> before;
  for (SceneState& state : registry.List("", "", kAll).scenes) {
    if (!state.ttl.has_value()) before.emplace(state.name, std::move(state));
  }
  for (Kept& scene : scenes) {
    const auto old = before.find(scene.name);
    const bool is_same = old != before.end() && old->second.incarnation == scene.incarnation &&
                         old->second.revision == scene.revision;
    if (old != before.end()) before.erase(old);
    if (is_same) continue;
    scene.bytes = scene.scene->byte_size();
    followed.push_back(std::move(scene));
  }
  for (const auto& [name, state] : before) followed.push_back({.name = name, .scene = nullptr});
  return followed;
}

// Logs every second, while it lives, that the server waits for the shared store. Thread-safe.
class WaitingNotice {
 public:
  // `log` outlives this.
  WaitingNotice(std::string endpoints, Log* log)
      : endpoints_(std::move(endpoints)),
        log_(log),
        teller_(std::chrono::seconds(1), [this](bool /*is_asked*/) { Tell(); }) {}

  // The last try came to nothing for this reason.
  void Failed(const absl::Status& reason) {
    const std::lock_guard lock(mutex_);
    reason_ = std::string(reason.message());
  }

 private:
  void Tell() {
    const std::lock_guard lock(mutex_);
    log_->Warning("waiting for the shared store",
                  {{"endpoints", endpoints_}, {"seconds", ++seconds_}, {"reason", reason_}});
  }

  const std::string endpoints_;
  Log* const log_;
  std::mutex mutex_;
  std::string reason_ = "no answer yet";  // guarded by mutex_
  int seconds_ = 0;                       // of the thread
  PeriodicThread teller_;
};

absl::StatusOr<std::unique_ptr<EtcdStore>> OpenStore(const JoinParts& parts) {
  WaitingNotice notice(absl::StrJoin(parts.config.endpoints, ","), parts.log);
  return EtcdStore::Open(parts.config, &parts.metrics->store(), [&](const absl::Status& reason) {
    notice.Failed(reason);
    return !parts.is_ended();
  });
}

}  // namespace

// Plays scenes before it drops names: the shapes that they use in between are still there.
absl::Status SharedMirror::Apply(const FollowedCommit& commit) {
  Contents added;
  for (const OwnedContent& stored : commit.contents) {
    if (shapes_->FindContent(stored.digest) != nullptr) continue;
    auto content = ReadStored(stored.view());
    if (!content.ok()) return content.status();
    added.emplace(stored.digest, *std::move(content));
  }
  const RecordPlayer player(
      [&](const std::string& digest) { return Find(*shapes_, digest, added); },
      &scenes_->contents());
  auto scenes = Play(player, commit.scenes, *scenes_);
  if (!scenes.ok()) return scenes.status();
  std::vector<NamedShape> changes;
  for (const StoredName& name : commit.names) {
    auto shape = ReadStored(name, commit.revision, Find(*shapes_, name.digest, added));
    if (!shape.ok()) return shape.status();
    changes.push_back(*std::move(shape));
  }
  for (const std::string& name : commit.dropped_names) changes.push_back({name, nullptr});
  shapes_->Follow(changes, commit.revision);
  if (!changes.empty()) shapes_->BoundDetached();
  scenes_->Follow(*scenes);
  return absl::OkStatus();
}

absl::Status SharedMirror::Reload(SharedStore* store) {
  const auto names = store->ReadNames();
  if (!names.ok()) return names.status();
  const auto added = ReadNew(*names, *store, *shapes_);
  if (!added.ok()) return added.status();
  auto stored = ReadStoredScenes(
      store, [&](const std::string& digest) { return Find(*shapes_, digest, *added); },
      &scenes_->contents());
  if (!stored.ok()) return stored.status();
  const auto changes = DifferenceTo(*names, *added, *shapes_);
  if (!changes.ok()) return changes.status();
  shapes_->Follow(*changes, names->revision);
  shapes_->BoundDetached();
  scenes_->Follow(DifferenceTo(*std::move(stored), *scenes_));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SharedRegistry>> JoinRegistry(const JoinParts& parts) {
  absl::StatusOr<std::unique_ptr<EtcdStore>> store = OpenStore(parts);
  if (!store.ok()) return store.status();
  constexpr int kTries = 3;
  absl::Status status = absl::OutOfRangeError("not read");
  for (int tries = 0; absl::IsOutOfRange(status) && tries < kTries; ++tries) {
    status = RestoreShapes(parts.threads, store->get(), parts.shapes);
  }
  auto mirror = std::make_unique<SharedMirror>(parts.shapes, parts.scenes);
  if (status.ok()) status = RestoreScenes(store->get(), *parts.shapes, parts.scenes);
  if (absl::IsOutOfRange(status)) status = mirror->Reload(store->get());
  if (!status.ok()) return status;
  return std::make_unique<SharedRegistry>(SharedRegistry::Parts{.store = *std::move(store),
                                                                .mirror = std::move(mirror),
                                                                .patience = parts.config.patience,
                                                                .series = &parts.metrics->store(),
                                                                .log = parts.log});
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
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

absl::StatusOr<std::vector<Kept>> Play(const std::vector<SceneRecord>& records,
                                       const FindContent& find, SceneRegistry* scenes) {
  std::map<std::string, Kept> newest;
  std::vector<Kept> played;
  for (const SceneRecord& record : records) {
    const auto [before, is_first] = newest.try_emplace(record.name);
    const auto found = scenes->Find(record.name);
    if (is_first && found.ok() && !found->ttl.has_value())
      before->second = {record.name, found->scene, found->incarnation, found->revision};
    auto scene = PlayRecord(record, before->second, find, &scenes->contents());
    if (!scene.ok()) return scene.status();
    if (scene->scene != nullptr) {
      if (absl::Status status = RequireWhole(*scene); !status.ok()) return status;
      if (before->second.scene != nullptr)
        scene->bytes = before->second.scene->BytesBeside(*scene->scene);
    }
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
    auto content = ReadStored(*stored);
    if (!content.ok()) return content.status();
    added.emplace(name.digest, *std::move(content));
  }
  return added;
}

bool IsSame(const NamedShape& held, const NamedShape& stored) {
  return held.revision == stored.revision && held.content == stored.content;
}

bool IsSame(const SceneState& held, const Kept& stored) {
  return held.incarnation == stored.incarnation && held.revision == stored.revision;
}

// Returns the changes that make what is held equal to what is stored.
template <class Held, class Stored>
std::vector<Stored> Difference(const std::vector<Held>& held, std::vector<Stored> stored) {
  absl::flat_hash_map<std::string, const Held*> before;
  for (const Held& one : held) before.emplace(one.name, &one);
  std::erase_if(stored, [&](const Stored& one) {
    const auto old = before.extract(one.name);
    return !old.empty() && IsSame(*old.mapped(), one);
  });
  // With nothing but its name, each of these is deleted.
  for (const auto& [name, one] : before) stored.emplace_back().name = name;
  return stored;
}

// Logs every second that the server waits for the shared store, until it is open.
absl::StatusOr<std::unique_ptr<EtcdStore>> OpenStore(const JoinParts& parts) {
  std::mutex mutex;
  std::string last_failure = "no answer yet";  // guarded by the mutex
  int seconds = 0;                             // of the thread
  const PeriodicThread teller(std::chrono::seconds(1), [&](bool /*is_asked*/) {
    const std::lock_guard lock(mutex);
    parts.log->Warning("waiting for the shared store",
                       {{"endpoints", absl::StrJoin(parts.config.endpoints, ",")},
                        {"seconds", ++seconds},
                        {"reason", last_failure}});
  });
  return EtcdStore::Open(parts.config, &parts.metrics->store(), [&](const absl::Status& reason) {
    const std::lock_guard lock(mutex);
    last_failure = std::string(reason.message());
    return !parts.is_ended();
  });
}

}  // namespace

// Plays scenes before it drops names: the shapes that they use in between are still there.
absl::Status SharedMirror::Apply(const FollowedCommit& commit) {
  Contents added;
  for (const StoredContent& stored : commit.contents) {
    if (shapes_->FindContent(stored.digest) != nullptr) continue;
    auto content = ReadStored(stored);
    if (!content.ok()) return content.status();
    added.emplace(stored.digest, *std::move(content));
  }
  const auto find = [&](const std::string& digest) { return Find(*shapes_, digest, added); };
  const auto scenes = Play(commit.scenes, find, scenes_);
  if (!scenes.ok()) return scenes.status();
  auto changes = ReadStored(commit.names, commit.revision, find);
  if (!changes.ok()) return changes.status();
  for (const std::string& name : commit.dropped_names) changes->push_back({name, nullptr});
  shapes_->Follow(*changes, commit.revision);
  if (!changes->empty()) shapes_->BoundDetached();
  scenes_->Follow(*scenes);
  return absl::OkStatus();
}

absl::Status SharedMirror::Reload(SharedStore* store) {
  const auto names = store->ReadNames();
  if (!names.ok()) return names.status();
  const auto added = ReadNew(*names, *store, *shapes_);
  if (!added.ok()) return added.status();
  const auto find = [&](const std::string& digest) { return Find(*shapes_, digest, *added); };
  auto scenes = ReadStoredScenes(store, find, &scenes_->contents());
  if (!scenes.ok()) return scenes.status();
  auto shapes = ReadStored(names->names, names->revision, find);
  if (!shapes.ok()) return shapes.status();
  shapes_->Follow(Difference(shapes_->List("", "", kAll).shapes, *std::move(shapes)),
                  names->revision);
  shapes_->BoundDetached();
  scenes_->Follow(Difference(scenes_->List("", "", kAll).scenes, *std::move(scenes)));
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
                                                                .series = parts.metrics->store(),
                                                                .log = parts.log});
}

}  // namespace clearance::server

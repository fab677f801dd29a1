// SPDX-License-Identifier: Apache-2.0

#include "server/registry/scene_draft.h"

#include <algorithm>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <utility>

#include "server/guard/refusal.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

// Names of users that a refusal shows.
constexpr std::size_t kMostUsers = 3;

std::uint64_t NewIncarnation() {
  std::random_device device;
  constexpr int kBitsOfHalf = 32;
  return (std::uint64_t{device()} << kBitsOfHalf) | device();
}

bool BeginsWithOneOf(std::string_view name, absl::Span<const std::string> prefixes) {
  return prefixes.empty() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

}  // namespace

SceneDraft::SceneDraft(SceneRegistry* registry)
    : registry_(registry),
      holdings_([registry](std::string_view owner) { return registry->HoldingOf(owner); }) {
  const std::shared_lock lock(registry->mutex_);
  scenes_ = registry->entries_.size();
  bytes_ = registry->bytes_;
}

absl::StatusOr<SceneState> SceneDraft::Change(const NamedSceneChange& change) {
  if (absl::Status status = CheckShapeName(change.name, "name"); !status.ok()) return status;
  return change.kind == NamedSceneChange::Kind::kCreate ? Create(change) : ChangeKept(change);
}

absl::StatusOr<SceneState> SceneDraft::Create(const NamedSceneChange& change) {
  const std::optional<Entry> old = Find(change.name);
  if (old.has_value()) {
    return Refuse(absl::StatusCode::kAlreadyExists,
                  {.reason = Reason::kSceneExists,
                   .field = "name",
                   .value = change.name,
                   .limit = "a free name",
                   .message = "There is a scene of this name; choose another one or update it."});
  }
  const Limits& limits = registry_->limits_;
  if (scenes_ >= limits.max_scenes) {
    return Refuse(absl::StatusCode::kResourceExhausted,
                  {.reason = Reason::kScenesFull,
                   .field = "scene",
                   .value = FormatNumber(scenes_ + 1),
                   .limit = "max_scenes <= " + FormatNumber(limits.max_scenes),
                   .message = "There are too many scenes; delete some that are not needed."});
  }
  Entry entry;
  entry.incarnation = NewIncarnation();
  entry.revision = 1;
  entry.bytes = change.next->byte_size();
  entry.held.push_back({change.next, 0});
  entry.ttl = change.ttl;
  entry.owner = change.owner;
  absl::Status status =
      registry_->CheckGrowth(entry.owner, holdings_.Of(entry.owner), {1, entry.bytes}, bytes_);
  if (!status.ok()) return status;
  SceneState state = SceneRegistry::StateOf(change.name, entry);
  holdings_.Add(entry.owner, entry.bytes);
  bytes_ += entry.bytes;
  ++scenes_;
  Keep(change, change.record, /*is_whole=*/true, std::move(entry));
  return state;
}

absl::StatusOr<SceneState> SceneDraft::ChangeKept(const NamedSceneChange& change) {
  std::optional<Entry> entry = Find(change.name);
  if (!entry.has_value()) return RefuseUnknownScene("name", change.name);
  if (entry->ttl.has_value()) {
    return Refuse(absl::StatusCode::kAborted,
                  {.reason = Reason::kConcurrentChange,
                   .field = "name",
                   .value = change.name,
                   .limit = "the scene that was found at first",
                   .message = "Another scene has taken the name meanwhile; look at it again."});
  }
  SceneState state = SceneRegistry::StateOf(change.name, *entry);
  if (absl::Status status = RequireEtag(change.etag, state); !status.ok()) return status;
  if (change.kind == NamedSceneChange::Kind::kUpdate) return Update(change, *std::move(entry));
  holdings_.Remove(entry->owner, entry->bytes);
  bytes_ -= entry->bytes;
  --scenes_;
  drafted_.insert_or_assign(change.name, std::nullopt);
  records_.push_back({.name = change.name, .incarnation = entry->incarnation, .change = {}});
  return state;
}

absl::StatusOr<SceneState> SceneDraft::Update(const NamedSceneChange& change, Entry entry) {
  ScenePtr next = change.next;
  const ScenePtr newest = entry.held.back().scene;
  const bool is_as_planned = newest == change.base;
  if (!is_as_planned) {
    absl::StatusOr<ScenePtr> made = change.make_next(newest);
    if (!made.ok()) return made.status();
    next = *std::move(made);
  }
  const std::uint64_t before = entry.bytes;
  registry_->Push(next, change.bytes, &entry);
  if (entry.bytes > before) {
    absl::Status status = registry_->CheckGrowth(entry.owner, holdings_.Of(entry.owner),
                                                 {0, entry.bytes - before}, bytes_);
    if (!status.ok()) return status;
  }
  holdings_.Remove(entry.owner, before);
  holdings_.Add(entry.owner, entry.bytes);
  bytes_ += entry.bytes - before;
  SceneState state = SceneRegistry::StateOf(change.name, entry);
  const bool is_whole = is_as_planned && !change.whole.empty();
  Keep(change, is_whole ? change.whole : change.record, is_whole, std::move(entry));
  return state;
}

SceneDraft::Users SceneDraft::UsersOf(std::string_view digest,
                                      absl::Span<const std::string> prefixes) const {
  Users users;
  // No scene uses a content that no scene holds.
  const RigidBody* const body = registry_->contents().FindBody(digest);
  if (body == nullptr) return users;
  const auto look_at = [&](const std::string& name, const Entry& entry) {
    if (entry.ttl.has_value()) return;
    if (!entry.held.back().scene->Uses(*body)) return;
    ++users.count;
    if (users.names.size() < kMostUsers && BeginsWithOneOf(name, prefixes))
      users.names.push_back(name);
  };
  for (const auto& [name, entry] : drafted_) {
    if (entry.has_value()) look_at(name, *entry);
  }
  const std::shared_lock lock(registry_->mutex_);
  for (const auto& [name, entry] : registry_->entries_) {
    if (!drafted_.contains(name)) look_at(name, entry);
  }
  return users;
}

void SceneDraft::Apply() {
  SceneRegistry::LetGo let_go;
  const std::unique_lock lock(registry_->mutex_);
  for (auto& [name, entry] : drafted_) {
    const auto before = registry_->entries_.find(name);
    if (before != registry_->entries_.end()) let_go.push_back(before->second.held);
    if (entry.has_value()) {
      registry_->Put(name, *std::move(entry));
    } else {
      registry_->End(name, SceneEnd::kDeleted);
    }
  }
}

std::optional<SceneDraft::Entry> SceneDraft::Find(const std::string& name) const {
  if (const auto drafted = drafted_.find(name); drafted != drafted_.end()) return drafted->second;
  const std::shared_lock lock(registry_->mutex_);
  const Entry* const found = registry_->FindEntry(name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void SceneDraft::Keep(const NamedSceneChange& change, const std::string& record, bool is_whole,
                      Entry entry) {
  if (!entry.ttl.has_value()) {
    if (is_whole) {
      entry.whole_bytes = record.size();
      entry.record_bytes = 0;
    } else {
      entry.record_bytes += record.size();
    }
    records_.push_back({.name = change.name,
                        .incarnation = entry.incarnation,
                        .revision = entry.revision,
                        .is_whole = is_whole,
                        .owner = entry.owner,
                        .change = record});
  }
  drafted_.insert_or_assign(change.name, std::move(entry));
}

}  // namespace clearance::server

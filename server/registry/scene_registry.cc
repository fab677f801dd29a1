// SPDX-License-Identifier: Apache-2.0

#include "server/registry/scene_registry.h"

#include <algorithm>
#include <mutex>
#include <random>

#include "absl/strings/str_format.h"
#include "server/guard/refusal.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

constexpr Resource kRewoundBytes = {
    .limit = "max_scene_bytes",
    .advice = "rewind into slots that are used already, close some, or take a smaller base",
    .taken = Taken::kExactly};

// A scene's records are written again as one once those after the whole exceed this many bytes, and
// the size of the whole.
constexpr std::uint64_t kFewRecordBytes = 64 << 10;

// Then a scene is not of the kind that was found: one has a ttl, the other is kept.
absl::Status AnotherTookTheName(const std::string& name) {
  return Refuse(absl::StatusCode::kAborted,
                {.reason = Reason::kConcurrentChange,
                 .field = "name",
                 .value = name,
                 .limit = "the scene that was found at first",
                 .message = "Another scene has taken the name meanwhile; look at it again."});
}

// Names of users that a refusal shows.
constexpr std::size_t kMostUsers = 3;

std::uint64_t NewIncarnation() {
  std::random_device device;
  constexpr int kBitsOfHalf = 32;
  return (std::uint64_t{device()} << kBitsOfHalf) | device();
}

bool BeginsWithOneOf(std::string_view name, absl::Span<const std::string> prefixes) {
  const auto begins_with = [&](const std::string& prefix) { return name.starts_with(prefix); };
  return prefixes.empty() || std::ranges::any_of(prefixes, begins_with);
}

}  // namespace

absl::Status RefuseUnknownScene(std::string_view field, std::string_view name) {
  return Refuse(absl::StatusCode::kNotFound,
                {.reason = Reason::kSceneNotFound,
                 .field = std::string(field),
                 .value = std::string(name),
                 .limit = "a scene",
                 .message = "There is no such scene, or not any more; create it first."});
}

absl::Status RequireEtag(std::string_view etag, const SceneState& state) {
  if (etag.empty() || etag == state.etag()) return absl::OkStatus();
  return Refuse(absl::StatusCode::kAborted,
                {.reason = Reason::kEtagMismatch,
                 .field = "etag",
                 .value = std::string(etag),
                 .limit = state.etag(),
                 .message = "The scene has changed meanwhile; look at it again."});
}

std::string SceneState::etag() const { return absl::StrFormat("%016x-%d", incarnation, revision); }

SceneRegistry::SceneRegistry(const Limits& limits, Metrics* metrics, const HoldingQuotas* quotas,
                             SteadyClock clock)
    : limits_(limits),
      metrics_(metrics),
      quotas_(quotas),
      clock_(std::move(clock)),
      held_(limits.max_scene_bytes,
            metrics == nullptr ? nullptr : &metrics->scene_bytes_detached()),
      own_(kRewoundBytes, limits.max_scene_bytes,
           metrics == nullptr ? nullptr : &metrics->scene_bytes_rewound()) {}

absl::StatusOr<SceneState> SceneRegistry::Find(std::string_view name,
                                               std::uint64_t revision) const {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const std::shared_lock lock(mutex_);
  const Entry* const entry = FindEntry(name);
  if (entry == nullptr) return RefuseUnknownScene("name", name);
  SceneState state = StateOf(name, *entry);
  if (revision == 0 || revision == state.revision) return state;
  if (revision < state.oldest_revision || revision > state.revision) {
    return Refuse(
        absl::StatusCode::kFailedPrecondition,
        {.reason = Reason::kRevisionNotHeld,
         .field = "revision",
         .value = FormatNumber(revision),
         .limit = FormatNumber(state.oldest_revision) + " to " + FormatNumber(state.revision),
         .message = "This revision of the scene is no longer held, or not reached yet."});
  }
  const std::size_t index = revision - state.oldest_revision;
  state.scene = entry->held[index].scene;
  state.held = HeldOf(*entry, index);
  state.revision = revision;
  return state;
}

SceneRegistry::Page SceneRegistry::List(std::string_view prefix, std::string_view after,
                                        std::size_t size) const {
  Page page;
  const SteadyTime now = clock_();
  const std::shared_lock lock(mutex_);
  auto entry = after < prefix ? entries_.lower_bound(prefix) : entries_.upper_bound(after);
  for (; entry != entries_.end() && entry->first.starts_with(prefix); ++entry) {
    if (entry->second.expires <= now) continue;
    if (page.scenes.size() == size) {
      page.is_last = false;
      break;
    }
    page.scenes.push_back(StateOf(entry->first, entry->second));
  }
  return page;
}

// The next revision is made without the lock. If another change was faster, it is made again from
// the newer one.
absl::StatusOr<SceneState> SceneRegistry::ChangeInMemory(const NamedSceneChange& change) {
  LetGo let_go;
  ScenePtr base = change.base;
  ScenePtr next = change.next;
  constexpr int kMostTries = 32;
  for (int tries = 0; tries < kMostTries; ++tries) {
    {
      const std::unique_lock lock(mutex_);
      if (FindEntry(change.name) == nullptr) return RefuseUnknownScene("name", change.name);
      Entry& entry = entries_.find(change.name)->second;
      if (!entry.ttl.has_value()) return AnotherTookTheName(change.name);
      SceneState state = StateOf(change.name, entry);
      if (absl::Status status = RequireEtag(change.etag, state); !status.ok()) return status;
      if (change.kind == NamedSceneChange::Kind::kDelete) {
        End(change.name, SceneEnd::kDeleted, &let_go);
        return state;
      }
      if (entry.newest() == base) {
        absl::Status status = PushInMemory(change, next, &entry, &let_go);
        if (!status.ok()) return status;
        return StateOf(change.name, entry);
      }
      let_go.push_back({Revision{std::exchange(base, entry.newest())}});
    }
    absl::StatusOr<ScenePtr> made = change.make_next(base);
    if (!made.ok()) return made.status();
    next = *std::move(made);
  }
  return Refuse(absl::StatusCode::kAborted,
                {.reason = Reason::kConcurrentChange,
                 .field = "name",
                 .value = change.name,
                 .limit = "a scene that others do not change all the time",
                 .message = "Others were faster whenever this change was made; repeat it."});
}

absl::Status SceneRegistry::PushInMemory(const NamedSceneChange& change, const ScenePtr& next,
                                         Entry* entry, LetGo* let_go) {
  if (next == entry->newest()) {
    Renew(change.name, entry);
    return absl::OkStatus();
  }
  Entry changed = *entry;
  Push(next, change.bytes, &changed);
  if (absl::Status status = CheckGrowth(changed, entry, holdings_, bytes_); !status.ok())
    return status;
  Put(change.name, std::move(changed), let_go);
  return absl::OkStatus();
}

void SceneRegistry::Expire() {
  const SteadyTime now = clock_();
  LetGo let_go;
  const std::unique_lock lock(mutex_);
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    End(std::string(by_expiry_.begin()->second), SceneEnd::kExpired, &let_go);
    if (metrics_ != nullptr) metrics_->scenes_expired().Increment();
  }
}

void SceneRegistry::Follow(const std::vector<Kept>& scenes) {
  LetGo let_go;
  const std::unique_lock lock(mutex_);
  for (const Kept& scene : scenes) {
    const auto found = entries_.find(scene.name);
    const bool is_kept = found != entries_.end() && !found->second.ttl.has_value();
    if (scene.scene == nullptr) {
      if (is_kept) End(scene.name, SceneEnd::kDeleted, &let_go);
      continue;
    }
    const bool is_next = is_kept && found->second.incarnation == scene.incarnation &&
                         found->second.revision + 1 == scene.revision;
    Entry entry;
    if (is_next) {
      entry = found->second;
      Push(scene.scene, scene.bytes, &entry);
    } else {
      entry = {.owner = scene.owner,
               .incarnation = scene.incarnation,
               .revision = scene.revision,
               .held = {Revision{scene.scene}},
               .bytes = scene.scene->byte_size()};
    }
    if (scene.whole_bytes.has_value()) {
      entry.whole_bytes = *scene.whole_bytes;
      entry.record_bytes = 0;
    }
    entry.record_bytes += scene.record_bytes;
    Put(scene.name, std::move(entry), &let_go);
  }
}

bool SceneRegistry::IsTimeForWhole(std::string_view name, std::uint64_t record_bytes) const {
  const std::shared_lock lock(mutex_);
  const Entry* const entry = FindEntry(name);
  if (entry == nullptr) return false;
  const std::uint64_t bytes = entry->record_bytes + record_bytes;
  return bytes > std::max(kFewRecordBytes, entry->whole_bytes);
}

SceneState SceneRegistry::StateOf(std::string_view name, const Entry& entry) {
  return {.name = std::string(name),
          .scene = entry.newest(),
          .incarnation = entry.incarnation,
          .revision = entry.revision,
          .oldest_revision = entry.oldest_revision(),
          .bytes = entry.bytes,
          .ttl = entry.ttl,
          .held = HeldOf(entry, entry.held.size() - 1)};
}

HeldRevision SceneRegistry::HeldOf(const Entry& entry, std::size_t index) {
  const Revision& revision = entry.held[index];
  return {.progress = entry.progress,
          .revision = entry.oldest_revision() + index,
          .changed_bytes = revision.changed_bytes,
          .byte_size = revision.scene->byte_size(),
          .is_newest = index + 1 == entry.held.size()};
}

void SceneRegistry::Push(const ScenePtr& next, std::uint64_t replaced_bytes, Entry* entry) const {
  Revision& last = entry->held.back();
  last.extra_bytes = std::min(replaced_bytes, last.scene->byte_size());
  entry->held.push_back({next, 0, last.changed_bytes + last.extra_bytes});
  if (entry->held.size() > limits_.max_scene_revisions) entry->held.pop_front();
  ++entry->revision;
  entry->bytes = next->byte_size();
  for (const Revision& revision : entry->held) entry->bytes += revision.extra_bytes;
}

const SceneRegistry::Entry* SceneRegistry::FindEntry(std::string_view name) const {
  const auto found = entries_.find(name);
  const bool is_there = found != entries_.end() && found->second.expires > clock_();
  return is_there ? &found->second : nullptr;
}

absl::Status SceneRegistry::CheckGrowth(const Entry& entry, const Entry* before,
                                        const Holdings& holdings, std::uint64_t bytes) const {
  if (before != nullptr && entry.bytes <= before->bytes) return absl::OkStatus();
  const std::uint64_t more = entry.bytes - (before == nullptr ? 0 : before->bytes);
  absl::Status status =
      CheckMost(bytes + more, {"max_scene_bytes", limits_.max_scene_bytes},
                {.reason = Reason::kScenesFull,
                 .field = "scene",
                 .message = "The scenes take too much memory; delete some, or bodies of them."});
  if (!status.ok() || quotas_ == nullptr) return status;
  const Holding held = holdings.Of(entry.owner);
  const Holding after = {held.count + (before == nullptr ? 1 : 0), held.bytes + more};
  return quotas_->Check(HoldingKind::kScenes, entry.owner, held, after);
}

void SceneRegistry::Put(const std::string& name, Entry entry, LetGo* let_go) {
  const auto before = entries_.find(name);
  const bool is_there = before != entries_.end();
  if (is_there && before->second.incarnation != entry.incarnation) {
    // The old scene has expired, or was deleted in the same batch in which another took its name.
    const bool is_over = before->second.expires <= clock_();
    End(name, is_over ? SceneEnd::kExpired : SceneEnd::kDeleted, let_go);
  } else if (is_there) {
    if (before->second.progress != entry.progress) before->second.progress->is_gone = true;
    Uncount(before, let_go);
  }
  holdings_.Add(entry.owner, entry.bytes);
  bytes_ += entry.bytes;
  revisions_ += entry.held.size();
  tree_depths_.insert(entry.newest()->tree_depth());
  entry.progress->oldest_revision = entry.oldest_revision();
  entry.progress->changed_bytes = entry.held.back().changed_bytes;
  Entry& held = entries_.insert_or_assign(name, std::move(entry)).first->second;
  Renew(name, &held);
  ReportSize();
  for (SceneObserver* const observer : ObserversOf(name)) observer->SceneChanged();
}

void SceneRegistry::End(std::string_view name, SceneEnd end, LetGo* let_go) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  for (SceneObserver* const observer : ObserversOf(name))
    observer->SceneEnded(found->second.incarnation, end);
  found->second.progress->is_gone = true;
  Uncount(found, let_go);
  entries_.erase(found);
  ReportSize();
}

void SceneRegistry::AddObserver(const std::string& name, SceneObserver* observer) {
  const std::unique_lock lock(mutex_);
  observers_[name].push_back(observer);
}

void SceneRegistry::RemoveObserver(const std::string& name, SceneObserver* observer) {
  const std::unique_lock lock(mutex_);
  const auto found = observers_.find(name);
  std::erase(found->second, observer);
  if (found->second.empty()) observers_.erase(found);
}

absl::Span<SceneObserver* const> SceneRegistry::ObserversOf(std::string_view name) const {
  const auto found = observers_.find(name);
  if (found == observers_.end()) return {};
  return found->second;
}

void SceneRegistry::Uncount(Entries::iterator named, LetGo* let_go) {
  auto& [name, entry] = *named;
  holdings_.Remove(entry.owner, entry.bytes);
  bytes_ -= entry.bytes;
  revisions_ -= entry.held.size();
  tree_depths_.erase(tree_depths_.find(entry.newest()->tree_depth()));
  by_expiry_.erase({entry.expires, name});
  let_go->push_back(std::move(entry.held));
}

void SceneRegistry::Renew(const std::string& name, Entry* entry) {
  if (!entry->ttl.has_value()) return;
  by_expiry_.erase({entry->expires, name});
  entry->expires = clock_() + absl::FromChrono(*entry->ttl);
  by_expiry_.emplace(entry->expires, name);
}

void SceneRegistry::ReportSize() const {
  if (metrics_ == nullptr) return;
  metrics_->scenes().Set(static_cast<double>(entries_.size()));
  metrics_->scene_revisions().Set(static_cast<double>(revisions_));
  metrics_->scene_bytes().Set(static_cast<double>(bytes_));
  metrics_->scene_tree_depth().Set(tree_depths_.empty() ? 0 : *tree_depths_.rbegin());
}

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
  if (Find(change.name).has_value()) {
    return Refuse(absl::StatusCode::kAlreadyExists,
                  {.reason = Reason::kSceneExists,
                   .field = "name",
                   .value = change.name,
                   .limit = "a free name",
                   .message = "There is a scene of this name; choose another one or update it."});
  }
  absl::Status status =
      CheckMost(scenes_ + 1, {"max_scenes", registry_->limits_.max_scenes},
                {.reason = Reason::kScenesFull,
                 .field = "scene",
                 .message = "There are too many scenes; delete some that are not needed."});
  if (!status.ok()) return status;
  Entry entry = {.owner = change.owner,
                 .incarnation = NewIncarnation(),
                 .revision = 1,
                 .held = {SceneRegistry::Revision{change.next}},
                 .bytes = change.next->byte_size(),
                 .ttl = change.ttl};
  status = registry_->CheckGrowth(entry, nullptr, holdings_, bytes_);
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
  if (entry->ttl.has_value()) return AnotherTookTheName(change.name);
  SceneState state = SceneRegistry::StateOf(change.name, *entry);
  if (absl::Status status = RequireEtag(change.etag, state); !status.ok()) return status;
  if (change.kind == NamedSceneChange::Kind::kUpdate) return Update(change, *entry);
  holdings_.Remove(entry->owner, entry->bytes);
  bytes_ -= entry->bytes;
  --scenes_;
  drafted_.insert_or_assign(change.name, std::nullopt);
  records_.push_back({.name = change.name, .incarnation = entry->incarnation, .change = {}});
  return state;
}

absl::StatusOr<SceneState> SceneDraft::Update(const NamedSceneChange& change, const Entry& before) {
  ScenePtr next = change.next;
  const ScenePtr& newest = before.newest();
  const bool is_as_planned = newest == change.base;
  if (!is_as_planned) {
    absl::StatusOr<ScenePtr> made = change.make_next(newest);
    if (!made.ok()) return made.status();
    next = *std::move(made);
  }
  Entry entry = before;
  registry_->Push(next, change.bytes, &entry);
  absl::Status status = registry_->CheckGrowth(entry, &before, holdings_, bytes_);
  if (!status.ok()) return status;
  holdings_.Remove(entry.owner, before.bytes);
  holdings_.Add(entry.owner, entry.bytes);
  bytes_ += entry.bytes - before.bytes;
  SceneState state = SceneRegistry::StateOf(change.name, entry);
  const bool is_whole = is_as_planned && !change.whole.empty();
  Keep(change, is_whole ? change.whole : change.record, is_whole, std::move(entry));
  return state;
}

SceneDraft::Users SceneDraft::UsersOf(std::string_view digest,
                                      absl::Span<const std::string> prefixes) const {
  Users users;
  // No scene uses a content that no scene holds.
  const RigidBodyPtr body = registry_->contents().FindBody(digest);
  if (body == nullptr) return users;
  const auto look_at = [&](const std::string& name, const Entry& entry) {
    if (entry.ttl.has_value()) return;
    if (!entry.newest()->Uses(*body)) return;
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
    if (entry.has_value()) {
      registry_->Put(name, *std::move(entry), &let_go);
    } else {
      registry_->End(name, SceneEnd::kDeleted, &let_go);
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

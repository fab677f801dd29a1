// SPDX-License-Identifier: Apache-2.0

#include "server/registry/registry.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/guard/refusal.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

absl::string_view AsAbsl(std::string_view text) { return {text.data(), text.size()}; }

constexpr OverLimit kFull = {
    .reason = Reason::kRegistryFull,
    .field = "shape",
    .message = "The registry is full; delete shapes that are no longer needed."};

// Stands for the deleter of a scene's body: the body ends with its content.
struct ContentKeeper {
  ShapeContentPtr content;
  void operator()(const RigidBody* /*body*/) { content = nullptr; }
};

// Sessions that are told to go do so immediately, except those that a worker is at.
constexpr absl::Duration kTimeToGo = absl::Milliseconds(50);

absl::Status TooMuchIsDetached(const Registry::Detached& detached, std::uint64_t most) {
  const std::string message =
      detached.will_have_room
          ? "Shapes that were deleted or replaced are still held by sessions, of which "
            "those that hold most are being ended; repeat."
          : "Shapes that were deleted or replaced are still held by scenes or tracks; "
            "delete such scenes, end such tracks.";
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kDeletedShapesHeld,
                 .field = "shape",
                 .value = FormatNumber(detached.bytes) + " bytes of deleted shapes",
                 .limit = "max_registry_bytes <= " + FormatNumber(most),
                 .message = message,
                 .retry_after = detached.will_have_room ? kTimeToGo : absl::ZeroDuration()});
}

}  // namespace

absl::Status RefuseUnknown(std::string_view field, std::string_view value) {
  return Refuse(absl::StatusCode::kNotFound,
                {.reason = Reason::kShapeNotRegistered,
                 .field = std::string(field),
                 .value = std::string(value),
                 .limit = "a registered shape",
                 .message = "No such shape is registered; register it first."});
}

absl::Status RequireReached(std::uint64_t min_revision, std::uint64_t reached,
                            std::string_view what) {
  if (reached >= min_revision) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kRevisionNotReached,
                 .field = "min_revision",
                 .value = FormatNumber(min_revision),
                 .limit = "<= " + FormatNumber(reached),
                 .message = absl::StrCat("The ", AsAbsl(what),
                                         " has not reached this revision; repeat with back-off.")});
}

Registry::Registry(const Limits& limits, Metrics* metrics, const HoldingQuotas* quotas)
    : limits_(limits),
      metrics_(metrics),
      detached_(metrics == nullptr ? nullptr : &metrics->shape_bytes_detached()),
      quotas_(quotas) {}

absl::StatusOr<Registry::Found> Registry::FindByName(std::string_view name) const {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const std::shared_lock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return RefuseUnknown("name", name);
  return Found{*found, revision_};
}

absl::StatusOr<Registry::Found> Registry::FindByDigest(
    std::string_view digest, absl::Span<const std::string> prefixes) const {
  if (absl::Status status = CheckDigest(digest, "digest"); !status.ok()) return status;
  const std::shared_lock lock(mutex_);
  const auto held = by_digest_.find(AsAbsl(digest));
  if (held == by_digest_.end()) return RefuseUnknown("digest", digest);
  const auto& names = held->second.names;
  for (const std::string& prefix : prefixes) {
    const auto name = names.lower_bound(prefix);
    if (name == names.end() || !name->starts_with(prefix)) continue;
    return Found{*by_name_.find(*name), revision_};
  }
  return RefuseUnknown("digest", digest);
}

ShapeContentPtr Registry::FindContent(std::string_view digest) const {
  const std::shared_lock lock(mutex_);
  const auto held = by_digest_.find(AsAbsl(digest));
  return held == by_digest_.end() ? nullptr : held->second.content;
}

Registry::Page Registry::List(std::string_view prefix, std::string_view after,
                              std::size_t size) const {
  Page page;
  const std::shared_lock lock(mutex_);
  page.revision = revision_;
  auto next = after < prefix ? by_name_.lower_bound(prefix) : by_name_.upper_bound(after);
  for (; next != by_name_.end() && next->name.starts_with(prefix); ++next) {
    page.is_last = page.shapes.size() < size;
    if (!page.is_last) break;
    page.shapes.push_back(*next);
  }
  return page;
}

void Registry::Follow(const std::vector<NamedShape>& names, std::uint64_t revision) {
  const std::lock_guard changing(changing_);
  Make(names, revision);
}

void Registry::Make(const std::vector<NamedShape>& names, std::uint64_t revision) {
  const std::unique_lock lock(mutex_);
  for (NamedShape change : names) {
    ShapeContentPtr old;
    if (const auto found = by_name_.find(change.name); found != by_name_.end()) {
      old = found->content;
      holdings_.Remove(found->owner, old->byte_size());
      by_name_.erase(found);
    }
    if (change.content != nullptr) {
      change.content = Hold(change.name, change.content);
      holdings_.Add(change.owner, change.content->byte_size());
      by_name_.insert(change);
    }
    if (old != nullptr && old != change.content) Release(change.name, *old);
  }
  revision_ = revision;
  if (metrics_ == nullptr) return;
  metrics_->shapes().Set(static_cast<double>(by_name_.size()));
  metrics_->shape_bytes().Set(static_cast<double>(bytes_));
  metrics_->registry_revision().Set(static_cast<double>(revision_));
}

Registry::Detached Registry::BoundDetached() {
  const std::uint64_t most = limits_.max_registry_bytes;
  const std::uint64_t bytes = LookAtDetached();
  return {bytes, bytes > most && holders_.TellToGo(detached_.Held(), most) <= most};
}

ShapeContentPtr Registry::Hold(std::string_view name, const ShapeContentPtr& content) {
  Held& held = by_digest_[content->digest];
  if (held.content == nullptr) {
    held.content = content;
    detached_.Forget(content->body.get());
    bytes_ += content->byte_size();
  }
  held.names.insert(std::string(name));
  return held.content;
}

void Registry::Release(std::string_view name, const ShapeContent& content) {
  const auto held = by_digest_.find(content.digest);
  held->second.names.erase(std::string(name));
  if (!held->second.names.empty()) return;
  bytes_ -= content.byte_size();
  detached_.Add(content.body, content.byte_size());
  by_digest_.erase(held);
}

RegistryDraft::RegistryDraft(Registry* registry)
    : registry_(registry),
      changing_(registry->changing_),
      holdings_([registry](std::string_view owner) { return registry->holdings_.Of(owner); }),
      shapes_(registry->by_name_.size()),
      bytes_(registry->bytes_),
      revision_(registry->revision_) {}

absl::StatusOr<Registry::Registration> RegistryDraft::Register(std::string_view name,
                                                               const ShapeContentPtr& content,
                                                               const RegisterOptions& options) {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const NamedShape old = Find(name);
  const bool is_named = old.content != nullptr;
  if (is_named && old.content->digest == content->digest)
    return Registry::Registration{old, revision_, false};
  if (is_named && !options.replace) {
    return Refuse(absl::StatusCode::kAlreadyExists,
                  {.reason = Reason::kShapeExists,
                   .field = "name",
                   .value = old.name,
                   .limit = "a free name, or the content " + old.content->digest,
                   .message = "The name has other content; choose another name or set `replace`."});
  }
  if (absl::Status status = CheckRoom(old, *content); !status.ok()) return status;
  if (absl::Status status = CheckQuota(old, *content, options.owner); !status.ok()) return status;
  if (options.validate_only)
    return Registry::Registration{{std::string(name), content}, revision_, false};
  const NamedShape named{std::string(name), Add(content), ++revision_, options.owner};
  if (is_named) Remove(old);
  holdings_.Add(named.owner, named.content->byte_size());
  if (!is_named) ++shapes_;
  names_.insert_or_assign(named.name, named);
  return Registry::Registration{named, revision_, true};
}

absl::StatusOr<Registry::Registration> RegistryDraft::Delete(std::string_view name,
                                                             std::string_view etag) {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const NamedShape old = Find(name);
  if (old.content == nullptr) return RefuseUnknown("name", name);
  if (!etag.empty() && old.content->digest != etag) {
    return Refuse(absl::StatusCode::kFailedPrecondition,
                  {.reason = Reason::kEtagMismatch,
                   .field = "etag",
                   .value = std::string(etag),
                   .limit = old.content->digest,
                   .message = "The name has other content by now; look at it again."});
  }
  Remove(old);
  --shapes_;
  names_.insert_or_assign(old.name, NamedShape{old.name, nullptr, ++revision_});
  return Registry::Registration{{old.name, old.content, revision_}, revision_, false};
}

RegistryChanges RegistryDraft::changes() const {
  RegistryChanges changes;
  for (const auto& [name, named] : names_) changes.names.push_back(named);
  for (const auto& [digest, use] : uses_) {
    const bool was_held = registry_->by_digest_.contains(digest);
    if (use.names > 0 && !was_held) changes.added.push_back(use.content);
    if (use.names == 0 && was_held) changes.dropped.push_back(digest);
  }
  changes.revision = revision_;
  return changes;
}

bool RegistryDraft::HasDigest(std::string_view digest) const {
  if (const auto drafted = uses_.find(digest); drafted != uses_.end())
    return drafted->second.names > 0;
  return registry_->by_digest_.contains(AsAbsl(digest));
}

NamedShape RegistryDraft::Find(std::string_view name) const {
  if (const auto drafted = names_.find(name); drafted != names_.end()) return drafted->second;
  const auto found = registry_->by_name_.find(name);
  return found == registry_->by_name_.end() ? NamedShape{} : *found;
}

RegistryDraft::Use& RegistryDraft::UseOf(const ShapeContent& content) {
  const auto [use, is_new] = uses_.try_emplace(content.digest);
  if (!is_new) return use->second;
  const auto held = registry_->by_digest_.find(content.digest);
  if (held != registry_->by_digest_.end()) {
    use->second = {held->second.content, held->second.names.size()};
  }
  return use->second;
}

absl::Status RegistryDraft::CheckRoom(const NamedShape& old, const ShapeContent& content) {
  const Limits& limits = registry_->limits_;
  const std::uint64_t shapes = shapes_ + (old.content == nullptr ? 1 : 0);
  absl::Status status = CheckMost(shapes, {"max_shapes", limits.max_shapes}, kFull);
  const bool is_new = UseOf(content).names == 0;
  if (!status.ok()) return status;
  if (is_new && !detached_.has_value()) detached_ = registry_->BoundDetached();
  if (is_new && detached_->bytes > limits.max_registry_bytes)
    return TooMuchIsDetached(*detached_, limits.max_registry_bytes);
  const std::uint64_t added = is_new ? content.byte_size() : 0;
  const bool is_last = old.content != nullptr && UseOf(*old.content).names == 1;
  const std::uint64_t bytes = bytes_ + added - (is_last ? old.content->byte_size() : 0);
  return CheckMost(bytes, {"max_registry_bytes", limits.max_registry_bytes}, kFull);
}

absl::Status RegistryDraft::CheckQuota(const NamedShape& old, const ShapeContent& content,
                                       const std::string& owner) {
  if (registry_->quotas_ == nullptr) return absl::OkStatus();
  const ShapeContentPtr& held = UseOf(content).content;
  const Holding before = holdings_.Of(owner);
  Holding after = before;
  if (old.content != nullptr && old.owner == owner) after.Remove(old.content->byte_size());
  after.Add(held == nullptr ? content.byte_size() : held->byte_size());
  return registry_->quotas_->Check(HoldingKind::kShapes, owner, before, after);
}

ShapeContentPtr RegistryDraft::Add(const ShapeContentPtr& content) {
  Use& use = UseOf(*content);
  if (use.content == nullptr) use.content = content;
  if (use.names++ == 0) bytes_ += use.content->byte_size();
  return use.content;
}

void RegistryDraft::Remove(const NamedShape& named) {
  holdings_.Remove(named.owner, named.content->byte_size());
  Use& use = UseOf(*named.content);
  if (--use.names == 0) bytes_ -= use.content->byte_size();
}

RigidBodyPtr SceneContents::Share(const ShapeContentPtr& content) {
  const std::lock_guard lock(mutex_);
  // The size may double before the next time, so an insertion costs the same on average.
  if (by_digest_.size() >= size_to_clean_at_) {
    absl::erase_if(by_digest_, [](const auto& entry) { return entry.second.expired(); });
    size_to_clean_at_ = std::max(size_to_clean_at_, 2 * by_digest_.size());
  }
  std::weak_ptr<const RigidBody>& known = by_digest_[content->digest];
  RigidBodyPtr body = known.lock();
  if (body == nullptr) known = body = RigidBodyPtr(content->body.get(), ContentKeeper{content});
  return body;
}

const ShapeContent* SceneContents::Of(const RigidBodyPtr& body) {
  const auto* const keeper = std::get_deleter<ContentKeeper>(body);
  return keeper == nullptr ? nullptr : keeper->content.get();
}

RigidBodyPtr SceneContents::FindBody(std::string_view digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_digest_.find(AsAbsl(digest));
  return found == by_digest_.end() ? nullptr : found->second.lock();
}

}  // namespace clearance::server

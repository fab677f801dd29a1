// SPDX-License-Identifier: Apache-2.0

#include "server/registry/registry_draft.h"

#include "server/guard/refusal.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

absl::Status NameTaken(std::string_view name, const ShapeContent& content) {
  return Refuse(absl::StatusCode::kAlreadyExists,
                {.reason = Reason::kShapeExists,
                 .field = "name",
                 .value = std::string(name),
                 .limit = "a free name, or the content " + content.digest,
                 .message = "The name has other content; choose another name or set `replace`."});
}

absl::Status NoRoom(const char* limit, std::uint64_t needed, std::uint64_t allowed) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kRegistryFull,
                 .field = "shape",
                 .value = FormatNumber(needed),
                 .limit = std::string(limit) + " <= " + FormatNumber(allowed),
                 .message = "The registry is full; delete shapes that are no longer needed."});
}

// Sessions that are told to go do so immediately, except those that a worker is at.
constexpr absl::Duration kTimeToGo = absl::Milliseconds(50);

absl::Status TooMuchIsDetached(std::uint64_t bytes, std::uint64_t most, bool will_have_room) {
  const std::string message =
      will_have_room ? "Shapes that were deleted or replaced are still held by sessions, of which "
                       "those that hold most are being ended; repeat."
                     : "Shapes that were deleted or replaced are still held by scenes or tracks; "
                       "delete such scenes, end such tracks.";
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kDeletedShapesHeld,
                 .field = "shape",
                 .value = FormatNumber(bytes) + " bytes of deleted shapes",
                 .limit = "max_registry_bytes <= " + FormatNumber(most),
                 .message = message,
                 .retry_after = will_have_room ? kTimeToGo : absl::ZeroDuration()});
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
  const Named old = Find(name);
  const bool is_named = old.content != nullptr;
  if (is_named && old.content->digest == content->digest) {
    return Registry::Registration{
        {std::string(name), old.content, old.revision, old.owner}, revision_, false};
  }
  if (is_named && !options.replace) return NameTaken(name, *old.content);
  if (absl::Status status = CheckRoom(old, *content); !status.ok()) return status;
  if (absl::Status status = CheckQuota(old, *content, options.owner); !status.ok()) return status;
  if (options.validate_only) {
    return Registry::Registration{{std::string(name), content, 0}, revision_, false};
  }
  const Named named{Add(content), ++revision_, options.owner};
  if (is_named) {
    holdings_.Remove(old.owner, old.content->byte_size());
    Remove(*old.content);
  }
  holdings_.Add(named.owner, named.content->byte_size());
  if (!is_named) ++shapes_;
  names_.insert_or_assign(std::string(name), named);
  return Registry::Registration{
      {std::string(name), named.content, named.revision, named.owner}, revision_, true};
}

absl::StatusOr<std::uint64_t> RegistryDraft::Delete(std::string_view name, std::string_view etag) {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const Named old = Find(name);
  if (old.content == nullptr) return RefuseUnknown("name", name);
  if (!etag.empty() && old.content->digest != etag) {
    return Refuse(absl::StatusCode::kFailedPrecondition,
                  {.reason = Reason::kEtagMismatch,
                   .field = "etag",
                   .value = std::string(etag),
                   .limit = old.content->digest,
                   .message = "The name has other content by now; look at it again."});
  }
  holdings_.Remove(old.owner, old.content->byte_size());
  Remove(*old.content);
  --shapes_;
  names_.insert_or_assign(std::string(name), Named{nullptr, ++revision_});
  return revision_;
}

RegistryChanges RegistryDraft::changes() const {
  RegistryChanges changes;
  for (const auto& [name, named] : names_) {
    changes.names.push_back({name, named.content, named.revision, named.owner});
  }
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
  return registry_->by_digest_.contains(absl::string_view(digest.data(), digest.size()));
}

RegistryDraft::Named RegistryDraft::Find(std::string_view name) const {
  if (const auto drafted = names_.find(name); drafted != names_.end()) return drafted->second;
  const auto found = registry_->by_name_.find(name);
  return found == registry_->by_name_.end() ? Named{} : found->second;
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

absl::Status RegistryDraft::CheckRoom(const Named& old, const ShapeContent& content) {
  const Limits& limits = registry_->limits_;
  const std::uint64_t shapes = shapes_ + (old.content == nullptr ? 1 : 0);
  if (shapes > limits.max_shapes) return NoRoom("max_shapes", shapes, limits.max_shapes);
  const bool is_new = UseOf(content).names == 0;
  if (is_new) {
    if (absl::Status status = CheckDetached(); !status.ok()) return status;
  }
  const std::uint64_t added = is_new ? content.byte_size() : 0;
  const bool is_last = old.content != nullptr && UseOf(*old.content).names == 1;
  const std::uint64_t bytes = bytes_ + added - (is_last ? old.content->byte_size() : 0);
  if (bytes <= limits.max_registry_bytes) return absl::OkStatus();
  return NoRoom("max_registry_bytes", bytes, limits.max_registry_bytes);
}

absl::Status RegistryDraft::CheckDetached() {
  const std::uint64_t most = registry_->limits_.max_registry_bytes;
  if (!detached_.has_value()) {
    detached_ = registry_->LookAtDetached();
    will_have_room_ = *detached_ > most && registry_->MakeRoomForDetached();
  }
  if (*detached_ <= most) return absl::OkStatus();
  return TooMuchIsDetached(*detached_, most, will_have_room_);
}

absl::Status RegistryDraft::CheckQuota(const Named& old, const ShapeContent& content,
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

void RegistryDraft::Remove(const ShapeContent& content) {
  Use& use = UseOf(content);
  if (--use.names == 0) bytes_ -= use.content->byte_size();
}

}  // namespace clearance::server

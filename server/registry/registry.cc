// SPDX-License-Identifier: Apache-2.0

#include "server/registry/registry.h"

#include <mutex>
#include <utility>

#include "server/guard/refusal.h"
#include "server/registry/digest.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

absl::string_view AsAbsl(std::string_view text) { return {text.data(), text.size()}; }

absl::Status NotFound(std::string_view field, std::string_view value) {
  return Refuse(absl::StatusCode::kNotFound,
                {.field = std::string(field),
                 .value = std::string(value),
                 .limit = "a registered shape",
                 .message = "No such shape is registered; register it first."});
}

absl::Status NameTaken(std::string_view name, const ShapeContent& content) {
  return Refuse(absl::StatusCode::kAlreadyExists,
                {.field = "name",
                 .value = std::string(name),
                 .limit = "a free name, or the content " + content.digest,
                 .message = "The name has other content; choose another name or set `replace`."});
}

absl::Status NoRoom(const char* limit, std::uint64_t needed, std::uint64_t allowed) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "shape",
                 .value = FormatNumber(needed),
                 .limit = std::string(limit) + " <= " + FormatNumber(allowed),
                 .message = "The registry is full; delete shapes that are no longer needed."});
}

}  // namespace

Registry::Registry(const Limits& limits, Metrics* metrics) : limits_(limits), metrics_(metrics) {}

absl::StatusOr<Registry::Registration> Registry::Register(std::string_view name,
                                                          const ShapeContentPtr& content,
                                                          const RegisterOptions& options) {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const std::unique_lock lock(mutex_);
  const auto found = by_name_.find(name);
  const Named* const old = found == by_name_.end() ? nullptr : &found->second;
  if (old != nullptr && old->content->digest == content->digest) {
    return Registration{{std::string(name), old->content, old->revision}, revision_, false};
  }
  if (old != nullptr && !options.replace) return NameTaken(name, *old->content);
  if (absl::Status status = CheckRoom(old, *content); !status.ok()) return status;
  if (options.validate_only) return Registration{{std::string(name), content, 0}, revision_, false};

  const Named named{Hold(name, content), ++revision_};
  if (old != nullptr) Release(name, *old->content);
  by_name_.insert_or_assign(std::string(name), named);
  ReportSize();
  return Registration{{std::string(name), named.content, named.revision}, revision_, true};
}

absl::StatusOr<Registry::Found> Registry::FindByName(std::string_view name) const {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const std::shared_lock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return NotFound("name", name);
  return Found{{found->first, found->second.content, found->second.revision}, revision_};
}

absl::StatusOr<Registry::Found> Registry::FindByDigest(std::string_view digest) const {
  if (absl::Status status = CheckDigest(digest, "digest"); !status.ok()) return status;
  const std::shared_lock lock(mutex_);
  const auto held = by_digest_.find(AsAbsl(digest));
  if (held == by_digest_.end()) return NotFound("digest", digest);
  const auto named = by_name_.find(*held->second.names.begin());
  return Found{{named->first, named->second.content, named->second.revision}, revision_};
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
  for (; next != by_name_.end() && next->first.starts_with(prefix); ++next) {
    page.is_last = page.shapes.size() < size;
    if (!page.is_last) break;
    page.shapes.push_back({next->first, next->second.content, next->second.revision});
  }
  return page;
}

absl::StatusOr<std::uint64_t> Registry::Delete(std::string_view name,
                                               std::string_view expected_digest) {
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  const std::unique_lock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return NotFound("name", name);
  const ShapeContentPtr content = found->second.content;
  if (!expected_digest.empty() && content->digest != expected_digest) {
    return Refuse(absl::StatusCode::kFailedPrecondition,
                  {.field = "expected_digest",
                   .value = std::string(expected_digest),
                   .limit = content->digest,
                   .message = "The name has other content by now; look at it again."});
  }
  Release(name, *content);
  by_name_.erase(found);
  ++revision_;
  ReportSize();
  return revision_;
}

std::uint64_t Registry::revision() const {
  const std::shared_lock lock(mutex_);
  return revision_;
}

absl::Status Registry::RequireRevision(std::uint64_t min_revision) const {
  const std::uint64_t reached = revision();
  if (reached >= min_revision) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.field = "min_revision",
                 .value = FormatNumber(min_revision),
                 .limit = "<= " + FormatNumber(reached),
                 .message = "The registry has not reached this revision; repeat with back-off."});
}

absl::Status Registry::CheckRoom(const Named* replaced, const ShapeContent& content) const {
  const std::uint64_t shapes = by_name_.size() + (replaced == nullptr ? 1 : 0);
  if (shapes > limits_.max_shapes) return NoRoom("max_shapes", shapes, limits_.max_shapes);
  const bool is_held = by_digest_.contains(content.digest);
  const std::uint64_t added = is_held ? 0 : content.byte_size();
  const std::uint64_t bytes =
      bytes_ + added - (replaced == nullptr ? 0 : FreedBy(*replaced->content));
  if (bytes > limits_.max_registry_bytes) {
    return NoRoom("max_registry_bytes", bytes, limits_.max_registry_bytes);
  }
  return absl::OkStatus();
}

std::uint64_t Registry::FreedBy(const ShapeContent& content) const {
  const bool has_other_names = by_digest_.find(content.digest)->second.names.size() > 1;
  return has_other_names ? 0 : content.byte_size();
}

ShapeContentPtr Registry::Hold(std::string_view name, const ShapeContentPtr& content) {
  Held& held = by_digest_[content->digest];
  if (held.content == nullptr) {
    held.content = content;
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
  by_digest_.erase(held);
}

void Registry::ReportSize() const {
  if (metrics_ == nullptr) return;
  metrics_->shapes().Set(static_cast<double>(by_name_.size()));
  metrics_->shape_bytes().Set(static_cast<double>(bytes_));
  metrics_->registry_revision().Set(static_cast<double>(revision_));
}

}  // namespace clearance::server

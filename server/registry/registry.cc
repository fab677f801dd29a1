// SPDX-License-Identifier: Apache-2.0

#include "server/registry/registry.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/guard/refusal.h"
#include "server/registry/digest.h"
#include "server/registry/registry_draft.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

absl::string_view AsAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

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
  return Found{ShapeOf(*found), revision_};
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
    return Found{ShapeOf(*by_name_.find(*name)), revision_};
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
  for (; next != by_name_.end() && next->first.starts_with(prefix); ++next) {
    page.is_last = page.shapes.size() < size;
    if (!page.is_last) break;
    page.shapes.push_back(ShapeOf(*next));
  }
  return page;
}

void Registry::Follow(const std::vector<NamedShape>& names, std::uint64_t revision) {
  const std::lock_guard changing(changing_);
  Make(names, revision);
}

void Registry::Make(const std::vector<NamedShape>& names, std::uint64_t revision) {
  const std::unique_lock lock(mutex_);
  for (const NamedShape& change : names) {
    const auto found = by_name_.find(change.name);
    const ShapeContentPtr old = found == by_name_.end() ? nullptr : found->second.content;
    if (old != nullptr) holdings_.Remove(found->second.owner, old->byte_size());
    if (change.content != nullptr) {
      Put(change.name, {change.content, change.revision, change.owner});
    } else if (old != nullptr) {
      by_name_.erase(found);
    }
    if (old != nullptr && old != change.content) Release(change.name, *old);
  }
  revision_ = revision;
  ReportSize();
}

bool Registry::MakeRoomForDetached() {
  const std::uint64_t most = limits_.max_registry_bytes;
  return holders_.TellToGo(detached_.Held(), most) <= most;
}

void Registry::BoundDetached() {
  if (LookAtDetached() > limits_.max_registry_bytes) MakeRoomForDetached();
}

NamedShape Registry::ShapeOf(const NameMap::value_type& entry) {
  const auto& [name, named] = entry;
  return {name, named.content, named.revision, named.owner};
}

void Registry::Put(const std::string& name, Named named) {
  named.content = Hold(name, named.content);
  holdings_.Add(named.owner, named.content->byte_size());
  by_name_.insert_or_assign(name, std::move(named));
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

void Registry::ReportSize() const {
  if (metrics_ == nullptr) return;
  metrics_->shapes().Set(static_cast<double>(by_name_.size()));
  metrics_->shape_bytes().Set(static_cast<double>(bytes_));
  metrics_->registry_revision().Set(static_cast<double>(revision_));
}

}  // namespace clearance::server

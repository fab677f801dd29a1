// SPDX-License-Identifier: Apache-2.0

#include "server/registry/caller_registry.h"

#include <string>
#include <utility>
#include <vector>

#include "server/guard/refusal.h"
#include "server/registry/prefix_overlap.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
absl::StatusOr<RegisterOptions> CallerRegistry::AllowRegister(
    std::string_view name, const RegisterOptions& options) const {
  if (absl::Status status = RequireReach(name); !status.ok()) return status;
  RegisterOptions allowed = options;
  allowed.replace = options.replace && RequireReplace().ok();
  allowed.owner = caller_.owner();
  return allowed;
}

absl::StatusOr<Registry::Registration> CallerRegistry::ConcludeRegister(
    const AskedRegistration& asked, absl::StatusOr<Registry::Registration> registered) const {
  const bool would_replace =
      asked.options.replace && registered.status().code() == absl::StatusCode::kAlreadyExists;
  if (would_replace) {
    if (absl::Status status = RequireReplace(); !status.ok()) registered = status;
  }
  if (asked.options.validate_only) return registered;
  const bool is_changed = registered.ok() && registered->created;
  WriteAudit({.action = asked.options.replace ? "replace" : "register",
              .name = asked.name,
              .digest = asked.digest,
              .revision = is_changed ? registered->shape.revision : 0,
              .outcome = is_changed ? "changed" : "unchanged"},
             registered.status());
  return registered;
}

void CallerRegistry::ConcludeDelete(std::string_view name,
                                    const absl::StatusOr<Registry::Registration>& deleted) const {
  const bool has_content = deleted.ok() && deleted->shape.content != nullptr;
  WriteAudit({.action = "delete",
              .name = name,
              .digest = has_content ? std::string_view(deleted->shape.content->digest) : "",
              .revision = deleted.ok() ? deleted->revision : 0,
              .outcome = "changed"},
             deleted.status());
}

absl::StatusOr<Registry::Found> CallerRegistry::FindByName(std::string_view name) const {
  if (absl::Status status = RequireReach(name); !status.ok()) return status;
  return registry_.FindByName(name);
}

absl::StatusOr<Registry::Found> CallerRegistry::FindByDigest(std::string_view digest) const {
  if (caller_.principal == nullptr || caller_.principal->prefixes.empty()) {
    return registry_.FindByDigest(digest);
  }
  return registry_.FindByDigest(digest, caller_.principal->prefixes);
}

// The prefixes are disjoint and sorted, so their pages one after another are in the order of the
// names, and `after` lies behind all prefixes before its own.
absl::StatusOr<Registry::Page> CallerRegistry::List(std::string_view prefix, std::string_view after,
                                                    std::size_t size) const {
  if (caller_.principal == nullptr || caller_.principal->prefixes.empty()) {
    return registry_.List(prefix, after, size);
  }
  const std::vector<std::string_view> overlap = PrefixOverlap(prefix, caller_.principal->prefixes);
  if (overlap.empty()) return RequireName(*caller_.principal, prefix, "prefix");
  return ListWithin(overlap, size, &Registry::Page::shapes,
                    [&](std::string_view within, std::size_t most) {
                      return registry_.List(within, after, most);
                    });
}

absl::Status CallerRegistry::RequireReach(std::string_view name) const {
  if (caller_.principal == nullptr) return absl::OkStatus();
  if (absl::Status status = CheckShapeName(name, "name"); !status.ok()) return status;
  return RequireName(*caller_.principal, name, "name");
}

absl::Status CallerRegistry::RequireReplace() const {
  if (caller_.principal == nullptr) return absl::OkStatus();
  return RequireRole(*caller_.principal, Role::kAdmin, "replace");
}

void CallerRegistry::WriteAudit(RegistryChange change, const absl::Status& status) const {
  if (audit_ == nullptr) return;
  const std::string code = absl::StatusCodeToString(status.code());
  if (!status.ok()) change.outcome = code;
  audit_->Write(caller_, change);
}

}  // namespace clearance::server

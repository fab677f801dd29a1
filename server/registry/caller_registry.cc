// SPDX-License-Identifier: Apache-2.0

#include "server/registry/caller_registry.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "server/guard/refusal.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

absl::Status RequireNameOf(const Caller& caller, std::string_view name, std::string_view field) {
  if (absl::Status status = CheckShapeName(name, field); !status.ok()) return status;
  if (caller.principal == nullptr) return absl::OkStatus();
  return RequireName(*caller.principal, name, field);
}

absl::Status RequireAdmin(const Caller& caller, std::string_view field) {
  if (caller.principal == nullptr) return absl::OkStatus();
  return RequireRole(*caller.principal, Role::kAdmin, field);
}

auto& ItemsOf(Registry::Page& page) { return page.shapes; }
auto& ItemsOf(SceneRegistry::Page& page) { return page.scenes; }

// Returns the caller's part of a listing of `prefix`; `list(prefix, size)` returns a page of all.
// The caller's prefixes are disjoint and sorted, so their pages one after another are in the order
// of the names.
template <class Page, class List>
absl::StatusOr<Page> ListFor(const Caller& caller, std::string_view prefix, std::size_t size,
                             const List& list) {
  if (caller.principal == nullptr || caller.principal->prefixes.empty()) return list(prefix, size);
  std::vector<std::string_view> prefixes;
  for (const std::string_view allowed : caller.principal->prefixes) {
    if (prefix.starts_with(allowed)) return list(prefix, size);
    if (allowed.starts_with(prefix)) prefixes.push_back(allowed);
  }
  if (prefixes.empty()) return RequireName(*caller.principal, prefix, "prefix");
  Page page = list(prefixes.front(), size);
  for (std::size_t i = 1; i < prefixes.size() && page.is_last; ++i) {
    // One more than fits tells whether this page is the last.
    auto& all = ItemsOf(page);
    Page next = list(prefixes[i], size - all.size() + 1);
    auto& more = ItemsOf(next);
    page.is_last = all.size() + more.size() <= size;
    if (!page.is_last) more.resize(size - all.size());
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return page;
}

void WriteLine(Log* audit, const Caller& caller, RegistryChange change,
               const absl::Status& status) {
  if (audit == nullptr) return;
  const std::string code = absl::StatusCodeToString(status.code());
  if (!status.ok()) change.outcome = code;
  WriteAudit(*audit, caller, change);
}

}  // namespace

absl::StatusOr<RegisterOptions> CallerRegistry::AllowRegister(
    std::string_view name, const RegisterOptions& options) const {
  if (absl::Status status = RequireReach(name); !status.ok()) return status;
  RegisterOptions allowed = options;
  allowed.replace = options.replace && RequireAdmin(caller_, "replace").ok();
  allowed.owner = caller_.owner();
  return allowed;
}

absl::StatusOr<Registry::Registration> CallerRegistry::ConcludeRegister(
    std::string_view name, const RegisterOptions& asked,
    absl::StatusOr<Registry::Registration> registered) const {
  if (asked.replace && absl::IsAlreadyExists(registered.status())) {
    if (absl::Status status = RequireAdmin(caller_, "replace"); !status.ok()) registered = status;
  }
  if (asked.validate_only) return registered;
  const bool is_changed = registered.ok() && registered->created;
  WriteLine(audit_, caller_,
            {.action = asked.replace ? "replace" : "register",
             .name = name,
             .digest = registered.ok() ? std::string_view(registered->shape.content->digest) : "",
             .revision = is_changed ? registered->shape.revision : 0,
             .outcome = is_changed ? "changed" : "unchanged"},
            registered.status());
  return registered;
}

absl::Status CallerRegistry::RequireReach(std::string_view name) const {
  return caller_.principal == nullptr ? absl::OkStatus() : RequireNameOf(caller_, name, "name");
}

void CallerRegistry::ConcludeDelete(std::string_view name,
                                    const absl::StatusOr<Registry::Registration>& deleted) const {
  const bool has_content = deleted.ok() && deleted->shape.content != nullptr;
  WriteLine(audit_, caller_,
            {.action = "delete",
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
  const bool is_bounded = caller_.principal != nullptr && !caller_.principal->prefixes.empty();
  return is_bounded ? registry_.FindByDigest(digest, caller_.principal->prefixes)
                    : registry_.FindByDigest(digest);
}

absl::StatusOr<Registry::Page> CallerRegistry::List(std::string_view prefix, std::string_view after,
                                                    std::size_t size) const {
  return ListFor<Registry::Page>(caller_, prefix, size,
                                 [&](std::string_view within, std::size_t most) {
                                   return registry_.List(within, after, most);
                                 });
}

absl::Status CallerScenes::RequireReach(std::string_view name, std::string_view field) const {
  return RequireNameOf(caller_, name, field);
}

absl::StatusOr<SceneState> CallerScenes::Find(std::string_view name, std::string_view field,
                                              std::uint64_t revision) const {
  if (absl::Status status = RequireReach(name, field); !status.ok()) return status;
  absl::StatusOr<SceneState> found = registry_.Find(name, revision);
  if (absl::IsNotFound(found.status())) return RefuseUnknownScene(field, name);
  return found;
}

absl::StatusOr<SceneRegistry::Page> CallerScenes::List(std::string_view prefix,
                                                       std::string_view after,
                                                       std::size_t size) const {
  return ListFor<SceneRegistry::Page>(caller_, prefix, size,
                                      [&](std::string_view within, std::size_t most) {
                                        return registry_.List(within, after, most);
                                      });
}

absl::Status CallerScenes::RequireDelete(const SceneState& scene) const {
  return scene.ttl.has_value() ? absl::OkStatus() : RequireAdmin(caller_, "name");
}

void CallerScenes::WriteAudit(std::string_view action, std::string_view name,
                              const absl::StatusOr<SceneState>& outcome) const {
  const std::string etag = outcome.ok() ? outcome->etag() : "";
  WriteLine(audit_, caller_,
            {.action = action,
             .name = name,
             .digest = etag,
             .revision = outcome.ok() ? outcome->revision : 0,
             .outcome = "changed"},
            outcome.status());
}

}  // namespace clearance::server

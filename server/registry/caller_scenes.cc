// SPDX-License-Identifier: Apache-2.0

#include "server/registry/caller_scenes.h"

#include <string>
#include <vector>

#include "server/guard/refusal.h"
#include "server/registry/prefix_overlap.h"
#include "server/registry/shape_name.h"

namespace clearance::server {

absl::Status CallerScenes::RequireReach(std::string_view name, std::string_view field) const {
  if (absl::Status status = CheckShapeName(name, field); !status.ok()) return status;
  if (caller_.principal == nullptr) return absl::OkStatus();
  return RequireName(*caller_.principal, name, field);
}

absl::StatusOr<SceneState> CallerScenes::Find(std::string_view name, std::string_view field,
                                              std::uint64_t revision) const {
  if (absl::Status status = RequireReach(name, field); !status.ok()) return status;
  absl::StatusOr<SceneState> found = registry_.Find(name, revision);
  if (found.status().code() == absl::StatusCode::kNotFound) return RefuseUnknownScene(field, name);
  return found;
}

// The same as CallerRegistry::List.
absl::StatusOr<SceneRegistry::Page> CallerScenes::List(std::string_view prefix,
                                                       std::string_view after,
                                                       std::size_t size) const {
  if (caller_.principal == nullptr || caller_.principal->prefixes.empty()) {
    return registry_.List(prefix, after, size);
  }
  const std::vector<std::string_view> overlap = PrefixOverlap(prefix, caller_.principal->prefixes);
  if (overlap.empty()) return RequireName(*caller_.principal, prefix, "prefix");
  return ListWithin(overlap, size, &SceneRegistry::Page::scenes,
                    [&](std::string_view within, std::size_t most) {
                      return registry_.List(within, after, most);
                    });
}

absl::Status CallerScenes::RequireDelete(const SceneState& scene) const {
  if (caller_.principal == nullptr || scene.ttl.has_value()) return absl::OkStatus();
  return RequireRole(*caller_.principal, Role::kAdmin, "name");
}

void CallerScenes::WriteAudit(std::string_view action, std::string_view name,
                              const absl::StatusOr<SceneState>& outcome) const {
  if (audit_ == nullptr) return;
  const std::string code = absl::StatusCodeToString(outcome.status().code());
  const std::string etag = outcome.ok() ? outcome->etag() : "";
  audit_->Write(caller_, {.action = action,
                          .name = name,
                          .digest = etag,
                          .revision = outcome.ok() ? outcome->revision : 0,
                          .outcome = outcome.ok() ? std::string_view("changed") : code});
}

absl::Status RequireReached(std::uint64_t min_revision, const SceneState& state) {
  if (state.revision >= min_revision) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kRevisionNotReached,
                 .field = "min_revision",
                 .value = FormatNumber(min_revision),
                 .limit = "<= " + FormatNumber(state.revision),
                 .message = "The scene has not reached this revision; repeat with back-off."});
}

}  // namespace clearance::server

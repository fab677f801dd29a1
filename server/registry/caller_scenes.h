// SPDX-License-Identifier: Apache-2.0
//
// The scenes as one caller may reach them. As CallerRegistry for shapes, it restricts the caller's
// principal to its prefixes and writes the audit lines.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/guard/caller.h"
#include "server/guard/caller_log.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// As thread-safe as the registry. All constructor arguments outlive it; a null audit writes
// nothing.
class CallerScenes {
 public:
  CallerScenes(SceneRegistry& registry, const Caller& caller, const Audit* audit)
      : registry_(registry), caller_(caller), audit_(audit) {}

  // INVALID_ARGUMENT if `field` holds no name, PERMISSION_DENIED for one outside the prefixes.
  absl::Status RequireReach(std::string_view name, std::string_view field) const;

  // The same as the registry's methods; `field` is the source of the name.
  absl::StatusOr<SceneState> Find(std::string_view name, std::string_view field,
                                  std::uint64_t revision = 0) const;
  absl::StatusOr<SceneRegistry::Page> List(std::string_view prefix, std::string_view after,
                                           std::size_t size) const;

  // Allows only an admin to delete a kept scene.
  absl::Status RequireDelete(const SceneState& scene) const;

  // Writes a line for every attempt to create, fork or delete a scene or to change a kept one.
  // Changes in memory are as frequent as movements, and leave no line.
  void WriteAudit(std::string_view action, std::string_view name,
                  const absl::StatusOr<SceneState>& outcome) const;

  // Requires: the name is in reach.
  SceneRegistry& nameless() const { return registry_; }

 private:
  SceneRegistry& registry_;
  const Caller& caller_;
  const Audit* const audit_;
};

// FAILED_PRECONDITION while the scene is not at this revision.
absl::Status RequireReached(std::uint64_t min_revision, const SceneState& state);

}  // namespace clearance::server

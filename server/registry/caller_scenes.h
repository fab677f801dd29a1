// SPDX-License-Identifier: Apache-2.0
//
// The scenes as one caller may reach them, as CallerRegistry is for shapes: it holds the caller's
// principal to its prefixes and writes the audit lines.

#ifndef CLEARANCE_SERVER_REGISTRY_CALLER_SCENES_H_
#define CLEARANCE_SERVER_REGISTRY_CALLER_SCENES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/guard/audit.h"
#include "server/guard/caller.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// As thread-safe as the registry. All that it is made of outlives it; a null audit writes nothing.
class CallerScenes {
 public:
  CallerScenes(SceneRegistry& registry, const Caller& caller, const Audit* audit)
      : registry_(registry), caller_(caller), audit_(audit) {}

  // INVALID_ARGUMENT where `field` holds no name, PERMISSION_DENIED of one outside the prefixes.
  absl::Status RequireReach(std::string_view name, std::string_view field) const;

  // As the registry does; `field` is where the name comes from.
  absl::StatusOr<SceneState> Find(std::string_view name, std::string_view field,
                                  std::uint64_t revision = 0) const;
  absl::StatusOr<SceneRegistry::Page> List(std::string_view prefix, std::string_view after,
                                           std::size_t size) const;

  // A kept scene is for an admin to delete.
  absl::Status RequireDelete(const SceneState& scene) const;

  // Of every attempt to make, fork or delete a scene or to change a kept one. What happens in
  // memory comes as often as things move, and leaves no line.
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

#endif  // CLEARANCE_SERVER_REGISTRY_CALLER_SCENES_H_

// SPDX-License-Identifier: Apache-2.0
//
// The shapes and scenes as one caller may reach them: the only path from a method to a name. It
// restricts the caller's principal to its prefixes at every look-up and change, asks for the role
// that some changes require, and writes the audit lines. Changes are made elsewhere. The role that
// a method requires as a whole was checked before.
//
// A name outside the prefixes is PERMISSION_DENIED whether or not it is registered. A digest that
// only such names have is NOT_FOUND. A list leaves them out.

#pragma once

#include "server/guard/caller.h"
#include "server/guard/caller_log.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// As thread-safe as the registry. Each method does the same as the registry's method of that name.
class CallerRegistry {
 public:
  // All arguments outlive this; the caller's principal may change. A null audit writes nothing.
  CallerRegistry(const Registry& registry, const Caller& caller, Log* audit)
      : registry_(registry), caller_(caller), audit_(audit) {}

  // Returns, before a registration, the options that the caller may have. Only the change itself
  // shows whether a name would be replaced. So a caller that may not replace gets a plain
  // registration. If that finds the name taken, the caller's role is the reason of the refusal.
  absl::StatusOr<RegisterOptions> AllowRegister(std::string_view name,
                                                const RegisterOptions& options) const;
  // Returns, after the registration or its refusal, the reply to the caller. Writes the audit line.
  absl::StatusOr<Registry::Registration> ConcludeRegister(
      std::string_view name, const RegisterOptions& asked,
      absl::StatusOr<Registry::Registration> registered) const;

  // Must be asked before a deletion. INVALID_ARGUMENT if it is no name, PERMISSION_DENIED for one
  // outside the prefixes.
  absl::Status RequireReach(std::string_view name) const;
  // Writes the audit line of a deletion, whose outcome holds the deleted content.
  void ConcludeDelete(std::string_view name,
                      const absl::StatusOr<Registry::Registration>& deleted) const;

  absl::StatusOr<Registry::Found> FindByName(std::string_view name) const;
  absl::StatusOr<Registry::Found> FindByDigest(std::string_view digest) const;
  absl::StatusOr<Registry::Page> List(std::string_view prefix, std::string_view after,
                                      std::size_t size) const;

  // Returns the registry for uses without names: revisions, and contents that need not be built
  // again.
  const Registry& nameless() const { return registry_; }

 private:
  const Registry& registry_;
  const Caller& caller_;
  Log* const audit_;
};

// The same for scenes.
class CallerScenes {
 public:
  CallerScenes(const SceneRegistry& registry, const Caller& caller, Log* audit)
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

 private:
  const SceneRegistry& registry_;
  const Caller& caller_;
  Log* const audit_;
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// The registries of shapes and scenes that follow the commits of other servers.

#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/app/restore_scenes.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shared_registry.h"

namespace clearance::server {

class SharedMirror final : public RegistryMirror {
 public:
  // Both outlive this.
  SharedMirror(Registry* shapes, SceneRegistry* scenes) : shapes_(shapes), scenes_(scenes) {}

  absl::Status Apply(const FollowedCommit& commit) override;
  absl::Status Reload(SharedStore* store) override;

 private:
  using Contents = absl::flat_hash_map<std::string, ShapeContentPtr>;

  // Returns the content of this digest from the registry or, if it has none, from `added`.
  ShapeContentPtr Find(const std::string& digest, const Contents& added) const;
  absl::StatusOr<SceneRegistry::Kept> PlayOne(const RecordPlayer& player, const SceneRecord& record,
                                              const SceneRegistry::Kept& before) const;
  absl::StatusOr<std::vector<SceneRegistry::Kept>> Play(const std::vector<SceneRecord>& records,
                                                        const Contents& added) const;
  absl::StatusOr<Contents> ReadNew(const StoredNames& names, const SharedStore& store) const;
  // Returns the changes that make the registry of shapes equal to `names`.
  absl::StatusOr<RegistryChanges> DifferenceTo(const StoredNames& names,
                                               const Contents& added) const;
  std::vector<SceneRegistry::Kept> DifferenceTo(std::vector<SceneRegistry::Kept> scenes) const;

  Registry* const shapes_;
  SceneRegistry* const scenes_;
};

}  // namespace clearance::server

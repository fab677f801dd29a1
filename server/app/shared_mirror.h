// SPDX-License-Identifier: Apache-2.0
//
// The registries of shapes and scenes as they follow what other servers commit.

#ifndef CLEARANCE_SERVER_APP_SHARED_MIRROR_H_
#define CLEARANCE_SERVER_APP_SHARED_MIRROR_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/app/restore_scenes.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/registry_mirror.h"

namespace clearance::server {

class SharedMirror final : public RegistryMirror {
 public:
  // Both outlive this.
  SharedMirror(Registry* shapes, SceneRegistry* scenes) : shapes_(shapes), scenes_(scenes) {}

  absl::Status Apply(const FollowedCommit& commit) override;
  absl::Status Reload(SharedStore* store) override;

 private:
  using Contents = absl::flat_hash_map<std::string, ShapeContentPtr>;

  // Of the registry as it is or, where it has none of this digest, of those that come.
  ShapeContentPtr Find(const std::string& digest, const Contents& added) const;
  absl::StatusOr<SceneRegistry::Followed> PlayOne(const RecordPlayer& player,
                                                  const SceneRecord& record,
                                                  const SceneRegistry::Followed& before) const;
  absl::StatusOr<std::vector<SceneRegistry::Followed>> Play(const std::vector<SceneRecord>& records,
                                                            const Contents& added) const;
  absl::StatusOr<Contents> ReadNew(const StoredNames& names, const SharedStore& store) const;
  // What makes the registry of shapes what the names say.
  absl::StatusOr<RegistryChanges> DifferenceTo(const StoredNames& names,
                                               const Contents& added) const;
  std::vector<SceneRegistry::Followed> DifferenceTo(
      const std::vector<SceneRegistry::Stored>& scenes) const;

  Registry* const shapes_;
  SceneRegistry* const scenes_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_SHARED_MIRROR_H_

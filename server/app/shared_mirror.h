// SPDX-License-Identifier: Apache-2.0
//
// The registries of shapes and scenes that follow the commits of other servers.

#pragma once

#include "absl/status/status.h"
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
  Registry* const shapes_;
  SceneRegistry* const scenes_;
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// From what is stored to the registries that queries read.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/scene/scene.h"
#include "core/shape/rigid_body.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shape_store.h"
#include "server/storage/shared_registry.h"

namespace clearance::server {

// DATA_LOSS if the digest is not that of the shape, or the body cannot be read.
absl::StatusOr<ShapeContentPtr> ReadStored(const StoredContent& stored);

// Returns the content of a digest; null: there is none.
using FindContent = std::function<ShapeContentPtr(const std::string& digest)>;

// DATA_LOSS if a name, its revision or its owner cannot be, or it has no content.
absl::StatusOr<std::vector<NamedShape>> ReadStored(const std::vector<StoredName>& stored,
                                                   std::uint64_t revision, const FindContent& find);

// Reads all shapes, on so many threads. DATA_LOSS if a digest is not that of its shape, a body
// cannot be read, or names and contents do not belong together; the registry is as it was then.
// Requires: the registry is empty.
absl::Status RestoreShapes(int threads, ShapeSource* store, Registry* registry);

// Returns the scene that the record makes of the one before, with the bytes of this record alone,
// and with bodies of `contents`. DATA_LOSS if it does not follow on that scene, or cannot be read.
absl::StatusOr<SceneRegistry::Kept> PlayRecord(const SceneRecord& record,
                                               const SceneRegistry::Kept& before,
                                               const FindContent& find, SceneContents* contents);

// DATA_LOSS if the scene has a body whose shape was not found.
absl::Status RequireWhole(const SceneRegistry::Kept& scene);

// Returns all scenes that the store holds, as they were stored last. DATA_LOSS as below.
absl::StatusOr<std::vector<SceneRegistry::Kept>> ReadStoredScenes(ShapeSource* store,
                                                                  const FindContent& find,
                                                                  SceneContents* contents);

// Reads the newest revision of each scene; those before it are forgotten. DATA_LOSS if records do
// not follow on each other, cannot be read, or leave a body whose shape is not registered; `scenes`
// is as it was then. Requires: the shapes are restored; `scenes` is empty.
absl::Status RestoreScenes(ShapeSource* store, const Registry& shapes, SceneRegistry* scenes);

// The registries of shapes and scenes that follow the commits of other servers.
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

// The parts that a server joins the shared registry with. All outlive the result.
struct JoinParts {
  const EtcdConfig& config;
  Registry* shapes;
  SceneRegistry* scenes;
  Metrics* metrics;
  Log* log;
  int threads;                     // that read shapes
  std::function<bool()> is_ended;  // true: the wait for the store ends
};

// Reads the registry that servers share in etcd, once it answers. If a revision is compacted away
// while it is read, the newer state is read instead. Only defined in a build with CLEARANCE_ETCD.
absl::StatusOr<std::unique_ptr<SharedRegistry>> JoinRegistry(const JoinParts& parts);

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// From the records that are stored of scenes to the scenes themselves.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/scene/scene.h"
#include "core/shape/rigid_body.h"
#include "server/config/limits.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// Plays records of scenes.
class RecordPlayer {
 public:
  // The content of a digest; null: there is none.
  using Find = std::function<ShapeContentPtr(const std::string& digest)>;
  // `contents` outlives this.
  RecordPlayer(Find find, SceneContents* contents);

  // The revision that the record makes of the one before. DATA_LOSS where it cannot be read.
  absl::StatusOr<ScenePtr> Play(const SceneRecord& record, const ScenePtr& before) const;
  // DATA_LOSS where a body's shape was not found.
  absl::Status RequireWhole(const std::string& name, const Scene& scene) const;

 private:
  const Find find_;
  SceneContents* const contents_;
  // Stands for a shape that was deleted since: as long as a later record takes the body away again,
  // nothing is lost. A point is somewhere wherever a shape can be.
  const RigidBodyPtr missing_;
};

// All scenes that the store holds, as they were stored last. DATA_LOSS as below.
absl::StatusOr<std::vector<SceneRegistry::Kept>> ReadStoredScenes(ShapeSource* store,
                                                                  RecordPlayer::Find find,
                                                                  SceneContents* contents);

// The newest revision of each scene; those before it are forgotten. DATA_LOSS where records do not
// follow on each other, cannot be read, or leave a body whose shape is not registered; `scenes` is
// as it was then. Requires: the shapes are restored; `scenes` is empty.
absl::Status RestoreScenes(ShapeSource* store, const Registry& shapes, SceneRegistry* scenes);

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// From the records that are stored of scenes to the scenes themselves.

#ifndef CLEARANCE_SERVER_APP_RESTORE_SCENES_H_
#define CLEARANCE_SERVER_APP_RESTORE_SCENES_H_

#include "absl/status/status.h"
#include "server/config/limits.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// The newest revision of each scene; those before it are forgotten. DATA_LOSS where records do not
// follow on each other, cannot be read, or leave a body whose shape is not registered; `scenes` is
// as it was then. Requires: the shapes are restored; `scenes` is empty.
absl::Status RestoreScenes(ShapeStore* store, const Registry& shapes, SceneRegistry* scenes);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_RESTORE_SCENES_H_

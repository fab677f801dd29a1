// SPDX-License-Identifier: Apache-2.0
//
// Scenes between the plain structs of the library and the generated messages.

#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/scene.h"
#include "clearance/scene_query.h"
#include "clearance/v1/scene.pb.h"
#include "clearance/v1/scene_query.pb.h"

namespace clearance::client {

void ToProto(const SceneChange& change, v1::SceneChange* proto);
void ToProto(const OpenScene& open, v1::OpenScene* proto);
void ToProto(const ChangeBodies& change, v1::ChangeBodies* proto);

SceneInfo FromProto(const v1::SceneInfo& proto);
// INVALID_ARGUMENT where a shape is neither named nor told by its digest.
absl::StatusOr<SceneChange> FromProto(const v1::SceneChange& proto);

// Adds the bodies and rules of a page to those before it.
absl::Status AppendContent(const v1::SceneChange& page, SceneChange* content);

}  // namespace clearance::client

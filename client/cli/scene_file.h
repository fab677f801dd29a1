// SPDX-License-Identifier: Apache-2.0
//
// Scenes as files: the JSON form of clearance.v1.SceneChange.

#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "clearance/scene.h"

namespace clearance::client {

// INVALID_ARGUMENT where the text is no such JSON, or holds inline shapes.
absl::StatusOr<SceneChange> ParseSceneChange(const std::string& json);
std::string FormatSceneChange(const SceneChange& change);

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// Scenes as files: the JSON form of clearance.v1.SceneChange, and lists of poses of meshes.

#ifndef CLEARANCE_CLIENT_CLI_SCENE_FILE_H_
#define CLEARANCE_CLIENT_CLI_SCENE_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "clearance/scene.h"

namespace clearance::client {

// INVALID_ARGUMENT where the text is no such JSON, or holds inline shapes.
absl::StatusOr<SceneChange> ParseSceneChange(const std::string& json);
std::string FormatSceneChange(const SceneChange& change);

// Of `[{"mesh": FILE, "pose": [7 numbers], "id": N, "margin": M}, …]`: a body for each, whose
// shapes are named by their files, each file once. Without a pose a body stands at the origin,
// without an id it has the row's number, or where another row says that one the lowest behind the
// list that none says; without a margin 0. INVALID_ARGUMENT naming the row, also where it says the
// id of another.
absl::StatusOr<SceneChange> ParsePoses(const std::string& json);
// Of a file, which errors name.
absl::StatusOr<SceneChange> ReadPoses(const std::string& file);

// A file's name as that of a shape: in small letters, what is no character of names a dash.
std::string ShapeNameOfFile(const std::string& file);

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_SCENE_FILE_H_

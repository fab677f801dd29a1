// SPDX-License-Identifier: Apache-2.0
//
// Lists of meshes and of the poses where they stand, in JSON.

#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clearance/scene.h"
#include "client/cli/mesh_options.h"

namespace clearance::client {

// A file that bodies have their shape from, and how it is read.
struct PlacedMesh {
  std::string file;
  std::string name;  // that its shape is to have
  MeshOptions options;
};

struct Places {
  std::vector<PlacedMesh> meshes;  // one for each of content.bodies.shapes, which name the files
  SceneChange content;
};

// Reads `[ROW, …]` or `{"bodies": [ROW, …], "rules": [RULE, …]}`. A row is a body:
//   {"mesh": FILE, "pose": [x, y, z, qx, qy, qz, qw], "id": N, "margin": M, "group": BITS,
//    "mask": BITS, "name": NAME, "scale": S or [SX, SY, SZ], "units": "mm", "up": "y",
//    "parts": true, "hull": true}
// Only the mesh must be there. A body without a pose stands at the origin; one without an id has
// the row's number, or where another row says that one the lowest behind the list that none says.
// Rows of one file that is read in one way share a shape. Its name is NAME, or the file's in small
// letters with dashes for what names cannot have, and with a number behind it where another has
// that. A rule is {"a": ID, "b": ID, "may_touch": true} or {"a": ID, "b": ID, "margin": M}.
// INVALID_ARGUMENT names the row.
absl::StatusOr<Places> ParsePlaces(const std::string& json);
// Reads a file, which errors name.
absl::StatusOr<Places> ReadPlaces(const std::string& file);

}  // namespace clearance::client

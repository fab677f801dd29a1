// SPDX-License-Identifier: Apache-2.0
//
// Shapes as people name them on a command line.

#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clearance/shape.h"
#include "client/cli/mesh_options.h"
#include "client/cli/output.h"

namespace clearance::client {

// A mesh file, a .json file with a clearance.v1.Shape, or its text (it begins with a brace). The
// options are for meshes only: INVALID_ARGUMENT where any is given for JSON. Prints a warning of a
// mesh that is not convex.
absl::StatusOr<Shape> LoadShape(const std::string& argument, const MeshOptions& options);

// Whether an argument is a mesh file that exists. The options are for these alone.
bool IsMeshFile(const std::string& argument);

// Whether people mean a file by it: it has a slash or an extension.
bool LooksLikeFile(const std::string& argument);

// Returns what to tell of an argument that was taken for a name, which no shape has.
std::string NoSuchShape(const std::string& argument);

// INVALID_ARGUMENT if there are options, and none of the arguments is a mesh file.
absl::Status RequireMeshFor(const MeshOptions& options, const std::vector<std::string>& arguments);

// A name, a digest, a file that exists or JSON text (it begins with a brace).
absl::StatusOr<ShapeReference> ParseShapeArgument(const std::string& argument,
                                                  const MeshOptions& options);

// From the JSON form of a clearance.v1.Shape.
absl::StatusOr<Shape> ParseShapeJson(const std::string& json);

// INVALID_ARGUMENT if the JSON of a clearance.v1.Shape lacks a length, which would pass for 0.
absl::Status RequireAllLengths(const Json& shape);

// Puts the lengths of 0 that protobuf's JSON leaves out into that of a shape, which ParseShapeJson
// could not tell from forgotten ones.
void AddZeroLengths(Json* shape);

}  // namespace clearance::client

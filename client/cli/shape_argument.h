// SPDX-License-Identifier: Apache-2.0
//
// Shapes as people name them on a command line.

#ifndef CLEARANCE_CLIENT_CLI_SHAPE_ARGUMENT_H_
#define CLEARANCE_CLIENT_CLI_SHAPE_ARGUMENT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "clearance/shape.h"
#include "client/cli/output.h"
#include "mesh/mesh.h"

namespace clearance::client {

// The content of a file, and the mesh that it came from if it was one.
struct LoadedShape {
  Shape shape;
  std::optional<Mesh> mesh;
};

// A mesh file, a .json file with a clearance.v1.Shape, or its text (it begins with a brace). The
// scale is for meshes only: INVALID_ARGUMENT where it is given for JSON.
absl::StatusOr<LoadedShape> LoadShape(const std::string& argument, std::optional<double> scale);

// A name, a digest, a file that exists or JSON text (it begins with a brace).
absl::StatusOr<ShapeReference> ParseShapeArgument(const std::string& argument);

// From the JSON form of a clearance.v1.Shape.
absl::StatusOr<Shape> ParseShapeJson(const std::string& json);

// INVALID_ARGUMENT if the JSON of a clearance.v1.Shape lacks a length, which would pass for 0.
absl::Status RequireAllLengths(const Json& shape);

// Puts the lengths of 0 that protobuf's JSON leaves out into that of a shape, which ParseShapeJson
// could not tell from forgotten ones.
void AddZeroLengths(Json* shape);

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_SHAPE_ARGUMENT_H_

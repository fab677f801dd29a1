// SPDX-License-Identifier: Apache-2.0
//
// Mesh files as shapes, read strictly: OBJ, STL, PLY and OFF, text and binary. A file is read as
// its format says, or refused with the line or byte and the reason. The Python client (meshes.py)
// reads the same points bit for bit, and refuses the same files in the same words. Coordinates are
// taken as they are, in full double precision: scale them to metres. All functions are thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "clearance/shape.h"

namespace clearance::client {

// A named part of a mesh, by the points of the mesh.
struct MeshPart {
  std::string name;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

// The points that faces use, or all of them if a file has no faces. Equal points are one; they keep
// the file's order. The parts are the objects of an OBJ file, or its groups where it has no
// objects, or the solids of an STL file in text; any other file is one part.
struct Mesh {
  std::vector<double> vertices;  // x y z each, metres
  std::vector<MeshPart> parts;   // none: a cloud of points
};

// The mesh of a file, times a factor for each axis (a negative one mirrors). NOT_FOUND: the file
// cannot be read. INVALID_ARGUMENT: what is wrong with its content, where.
absl::StatusOr<Mesh> LoadMesh(const std::string& path, const Vec3& scale = {1, 1, 1});

// The same of the content of a file; the extension (".obj") says its format, errors name no file.
absl::StatusOr<Mesh> ParseMesh(absl::string_view content, absl::string_view extension,
                               const Vec3& scale = {1, 1, 1});

// A shape of a mesh, and what its convex hulls fill that the mesh does not: a sentence for each,
// with the volumes. Show them: queries see the hulls.
struct MeshShape {
  Shape shape;
  std::vector<std::string> warnings;
};

// The convex hull of all points.
MeshShape ToHull(const Mesh& mesh);

// A compound of the hulls of the parts, and of a mesh of one part those of the surfaces that share
// no point. INVALID_ARGUMENT if the parts are patches of one closed surface: their hulls would
// leave out what it encloses.
absl::StatusOr<MeshShape> ToCompound(const Mesh& mesh);

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// Mesh files (OBJ, STL, PLY, OFF and what else assimp reads) as convex hulls. assimp keeps
// coordinates as floats, so what is registered has their 24 bits (0.1 becomes 0.100000001490116);
// the scale is applied in double. Points that no face uses, but at most lines and points do, are
// left out.

#ifndef CLEARANCE_MESH_MESH_H_
#define CLEARANCE_MESH_MESH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clearance/shape.h"

namespace clearance::client {

// All meshes of a file together: the points that their faces use. Equal points are one.
struct Mesh {
  std::vector<double> vertices;  // x y z each
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

// NOT_FOUND, or INVALID_ARGUMENT: with assimp's words, for a coordinate that is not finite, for a
// face of a vertex that is not there, or for a file without faces.
absl::StatusOr<Mesh> LoadMesh(const std::string& path, double scale = 1);

// The hull of the vertices of the mesh.
Shape ToShape(Mesh mesh);

// What the triangles enclose, cubic metres (signed tetrahedra about a vertex), however they are
// wound. Unset unless the mesh is closed: every edge is there once in each direction.
std::optional<double> EnclosedVolume(const Mesh& mesh);

// A sentence for people where the hull is larger than the closed mesh by more than a thousandth, so
// that queries would treat a hollow as solid.
std::optional<std::string> ConcavityWarning(const Mesh& mesh, double hull_volume);

}  // namespace clearance::client

#endif  // CLEARANCE_MESH_MESH_H_

// SPDX-License-Identifier: Apache-2.0
//
// The content of mesh files, read alike by the Python client (_mesh_content.py).

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "internal/mesh_text.h"

namespace clearance::client::internal {

// Kinds of places of faces.
enum class MeshPlace { kLine, kByte };

// Polygons, one after another. Corners name points by their place in the file.
struct MeshFaces {
  std::vector<std::int64_t> corners;
  std::vector<std::uint32_t> counts;  // corners of each face
  std::vector<std::uint64_t> places;  // lines or bytes where they begin
  std::vector<std::uint32_t> parts;   // of each face, its part's place among the names
  std::vector<std::string> names = {""};
};

struct MeshContent {
  std::vector<double> points;  // x y z each
  MeshFaces faces;
};

// The place of a face, for a fault.
struct FacePlace {
  MeshPlace kind;
  std::uint64_t number;
};

// Adds a face of the first part. A fault of one with less than three corners.
bool AddFace(absl::Span<const std::int64_t> corners, const FacePlace& place, MeshFaces* faces,
             MeshFault* fault);

// The points that are there, and the number of the first.
struct PointNumbers {
  std::uint64_t count = 0;
  std::int64_t first = 0;
};

// Sets the fault of a face of a point that is not there.
bool NoSuchPoint(const FacePlace& place, std::int64_t named, const PointNumbers& there,
                 MeshFault* fault);

// A fault names the first face of a point that is not there.
bool RequirePoints(const MeshContent& content, MeshPlace kind, std::int64_t first,
                   MeshFault* fault);

// The readers of the formats. Memory in proportion to the content, whatever it announces.
bool ReadObj(absl::string_view text, MeshContent* content, MeshFault* fault);
bool ReadOff(absl::string_view text, MeshContent* content, MeshFault* fault);
bool ReadPly(absl::string_view bytes, MeshContent* content, MeshFault* fault);
// Binary is what has the size that its count of triangles says, whatever its header says.
bool ReadStl(absl::string_view bytes, MeshContent* content, MeshFault* fault);

}  // namespace clearance::client::internal

// SPDX-License-Identifier: Apache-2.0
//
// The faces of a hull as polygons: triangles that lie in one plane, exactly, are one face.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace clearance {

struct Hull;  // hull_builder.h

// Everything in compressed rows (CSR): row i of `values` is values[offsets[i]] ..
// values[offsets[i + 1]]. Vertices are numbered as in Hull::vertices.
//
// The corners of a face turn left seen from outside and begin with the least vertex; the fan from
// there is the one way in which a face is cut where triangles are needed. Faces ascend by their
// corners. So nothing here depends on the order in which the hull was built. A polygon has two
// faces, one a side; a segment has one with two corners; a point has none.
struct HullFaces {
  std::vector<std::uint32_t> corner_offsets;  // one row a face
  std::vector<std::uint32_t> corners;
  std::vector<std::uint32_t> face_offsets;  // one row a vertex
  std::vector<std::uint32_t> faces;         // that the vertex is a corner of, ascending

  std::uint32_t face_count() const {
    return corner_offsets.empty() ? 0 : static_cast<std::uint32_t>(corner_offsets.size() - 1);
  }
  // Whether a face has more corners than three, where none has two.
  bool HasPolygons() const { return corners.size() > 3 * std::size_t{face_count()}; }
  absl::Span<const std::uint32_t> CornersOf(std::uint32_t face) const {
    return Row(corner_offsets, corners, face);
  }
  // None of an index past all rows.
  absl::Span<const std::uint32_t> FacesOf(std::uint32_t vertex) const {
    if (std::size_t{vertex} + 1 >= face_offsets.size()) return {};
    return Row(face_offsets, faces, vertex);
  }

 private:
  static absl::Span<const std::uint32_t> Row(const std::vector<std::uint32_t>& offsets,
                                             const std::vector<std::uint32_t>& values,
                                             std::uint32_t i) {
    return absl::MakeConstSpan(values).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

HullFaces BuildFaces(const Hull& hull);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// How far a mesh is from its convex hull, judged alike by the Python client (_convexity.py).
// Source of the hull: Barber, Dobkin, Huhdanpaa, "The quickhull algorithm for convex hulls", 1996.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace clearance::client::internal {

using Corners = std::array<std::uint32_t, 3>;

// The points of a convex hull (x y z each) and its volume, cubic metres; of a hull of more points
// than are looked at, a little less.
struct MeshHull {
  std::vector<double> points;
  double volume = 0;
};

// Unset of points that lie in a plane.
std::optional<MeshHull> HullOf(absl::Span<const double> points);

// The volumes that the separate surfaces of a mesh enclose.
struct Enclosure {
  struct Surface {
    double volume = 0;      // cubic metres; of one that is not closed about what it would be
    bool is_closed = true;  // every edge is there once in each direction
  };
  std::vector<Surface> surfaces;

  bool is_closed() const;
};

Enclosure EnclosureOf(absl::Span<const double> vertices, absl::Span<const Corners> triangles);

// The number of the surface of each triangle: those that share points are one.
std::vector<std::uint32_t> SurfacesOf(std::size_t vertex_count,
                                      absl::Span<const Corners> triangles);

// Describes the hollows that the convex hull of a mesh fills, in a sentence. Unset of a mesh that
// is convex, of a cloud and of a flat one.
std::optional<std::string> HollowOf(absl::Span<const double> vertices,
                                    absl::Span<const Corners> triangles);

}  // namespace clearance::client::internal

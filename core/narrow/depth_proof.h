// SPDX-License-Identifier: Apache-2.0
//
// The proof that an overlap is at least so deep: a closed surface of triangles around the origin,
// its corners being points of A - B. The hull of the corners lies in A - B, so no translation
// shorter than the distance of the surface's nearest triangle from the origin separates the cores.

#pragma once

#include <array>
#include <cstdint>

#include "core/shape/convex_shape.h"

namespace clearance {

// Corner i is vertex vertices_a[i] of A minus vertex vertices_b[i] of B. Each facet is
// counter-clockwise from outside. The surface is convex but for the rounding of the corners'
// places; what it proves does not depend on that, only on its being closed and around the origin:
//     distance of the origin from any of its triangles >= -bracket.upper - radii, to rounding.
// Empty (no facets) where the cores do not overlap, overlap by less than double precision resolves,
// or are curved; then what proves the upper bound is the witness alone.
struct DepthProof {
  static constexpr int kVertexCapacity = 256;
  static constexpr int kFacetCapacity = 2 * kVertexCapacity - 4;

  int vertex_count = 0;
  int facet_count = 0;
  bool is_truncated = false;  // there is a surface, and it is too large: the proof is empty
  std::array<VertexIndex, kVertexCapacity> vertices_a{};
  std::array<VertexIndex, kVertexCapacity> vertices_b{};
  std::array<std::array<std::uint16_t, 3>, kFacetCapacity> facets{};
};

}  // namespace clearance

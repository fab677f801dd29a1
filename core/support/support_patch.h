// SPDX-License-Identifier: Apache-2.0
//
// The part with which a shape touches a plane: the face, the edge or the vertex that is highest in
// a direction, a little tilt allowed (kContactFaceSine).

#pragma once

#include <array>
#include <cstdint>

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"

namespace clearance {

// A vertex, an edge or a face by the caller's own vertex indices (ConvexShape::original_index):
//   first = second: this vertex;
//   first < second: the edge between the two;
//   first > second: the face whose corners, counter-clockwise from outside, begin with `second`,
//                   the least of them, and end with `first`. No other face has that edge in that
//                   direction.
// A curved core has no vertices; these stand for them:
//   cylinder: 0 .. 7 the fan of the cap at +z, from +x counter-clockwise seen from +z;
//             8 .. 15 below them;
//             16 and 17 the ends, at +z and -z, of the line of the side that is in contact;
//   cone:     0 .. 7 the fan of the base as above, 8 the apex, 9 the end of the line at the base;
//   ellipsoid: 0.
struct Feature {
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  friend bool operator==(const Feature&, const Feature&) = default;
};

// Normalised coordinates, axes of the shape.
struct SupportPatch {
  // A face with more corners than this is thinned to this many of them, evenly.
  static constexpr int kCapacity = 64;

  int size = 0;  // 1 a vertex, 2 an edge, 3 or more a face
  bool is_thinned = false;
  Feature feature;
  Vec3d normal;                                 // of a face: outwards, any length
  std::array<Vec3d, kCapacity> corner;          // of a face counter-clockwise from outside
  std::array<std::uint32_t, kCapacity> name{};  // of each corner, as in Feature
};

// Returns the face at the vertex highest along d that is most parallel to the plane across `d`
// (unit); if none is parallel enough, such an edge there; if none is either, the vertex. The caps
// of cylinders and cones are octagons, their sides lines. `start` as in SupportVertex.
SupportPatch FindSupportPatch(const ConvexShape& shape, const Vec3d& d, VertexIndex start);

}  // namespace clearance

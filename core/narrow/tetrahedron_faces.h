// SPDX-License-Identifier: Apache-2.0
//
// The faces of a tetrahedron side by side in vector instructions: the same bits on any vector unit.

#pragma once

#include <array>

#include "core/math/vec3.h"

namespace clearance {

using TetrahedronCorners = std::array<const Vec3d*, 4>;

struct FaceLimits {
  double least_area = 0;  // of twice the triangle: one that is no larger is no face
  double cube_error = 0;  // a corner counts as above a face by more than this, times twice its area
};

// The corners three by three, seen from the side on which the fourth is not above them; from that
// side of both where the origin is higher over the face.
struct TetrahedronFaces {
  static constexpr int kCount = 4;

  // At least how far the plane is from the origin, outwards; HUGE_VAL of no face.
  struct alignas(32) Row {
    double of[kCount];
  };
  Row height;
  std::array<Row, 3> n;  // outward, any length
};

TetrahedronFaces MeasureFaces(const TetrahedronCorners& corners, const FaceLimits& limits);

}  // namespace clearance

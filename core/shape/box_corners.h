// SPDX-License-Identifier: Apache-2.0
//
// The commonest small hull is a box along the axes of its frame and about its centre: three signs
// tell its vertex in a direction.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/math/assert.h"
#include "core/math/vec3.h"

namespace clearance {

struct BoxCorners {
  bool is_box = false;
  // Half of its edges, in the units of the given vertices.
  Vec3d half;
  // The vertex of each octant, counted in binary: x > 0 is 1, y > 0 is 2, z > 0 is 4.
  std::array<std::uint8_t, 8> vertex{};

  static std::size_t Octant(const Vec3d& v) {
    return (v.x > 0 ? 1U : 0U) | (v.y > 0 ? 2U : 0U) | (v.z > 0 ? 4U : 0U);
  }
  // Returns one of the highest vertices along d. Requires: is_box.
  std::uint32_t Towards(const Vec3d& d) const {
    CLEARANCE_ASSERT(is_box);
    return vertex[Octant(d)];
  }
};

// Finds the corners if the vertices are those of a box. Requires: three vectors of equal length.
BoxCorners FindBoxCorners(const std::vector<double>& x, const std::vector<double>& y,
                          const std::vector<double>& z);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The planes of triangles, measured side by side in vector instructions: the same bits on any
// vector unit.

#pragma once

#include <array>
#include <cstddef>

#include "core/math/assert.h"
#include "core/math/vec3.h"

namespace clearance {

// The planes of up to kMax triangles. A triangle's normal and area are most accurate from the
// edges e, f at the corner a that is opposite to its longest edge: n = e x f within 8u |e| |f|. A
// triangle is thin if its sine there is below a half, that is |n| < |e| |f| / 2, or if its squares
// nearly underflow.
class FacetPlanes {
 public:
  static constexpr int kMax = 16;

  // How much of a triangle's plane double determines.
  static constexpr double kWell = 0;      // not thin
  static constexpr double kCoarsely = 1;  // thin: some digits
  static constexpr double kHardly = 2;    // too thin: nothing

  // Unused lanes hold a triangle too.
  FacetPlanes() {
    given_.p.fill(&kAnyTriangle[0]);
    given_.q.fill(&kAnyTriangle[1]);
    given_.r.fill(&kAnyTriangle[2]);
  }

  // The corners, which must outlive the planes. Requires: i < kMax; squares do not overflow.
  void Set(int i, const Vec3d& p, const Vec3d& q, const Vec3d& r) {
    CLEARANCE_ASSERT(0 <= i && i < kMax);
    const auto at = static_cast<std::size_t>(i);
    given_.p[at] = &p;
    given_.q[at] = &q;
    given_.r[at] = &r;
  }

  // Measures the first `count` triangles.
  void Measure(int count);

  // These require: Measure. If `told` is kHardly, the others mean nothing.
  double told(int i) const { return found_.told.of[i]; }
  // Unit, and (q - p) x (r - p) points there.
  Vec3d normal(int i) const { return {found_.n[0].of[i], found_.n[1].of[i], found_.n[2].of[i]}; }
  double offset(int i) const { return found_.offset.of[i]; }  // normal . a

  // One number of all triangles.
  struct alignas(64) Row {
    double of[kMax];
  };
  struct Given {
    std::array<const Vec3d*, kMax> p, q, r;
  };
  struct Found {
    std::array<Row, 3> n;
    Row offset, told;
  };

 private:
  static constexpr std::array<Vec3d, 3> kAnyTriangle = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  Given given_;
  Found found_;
};

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The area in which two patches that face each other overlap, seen along the normal between them.

#pragma once

#include <array>
#include <cstdint>

#include "core/math/vec3.h"
#include "core/support/support_patch.h"

namespace clearance {

// A patch in frame N, whose z axis is the normal; pair units. A face is counter-clockwise seen
// against z, whichever body it is of.
struct FacingPatch {
  int size = 0;  // as in SupportPatch
  bool is_thinned = false;
  Feature feature;
  std::array<Vec3d, SupportPatch::kCapacity> corner_N;
  std::array<std::uint32_t, SupportPatch::kCapacity> name{};
  // For a face: z rises by this along x and y.
  double slope_x = 0;
  double slope_y = 0;
};

// A corner of the common area: at (x, y) the two patches are at these heights.
struct OverlapPoint {
  double x = 0;
  double y = 0;
  double z_a = 0;
  double z_b = 0;
  Feature feature_a;
  Feature feature_b;
};

struct Overlap {
  // Every edge of a convex polygon enters and leaves the other once.
  static constexpr int kCapacity = 3 * SupportPatch::kCapacity;
  int size = 0;
  std::array<OverlapPoint, kCapacity> points;
};

// Returns the corners of the area common to two faces, or of the line common to a face and an edge
// or to two edges. Each is a vertex of one in the face or edge of the other, or a crossing of two
// edges. Points not farther than kContactSlack outside count as inside, and points within
// kContactMerge are one. There are no points if a patch is a vertex or if two edges cross: the
// features that meet there are known without a search.
Overlap ComputeOverlap(const FacingPatch& a, const FacingPatch& b);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The contact of two bodies that touch, overlap or are near each other: the corners of the area in
// which the faces across the normal cover one another. Each has a name that stays the same from one
// moment to the next.

#pragma once

#include <array>
#include <limits>

#include "core/math/vec3.h"
#include "core/query/distance.h"
#include "core/shape/posed_shape.h"
#include "core/support/support_patch.h"

namespace clearance {

struct ManifoldOptions {
  // Metres, of either sign: points whose surfaces are farther apart than this are left out.
  double max_separation = std::numeric_limits<double>::infinity();
};

// One point of contact, as a point of each surface; metres, world axes. To rounding,
//     p_WB = p_WA + distance * n_AB.
struct ContactPoint {
  Vec3d p_WA, p_WB;    // from the world's origin
  Vec3d p_AoA, p_AoB;  // the same from A's origin
  double distance = 0;
  // The features that meet here: a vertex and a face, an edge and a vertex, two edges ... Together
  // they name the point: no other of the same manifold has the same two.
  Feature feature_a;
  Feature feature_b;
};

// The points in order around their area, counter-clockwise seen against n_AB, beginning with the
// least name: the same names are in the same order whatever the poses.
struct ContactManifold {
  static constexpr int kCapacity = 16;
  int size = 0;
  // There were more points (then the deepest is kept, and of the others those that span the largest
  // area), or a face had more than SupportPatch::kCapacity corners and was thinned.
  bool is_truncated = false;
  std::array<ContactPoint, kCapacity> points;
};

// Returns the manifold. `answer` is that of Distance for these two bodies, and its n_AB is the
// direction of every contact. There are no points if the answer is BEYOND or UNDECIDED or farther
// apart than max_separation; otherwise at least one.
//
// Each body is in contact with the face (see FindSupportPatch) that is within kContactFaceSine of
// lying across n_AB, or such an edge. If there is neither, if two edges cross or if the faces miss
// each other, the manifold is the answer's own two points. Points more than kContactSpread times
// the smaller body's radius farther apart than the bodies are left out. Every point lies in both
// faces to rounding, radii carried along n_AB. If a face is tilted, a rounded body's surface is
// therefore up to radius * kContactFaceSine^2 / 2 above the point. The distance of a pair of curved
// bodies may be less than that of all points, as caps are taken for the octagons in them.
//
// Never fails, never allocates, may be called from any thread: a pure function of its arguments,
// the same bits on every machine.
ContactManifold ComputeManifold(const PosedShape& a, const PosedShape& b,
                                const DistanceAnswer& answer, const ManifoldOptions& options = {});

}  // namespace clearance

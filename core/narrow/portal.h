// SPDX-License-Identifier: Apache-2.0
//
// The facet at which a ray from the origin enters the Minkowski difference A - B: the one that it
// meets first. Seen along the ray, three vertices of A - B are found around it, a portal; the
// highest vertex over the portal's plane takes the place of one of them until none is higher. No
// length goes to 0 meanwhile, as the distance of two bodies that come into contact does, so double
// precision finds the facet as well as any. Until the end, vertices that are nearly the highest are
// enough; the last one is looked for with care.
//
// After G. Snethen, "XenoCollide: complex collision made simple", 2008 (portal refinement), and G.
// van den Bergen, "Ray casting against general convex objects with application to continuous
// collision detection", 2004 (contact of translating bodies as such a ray). Nothing here is proved:
// the caller must prove the claims about the facet, or about the direction of a miss.

#pragma once

#include <array>
#include <cstdint>

#include "core/math/vec3.h"
#include "core/narrow/minkowski_difference.h"

namespace clearance {

struct PortalResult {
  enum class End : std::uint8_t {
    kFacet,    // the line of the ray, perhaps before the ray, enters well inside the triangle
    kMiss,     // both ends of the ray, and so all of it, are above A - B along n_A
    kUnknown,  // the line grazes, or the ray is a point
  };
  End end = End::kUnknown;
  Vec3d n_A;  // of a miss, any length
  std::array<MinkowskiVertex<double>, 3> vertex;
  std::array<double, 3> weight{};  // of the vertices, in the point that the line meets
};

// Finds the facet through which the ray from the origin to `ray_A` enters A - B. At most 3
// kMaxPortalSteps + 2 vertices are looked at. Requires: polytopes, no sweep.
PortalResult SearchPortal(MinkowskiDifference<double>& difference, const Vec3d& ray_A);

// Sets the weights of a portal's vertices, found along the unit vector `along_A` of the ray. True
// if the line passes well inside of it.
bool WeighPortal(const Vec3d& along_A, double extent, PortalResult* cast);

// Returns whether a ray is proved to miss: along n both of its ends, and so all of it, are above A
// - B by more than `error`, the most that these may be off. Requires: as SearchPortal.
bool IsProvedMiss(MinkowskiDifference<double>& difference, const Vec3d& ray_A, const Vec3d& n_A,
                  double error);

}  // namespace clearance

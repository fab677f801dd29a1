// SPDX-License-Identifier: Apache-2.0
//
// Judges a shape against the points that it was made from, in GMP rationals and by brute force.

#pragma once

#include <vector>

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/shape/hull_builder.h"

namespace clearance::testing {

// Fails the test unless every point is on or behind every triangle, the triangles are those of a
// closed surface, and every vertex is strictly in front of or beside the hull of the others.
void ExpectIsHullOf(const Hull& hull, const std::vector<Vec3d>& points);

// Fails the test unless center + 2^exponent * vertex is the caller's point, exactly.
void ExpectVerticesAreExact(const ConvexShape& shape, const std::vector<Vec3d>& points);

// Fails the test unless the rows are ascending, symmetric and connected.
void ExpectAdjacencyIsSound(const ConvexShape& shape);

}  // namespace clearance::testing

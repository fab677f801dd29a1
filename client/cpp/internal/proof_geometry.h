// SPDX-License-Identifier: Apache-2.0
//
// The geometry behind VerifyDistance: the bounds that a direction and a few points of the
// difference of two bodies prove. Everything is in world axes from the origin of A's frame, so that
// places far from the world's origin cost no digits. Bounds are rounded outwards by kQuadSlack of
// all that entered them.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "clearance/shape.h"
#include "internal/quad.h"

namespace clearance::client {

// Relative to the sizes: the rounding of normals, weights and points until they arrive here.
inline constexpr double kRoundingAllowance = 64 * 0x1p-53;
// The deviation from 1 of a rounded unit vector's length, and of a sum of weights.
inline constexpr double kUnitSlack = 0x1p-48;

// A posed core that is not a hull of points: a cylinder, a cone or an ellipsoid.
struct CurvedCore {
  decltype(Shape::kind) kind;
  Pose pose;  // turns it; its place is `center`
  QuadVec center;
};

// A posed body: a core, extended by a radius. The core is the hull of the points, or curved.
struct ProofBody {
  std::vector<QuadVec> points;
  std::optional<CurvedCore> curved;
  double radius = 0;
  // No point is farther than this from the origin of the coordinates.
  Quad reach = 0;
  // The body fits in a ball of this radius.
  Quad size = 0;
};

// Makes a body. For a shape without points and without a curved core both are empty.
ProofBody MakeProofBody(const Shape& shape, const Pose& pose, const Pose& frame);

// Returns a lower bound of the distance of any two points of the bodies, by the supports along
// `normal` (of any length but 0; from A to B). Negative if they overlap along it.
Quad ProvedGap(const ProofBody& a, const ProofBody& b, const QuadVec& normal);

// Returns an upper bound of the distance of p from the core.
Quad DistanceToCore(const CurvedCore& core, const QuadVec& p);

// Returns the direction from A to B across the features that the differences b - a span: the
// origin's distance to the plane, line or point through them, without the rounding of weights and
// normals. Unset if the differences span everything or the origin lies on their span.
std::optional<QuadVec> FeatureNormal(const std::vector<QuadVec>& differences);

// Returns the radius of a ball about the origin inside the hull of a few points; 0 unless the
// origin is proved to be strictly inside. Brute force over all triples.
Quad InnerRadius(const std::vector<QuadVec>& points);

using Triangle3 =
    std::array<std::uint32_t, 3>;  // indices of corners, counter-clockwise from outside

// Returns the radius of a ball about the origin inside the hull of the corners: the distance of the
// origin from a surface of triangles. 0 unless the surface is closed and goes round the origin.
// Then it goes round every point of that ball too, and none can be outside of a convex set that
// holds it. Requires: indices of corners.
Quad RadiusInside(const std::vector<QuadVec>& corners, const std::vector<Triangle3>& triangles);

}  // namespace clearance::client

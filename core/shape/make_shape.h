// SPDX-License-Identifier: Apache-2.0
//
// Makes shapes of every kind from plain numbers. Every function refuses numbers that are not
// finite, lengths that are negative and coordinates whose hull cannot be represented, with a
// ShapeError that names the field relative to the kind ("vertices[17].x"), the value and the limit.

#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "absl/types/span.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/shape/pacer.h"

namespace clearance {

// Why a shape was refused.
struct ShapeError {
  std::string field;    // "vertices[17].x"
  std::string value;    // "nan"
  std::string limit;    // "finite"
  std::string message;  // one sentence
};

// The shortest text that reads back as the same number, for the values and limits of errors.
std::string NumberText(double value);

// A shape or the reason why there is none. Null once the caller's pacer has stopped.
using ShapeOrError = std::variant<ConvexShapePtr, ShapeError>;

// Adjacency as a caller gives it: rows of point indices, one row a point (see ConvexShape for the
// layout).
struct GivenAdjacency {
  absl::Span<const std::uint32_t> offsets;
  absl::Span<const std::uint32_t> neighbors;
};

// All lengths in metres, in the shape's own frame; `radius` is the spherical extension.
ShapeOrError MakePoint(double radius);
ShapeOrError MakeSegment(const Vec3d& a, const Vec3d& b, double radius);
ShapeOrError MakeTriangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, double radius);
ShapeOrError MakeSphere(double sphere_radius, double radius);
ShapeOrError MakeCapsule(double capsule_radius, double half_length, double radius);
// About the z axis, centred on the origin; a cone's apex is at +half_length. Ellipsoids have their
// axes, which must be greater than 0, along x, y and z. If a length of 0 or equal semi-axes leave a
// point, a segment or a ball, the shape becomes that.
ShapeOrError MakeCylinder(double cylinder_radius, double half_length, double radius);
ShapeOrError MakeCone(double base_radius, double half_length, double radius);
ShapeOrError MakeEllipsoid(const Vec3d& semi_axes, double radius);
ShapeOrError MakeBox(const Vec3d& half_extents, double radius);

// `xyz` holds 3 numbers a point. The hull is taken with exact predicates (hull_surface.h).
ShapeOrError MakeHull(absl::Span<const double> xyz, double radius, Pacer* pacer = nullptr);

// The same as MakeHull, and the adjacency is checked against the hull's: every true edge present,
// every given edge on the surface.
ShapeOrError MakeHullWithAdjacency(absl::Span<const double> xyz, const GivenAdjacency& adjacency,
                                   double radius, Pacer* pacer = nullptr);

// `xy` holds 2 numbers a point of the plane z = 0.
ShapeOrError MakePolygon(absl::Span<const double> xy, double radius);

}  // namespace clearance

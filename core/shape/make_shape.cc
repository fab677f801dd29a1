// SPDX-License-Identifier: Apache-2.0
//
// Every kind takes the same steps: numbers checked, points listed, equal ones dropped, the hull
// taken. Kinds differ in the names of their numbers and the positions of their points.

#include "core/shape/make_shape.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/math/double_double.h"
#include "core/shape/adjacency_check.h"
#include "core/shape/shape_assembly.h"

namespace clearance {
namespace {

using Fault = std::optional<ShapeError>;

constexpr const char* kAxisNames[] = {"x", "y", "z"};
constexpr double kLargest = std::numeric_limits<double>::max();

Fault FindFaultOfNumber(absl::string_view field, double value) {
  if (std::isfinite(value)) return std::nullopt;
  return ShapeError{std::string(field), NumberText(value), "finite",
                    absl::StrCat("The number ", field, " is not finite.")};
}

Fault FindFaultOfLength(absl::string_view field, double value) {
  if (Fault fault = FindFaultOfNumber(field, value)) return fault;
  if (value >= 0) return std::nullopt;
  return ShapeError{std::string(field), NumberText(value), ">= 0",
                    absl::StrCat("The length ", field, " is negative.")};
}

Fault FindFaultOfSemiAxis(absl::string_view field, double value) {
  if (Fault fault = FindFaultOfNumber(field, value)) return fault;
  if (value > 0) return std::nullopt;
  return ShapeError{std::string(field), NumberText(value), "> 0",
                    absl::StrCat("The semi-axis ", field, " is not positive.")};
}

Fault FindFaultOfPoint(absl::string_view field, const Vec3d& p) {
  const double coordinates[] = {p.x, p.y, p.z};
  for (int i = 0; i < 3; ++i) {
    if (std::isfinite(coordinates[i])) continue;
    return FindFaultOfNumber(absl::StrCat(field, ".", kAxisNames[i]), coordinates[i]);
  }
  return std::nullopt;
}

// Returns the first fault of several.
Fault First(std::initializer_list<Fault> faults) {
  for (const Fault& fault : faults) {
    if (fault) return fault;
  }
  return std::nullopt;
}

// The extents must be doubles, as computations use distances between vertices.
Fault FindFaultOfExtent(absl::string_view field, absl::Span<const Vec3d> points) {
  Vec3d low = points[0], high = points[0];
  for (const Vec3d& p : points) {
    low = {std::fmin(low.x, p.x), std::fmin(low.y, p.y), std::fmin(low.z, p.z)};
    high = {std::fmax(high.x, p.x), std::fmax(high.y, p.y), std::fmax(high.z, p.z)};
  }
  const double lows[] = {low.x, low.y, low.z};
  const double highs[] = {high.x, high.y, high.z};
  for (int i = 0; i < 3; ++i) {
    if (std::isfinite(highs[i] - lows[i])) continue;
    return ShapeError{
        std::string(field),
        absl::StrCat(NumberText(lows[i]), " to ", NumberText(highs[i]), " along ", kAxisNames[i]),
        absl::StrCat("extent <= ", NumberText(kLargest), " m"),
        "The difference of two coordinates does not fit into a double."};
  }
  return std::nullopt;
}

// The points of one kind. `field` is named if they are too far apart.
struct Outline {
  std::string field;
  std::vector<Vec3d> points;
  DoubleDouble radius = 0.0;
  const GivenAdjacency* given = nullptr;
  Pacer* pacer = nullptr;
};

Fault FindFaultOfAdjacency(const GivenAdjacency& given, const Assembly& assembly) {
  if (assembly.grid.is_exact) {
    return FindEdgeFault(given,
                         {assembly.grid.points, assembly.distinct.original_index, assembly.hull});
  }
  return ShapeError{"adjacency", "given for coordinates of very different magnitude",
                    "coordinates of one axis within 300 binary orders of magnitude",
                    "The hull of these points cannot be verified; leave the adjacency empty."};
}

ShapeError FaultOfReach(const std::string& field) {
  return {field, "bounding radius inf",
          absl::StrCat("bounding radius <= ", NumberText(kLargest), " m"),
          "A point of the body is farther from the origin than the largest double."};
}

ShapeOrError FromOutline(const Outline& outline) {
  if (Fault fault = FindFaultOfExtent(outline.field, outline.points)) return *fault;
  const Assembly assembly = Assemble(outline.points, outline.radius, outline.pacer);
  if (assembly.shape == nullptr) return assembly.shape;
  if (outline.given != nullptr) {
    if (Fault fault = FindFaultOfAdjacency(*outline.given, assembly)) return *fault;
  }
  if (std::isfinite(assembly.shape->bounding_radius())) return assembly.shape;
  return FaultOfReach(outline.field);
}

// Makes the segment between the ends of one half-axis.
ShapeOrError FromAxis(const char* field, const Vec3d& half, double radius) {
  return FromOutline({.field = field, .points = {-half, half}, .radius = radius});
}

ShapeOrError FromExtents(const char* field, CoreKind kind, const Vec3d& extents, double radius) {
  ConvexShapePtr shape = AssembleCurved(kind, extents, radius);
  if (std::isfinite(shape->bounding_radius())) return shape;
  return FaultOfReach(field);
}

// Points as one number after the other.
struct Coordinates {
  absl::Span<const double> numbers;
  std::size_t numbers_a_point = 0;
};

ShapeOrError FromNumbers(const Coordinates& coordinates, double radius, const GivenAdjacency* given,
                         Pacer* pacer) {
  const auto& [numbers, numbers_a_point] = coordinates;
  if (Fault fault = FindFaultOfLength("radius", radius)) return *fault;
  if (numbers.size() % numbers_a_point != 0) {
    return ShapeError{"vertices", absl::StrCat(numbers.size(), " numbers"),
                      absl::StrCat(numbers_a_point, " numbers a point"),
                      "The vertices end in the middle of a point."};
  }
  if (numbers.empty()) {
    return ShapeError{"vertices", "0 points", ">= 1 point", "A hull needs at least one point."};
  }
  Outline outline{
      .field = "vertices", .points = {}, .radius = radius, .given = given, .pacer = pacer};
  outline.points.reserve(numbers.size() / numbers_a_point);
  for (std::size_t i = 0; i < numbers.size(); i += numbers_a_point) {
    const Vec3d p = {numbers[i], numbers[i + 1], numbers_a_point == 3 ? numbers[i + 2] : 0.0};
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) {
      return *FindFaultOfPoint(absl::StrCat("vertices[", outline.points.size(), "]"), p);
    }
    outline.points.push_back(p);
  }
  const auto point_count = static_cast<std::uint32_t>(outline.points.size());
  if (given != nullptr) {
    if (Fault fault = FindLayoutFault(*given, point_count)) return *fault;
  }
  return FromOutline(outline);
}

}  // namespace

std::string NumberText(double value) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

ShapeOrError MakePoint(double radius) {
  if (Fault fault = FindFaultOfLength("radius", radius)) return *fault;
  return FromOutline({.field = "radius", .points = {{}}, .radius = radius});
}

ShapeOrError MakeSegment(const Vec3d& a, const Vec3d& b, double radius) {
  if (Fault fault = First({FindFaultOfPoint("a", a), FindFaultOfPoint("b", b),
                           FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  return FromOutline({.field = "b", .points = {a, b}, .radius = radius});
}

ShapeOrError MakeTriangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, double radius) {
  if (Fault fault = First({FindFaultOfPoint("a", a), FindFaultOfPoint("b", b),
                           FindFaultOfPoint("c", c), FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  return FromOutline({.field = "c", .points = {a, b, c}, .radius = radius});
}

ShapeOrError MakeSphere(double sphere_radius, double radius) {
  if (Fault fault = First(
          {FindFaultOfLength("radius", sphere_radius), FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  return FromOutline({.field = "radius", .points = {{}}, .radius = TwoSum(sphere_radius, radius)});
}

ShapeOrError MakeCapsule(double capsule_radius, double half_length, double radius) {
  if (Fault fault = First({FindFaultOfLength("radius", capsule_radius),
                           FindFaultOfLength("half_length", half_length),
                           FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  return FromOutline({.field = "half_length",
                      .points = {{0, 0, -half_length}, {0, 0, half_length}},
                      .radius = TwoSum(capsule_radius, radius)});
}

ShapeOrError MakeCylinder(double cylinder_radius, double half_length, double radius) {
  if (Fault fault = First({FindFaultOfLength("radius", cylinder_radius),
                           FindFaultOfLength("half_length", half_length),
                           FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  if (cylinder_radius == 0) return FromAxis("half_length", {0, 0, half_length}, radius);
  return FromExtents("radius", CoreKind::kCylinder, {cylinder_radius, cylinder_radius, half_length},
                     radius);
}

ShapeOrError MakeCone(double base_radius, double half_length, double radius) {
  if (Fault fault = First({FindFaultOfLength("radius", base_radius),
                           FindFaultOfLength("half_length", half_length),
                           FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  if (base_radius == 0) return FromAxis("half_length", {0, 0, half_length}, radius);
  return FromExtents("radius", CoreKind::kCone, {base_radius, base_radius, half_length}, radius);
}

ShapeOrError MakeEllipsoid(const Vec3d& semi_axes, double radius) {
  const auto [x, y, z] = semi_axes;
  if (Fault fault =
          First({FindFaultOfSemiAxis("semi_axes.x", x), FindFaultOfSemiAxis("semi_axes.y", y),
                 FindFaultOfSemiAxis("semi_axes.z", z), FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  if (x == y && y == z) {
    return FromOutline({.field = "semi_axes", .points = {{}}, .radius = TwoSum(x, radius)});
  }
  return FromExtents("semi_axes", CoreKind::kEllipsoid, semi_axes, radius);
}

ShapeOrError MakeBox(const Vec3d& half_extents, double radius) {
  const auto [x, y, z] = half_extents;
  if (Fault fault =
          First({FindFaultOfLength("half_extents.x", x), FindFaultOfLength("half_extents.y", y),
                 FindFaultOfLength("half_extents.z", z), FindFaultOfLength("radius", radius)})) {
    return *fault;
  }
  Outline outline{.field = "half_extents", .points = {}, .radius = radius};
  for (unsigned i = 0; i < 8; ++i) {
    outline.points.push_back({i & 1U ? x : -x, i & 2U ? y : -y, i & 4U ? z : -z});
  }
  return FromOutline(outline);
}

ShapeOrError MakeHull(absl::Span<const double> xyz, double radius, Pacer* pacer) {
  return FromNumbers({xyz, 3}, radius, nullptr, pacer);
}

ShapeOrError MakeHullWithAdjacency(absl::Span<const double> xyz, const GivenAdjacency& adjacency,
                                   double radius, Pacer* pacer) {
  return FromNumbers({xyz, 3}, radius, &adjacency, pacer);
}

ShapeOrError MakePolygon(absl::Span<const double> xy, double radius) {
  return FromNumbers({xy, 2}, radius, nullptr, nullptr);
}

}  // namespace clearance

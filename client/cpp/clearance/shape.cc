// SPDX-License-Identifier: Apache-2.0
#include "clearance/shape.h"

namespace clearance::client {
namespace {

void AppendPoint(const Vec3& p, std::vector<double>* vertices) {
  for (const double coordinate : {p.x, p.y, p.z}) vertices->push_back(coordinate);
}

// The vertices of each kind, in the order that shape.proto gives them.
struct VerticesOf {
  std::vector<double> operator()(const Point&) const { return {0, 0, 0}; }
  std::vector<double> operator()(const Sphere&) const { return {0, 0, 0}; }
  std::vector<double> operator()(const Hull& hull) const { return hull.vertices; }

  std::vector<double> operator()(const Segment& segment) const {
    std::vector<double> vertices;
    AppendPoint(segment.a, &vertices);
    AppendPoint(segment.b, &vertices);
    return vertices;
  }

  std::vector<double> operator()(const Triangle& triangle) const {
    std::vector<double> vertices;
    AppendPoint(triangle.a, &vertices);
    AppendPoint(triangle.b, &vertices);
    AppendPoint(triangle.c, &vertices);
    return vertices;
  }

  std::vector<double> operator()(const Capsule& capsule) const {
    return {0, 0, -capsule.half_length, 0, 0, capsule.half_length};
  }

  std::vector<double> operator()(const Box& box) const {
    const Vec3& half = box.half_extents;
    std::vector<double> vertices;
    for (int i = 0; i < 8; ++i) {
      AppendPoint({i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z},
                  &vertices);
    }
    return vertices;
  }

  std::vector<double> operator()(const Polygon& polygon) const {
    std::vector<double> vertices;
    for (std::size_t i = 0; i + 1 < polygon.vertices.size(); i += 2) {
      AppendPoint({polygon.vertices[i], polygon.vertices[i + 1], 0}, &vertices);
    }
    return vertices;
  }

  std::vector<double> operator()(const Cylinder& cylinder) const {
    return OfRound(cylinder.radius, cylinder.half_length);
  }

  std::vector<double> operator()(const Cone& cone) const {
    return OfRound(cone.radius, cone.half_length);
  }

  std::vector<double> operator()(const Ellipsoid& ellipsoid) const {
    const auto [x, y, z] = ellipsoid.semi_axes;
    if (x == y && y == z) return {0, 0, 0};
    return {};
  }

  std::vector<double> operator()(const Compound&) const { return {}; }

  // A segment on the z axis where the radius leaves no more.
  static std::vector<double> OfRound(double radius, double half_length) {
    if (radius != 0) return {};
    return {0, 0, -half_length, 0, 0, half_length};
  }
};

}  // namespace

std::vector<double> BodyVertices(const Shape& shape) {
  return std::visit(VerticesOf{}, shape.kind);
}

double BodyRadius(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape.kind))
    return shape.swept_sphere_radius + sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&shape.kind))
    return shape.swept_sphere_radius + capsule->radius;
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape.kind)) {
    const auto [x, y, z] = ellipsoid->semi_axes;
    if (x == y && y == z) return shape.swept_sphere_radius + x;
  }
  return shape.swept_sphere_radius;
}

}  // namespace clearance::client

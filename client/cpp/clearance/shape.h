// SPDX-License-Identifier: Apache-2.0
//
// Shapes and poses as plain structs. They mirror proto/clearance/v1/shape.proto, which
// states the rules: metres, every number finite, every length non-negative; the server refuses
// anything else and names the field.

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace clearance::client {

struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;
};

// The pose of a shape: a point p of the shape's frame is at R(q / |q|) p + (x, y, z) in the world.
// Metres; the quaternion in the order of ROS geometry_msgs, within 1e-3 of unit length.
struct Pose {
  double x = 0;
  double y = 0;
  double z = 0;
  double qx = 0;
  double qy = 0;
  double qz = 0;
  double qw = 1;
};

// The origin of the shape's frame.
struct Point {};

struct Segment {
  Vec3 a, b;
};

struct Triangle {
  Vec3 a, b, c;
};

// A ball about the origin.
struct Sphere {
  double radius = 0;
};

// Everything within `radius` of the segment from (0, 0, -half_length) to (0, 0, +half_length).
struct Capsule {
  double radius = 0;
  double half_length = 0;
};

// Vertex i is at (i & 1 ? + : -, i & 2 ? + : -, i & 4 ? + : -) times the half extents.
struct Box {
  Vec3 half_extents;
};

// The convex hull of points, x y z each. The adjacency is optional: see the proto.
struct Hull {
  std::vector<double> vertices;
  std::vector<std::uint32_t> adjacency_offsets;
  std::vector<std::uint32_t> adjacency;
};

// The flat convex hull of points of the plane z = 0, x y each.
struct Polygon {
  std::vector<double> vertices;
};

// About the z axis, from z = -half_length to z = +half_length.
struct Cylinder {
  double radius = 0;
  double half_length = 0;
};

// About the z axis: base at z = -half_length, apex at z = +half_length.
struct Cone {
  double radius = 0;  // of the base
  double half_length = 0;
};

// About the origin, its axes along the frame's.
struct Ellipsoid {
  Vec3 semi_axes;
};

struct Piece;

// Convex pieces that move as one body: their union.
struct Compound {
  std::vector<Piece> pieces;
};

// The body is everything within `swept_sphere_radius` of its kind.
struct Shape {
  std::variant<Point, Segment, Triangle, Sphere, Capsule, Box, Hull, Polygon, Cylinder, Cone,
               Ellipsoid, Compound>
      kind;
  double swept_sphere_radius = 0;  // 0 for a compound
};

// One piece of a compound: any shape but a compound, and its pose in the compound's frame.
struct Piece {
  Shape shape;
  Pose pose;
};

// A registered shape, by name or by content.
struct ByName {
  std::string name;
};
struct ByDigest {
  std::string digest;  // `v1-sha256-…`
};
using ShapeKey = std::variant<ByName, ByDigest>;

// The shape that a query means: a registered one, or one that lives only in this call or session.
using ShapeReference = std::variant<ByName, ByDigest, Shape>;

// The server's information about a shape. See the proto for each field.
struct ShapeInfo {
  std::string name;
  std::string digest;
  std::uint32_t point_count = 0;
  std::uint32_t vertex_count = 0;
  std::uint32_t duplicate_count = 0;
  std::uint32_t dimension = 0;
  double swept_sphere_radius = 0;  // metres
  double bounding_radius = 0;      // metres, about the origin of the shape's frame
  double volume = 0;               // cubic metres
  std::uint64_t revision = 0;
  std::uint32_t piece_count = 0;
};

// Returns the points whose hull, extended by BodyRadius, is the shape: x y z each, by the indices
// that witnesses use. Returns none for a compound, a cylinder, a cone or an ellipsoid (unless its
// lengths leave a segment or a ball), which are not hulls of points.
std::vector<double> BodyVertices(const Shape& shape);

// Returns the total radius of the spherical extension, metres.
double BodyRadius(const Shape& shape);

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
#include "internal/shape_convert.h"

#include <utility>

#include "internal/columns.h"

namespace clearance::client {
namespace {

void ToProto(const Vec3& vector, v1::Vector3* proto) {
  proto->set_x(vector.x);
  proto->set_y(vector.y);
  proto->set_z(vector.z);
}

Vec3 FromProto(const v1::Vector3& proto) { return {proto.x(), proto.y(), proto.z()}; }

// Writes the one alternative that a Shape holds.
struct KindWriter {
  v1::Shape* proto;

  void operator()(const Point&) const { proto->mutable_point(); }
  void operator()(const Segment& segment) const {
    ToProto(segment.a, proto->mutable_segment()->mutable_a());
    ToProto(segment.b, proto->mutable_segment()->mutable_b());
  }
  void operator()(const Triangle& triangle) const {
    ToProto(triangle.a, proto->mutable_triangle()->mutable_a());
    ToProto(triangle.b, proto->mutable_triangle()->mutable_b());
    ToProto(triangle.c, proto->mutable_triangle()->mutable_c());
  }
  void operator()(const Sphere& sphere) const {
    proto->mutable_sphere()->set_radius(sphere.radius);
  }
  void operator()(const Capsule& capsule) const {
    proto->mutable_capsule()->set_radius(capsule.radius);
    proto->mutable_capsule()->set_half_length(capsule.half_length);
  }
  void operator()(const Box& box) const {
    ToProto(box.half_extents, proto->mutable_box()->mutable_half_extents());
  }
  void operator()(const Hull& hull) const {
    Assign(hull.vertices, proto->mutable_hull()->mutable_vertices());
    Assign(hull.adjacency_offsets, proto->mutable_hull()->mutable_adjacency_offsets());
    Assign(hull.adjacency, proto->mutable_hull()->mutable_adjacency());
  }
  void operator()(const Polygon& polygon) const {
    Assign(polygon.vertices, proto->mutable_polygon()->mutable_vertices());
  }
  void operator()(const Cylinder& cylinder) const {
    proto->mutable_cylinder()->set_radius(cylinder.radius);
    proto->mutable_cylinder()->set_half_length(cylinder.half_length);
  }
  void operator()(const Cone& cone) const {
    proto->mutable_cone()->set_radius(cone.radius);
    proto->mutable_cone()->set_half_length(cone.half_length);
  }
  void operator()(const Ellipsoid& ellipsoid) const {
    ToProto(ellipsoid.semi_axes, proto->mutable_ellipsoid()->mutable_semi_axes());
  }
  void operator()(const Compound& compound) const {
    v1::Compound* const message = proto->mutable_compound();
    for (const Piece& piece : compound.pieces) {
      v1::Piece* const added = message->add_pieces();
      client::ToProto(piece.shape, added->mutable_shape());
      const auto& [x, y, z, qx, qy, qz, qw] = piece.pose;
      for (const double number : {x, y, z, qx, qy, qz, qw}) added->add_pose(number);
    }
  }
};

struct ReferenceWriter {
  v1::ShapeReference* proto;

  void operator()(const ByName& name) const { proto->set_name(name.name); }
  void operator()(const ByDigest& digest) const { proto->set_digest(digest.digest); }
  void operator()(const Shape& shape) const {
    client::ToProto(shape, proto->mutable_inline_shape());
  }
};

Segment FromProto(const v1::Segment& segment) {
  return {FromProto(segment.a()), FromProto(segment.b())};
}

Triangle FromProto(const v1::Triangle& triangle) {
  return {FromProto(triangle.a()), FromProto(triangle.b()), FromProto(triangle.c())};
}

Hull FromProto(const v1::Hull& hull) {
  return {ToVector(hull.vertices()), ToVector(hull.adjacency_offsets()),
          ToVector(hull.adjacency())};
}

absl::StatusOr<Piece> FromProto(const v1::Piece& proto) {
  absl::StatusOr<Shape> shape = client::FromProto(proto.shape());
  if (!shape.ok()) return shape.status();
  if (proto.pose().empty()) return Piece{*std::move(shape), {}};
  if (proto.pose_size() != 7) {
    return absl::InvalidArgumentError("the pose of a piece has 7 numbers, or none");
  }
  const double* const p = proto.pose().data();
  return Piece{*std::move(shape), {p[0], p[1], p[2], p[3], p[4], p[5], p[6]}};
}

absl::StatusOr<Shape> FromProto(const v1::Compound& proto, double radius) {
  Compound compound;
  for (const v1::Piece& message : proto.pieces()) {
    absl::StatusOr<Piece> piece = FromProto(message);
    if (!piece.ok()) return piece.status();
    compound.pieces.push_back(*std::move(piece));
  }
  return Shape{std::move(compound), radius};
}

}  // namespace

void ToProto(const Pose& pose, v1::Pose* proto) {
  ToProto({pose.x, pose.y, pose.z}, proto->mutable_translation());
  v1::Quaternion& rotation = *proto->mutable_rotation();
  rotation.set_x(pose.qx);
  rotation.set_y(pose.qy);
  rotation.set_z(pose.qz);
  rotation.set_w(pose.qw);
}

void ToProto(const Shape& shape, v1::Shape* proto) {
  proto->Clear();
  std::visit(KindWriter{proto}, shape.kind);
  proto->set_swept_sphere_radius(shape.swept_sphere_radius);
}

void ToProto(const ShapeReference& reference, v1::ShapeReference* proto) {
  proto->Clear();
  std::visit(ReferenceWriter{proto}, reference);
}

void ToProto(const ShapeInfo& info, v1::ShapeInfo* proto) {
  proto->set_name(info.name);
  proto->set_digest(info.digest);
  proto->set_point_count(info.point_count);
  proto->set_vertex_count(info.vertex_count);
  proto->set_duplicate_count(info.duplicate_count);
  proto->set_dimension(info.dimension);
  proto->set_swept_sphere_radius(info.swept_sphere_radius);
  proto->set_bounding_radius(info.bounding_radius);
  proto->set_volume(info.volume);
  proto->set_revision(info.revision);
  proto->set_piece_count(info.piece_count);
}

absl::StatusOr<Shape> FromProto(const v1::Shape& proto) {
  const double radius = proto.swept_sphere_radius();
  switch (proto.kind_case()) {
    case v1::Shape::kPoint:
      return Shape{Point{}, radius};
    case v1::Shape::kSegment:
      return Shape{FromProto(proto.segment()), radius};
    case v1::Shape::kTriangle:
      return Shape{FromProto(proto.triangle()), radius};
    case v1::Shape::kSphere:
      return Shape{Sphere{proto.sphere().radius()}, radius};
    case v1::Shape::kCapsule:
      return Shape{Capsule{proto.capsule().radius(), proto.capsule().half_length()}, radius};
    case v1::Shape::kBox:
      return Shape{Box{FromProto(proto.box().half_extents())}, radius};
    case v1::Shape::kHull:
      return Shape{FromProto(proto.hull()), radius};
    case v1::Shape::kPolygon:
      return Shape{Polygon{ToVector(proto.polygon().vertices())}, radius};
    case v1::Shape::kCylinder:
      return Shape{Cylinder{proto.cylinder().radius(), proto.cylinder().half_length()}, radius};
    case v1::Shape::kCone:
      return Shape{Cone{proto.cone().radius(), proto.cone().half_length()}, radius};
    case v1::Shape::kEllipsoid:
      return Shape{Ellipsoid{FromProto(proto.ellipsoid().semi_axes())}, radius};
    case v1::Shape::kCompound:
      return FromProto(proto.compound(), radius);
    case v1::Shape::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "shape.kind is not set, or is one that this build does not know");
}

absl::StatusOr<ShapeReference> FromProto(const v1::ShapeReference& proto) {
  switch (proto.reference_case()) {
    case v1::ShapeReference::kName:
      return ByName{proto.name()};
    case v1::ShapeReference::kDigest:
      return ByDigest{proto.digest()};
    case v1::ShapeReference::kInlineShape: {
      absl::StatusOr<Shape> shape = FromProto(proto.inline_shape());
      if (!shape.ok()) return shape.status();
      return *std::move(shape);
    }
    case v1::ShapeReference::REFERENCE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("reference is not set");
}

ShapeInfo FromProto(const v1::ShapeInfo& proto) {
  return {.name = proto.name(),
          .digest = proto.digest(),
          .point_count = proto.point_count(),
          .vertex_count = proto.vertex_count(),
          .duplicate_count = proto.duplicate_count(),
          .dimension = proto.dimension(),
          .swept_sphere_radius = proto.swept_sphere_radius(),
          .bounding_radius = proto.bounding_radius(),
          .volume = proto.volume(),
          .revision = proto.revision(),
          .piece_count = proto.piece_count()};
}

}  // namespace clearance::client

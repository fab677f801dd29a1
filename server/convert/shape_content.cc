// SPDX-License-Identifier: Apache-2.0

#include "server/convert/shape_content.h"

#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "absl/types/span.h"
#include "core/shape/make_shape.h"
#include "server/guard/refusal.h"
#include "server/registry/digest.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kCoordinatesOfPoint = 3;
constexpr std::uint64_t kCoordinatesOfPlanePoint = 2;

template <class T>
absl::Span<const T> SpanOf(const google::protobuf::RepeatedField<T>& field) {
  return absl::MakeConstSpan(field.data(), static_cast<std::size_t>(field.size()));
}

Vec3d VectorOf(const v1::Vector3& v) { return {v.x(), v.y(), v.z()}; }

std::string KindName(const v1::Shape& shape) {
  const auto* const field = v1::Shape::descriptor()->FindFieldByNumber(shape.kind_case());
  return field == nullptr ? "kind" : field->name();
}

void AddVector(const v1::Vector3& v, CanonicalContent* canonical) {
  canonical->Add(v.x());
  canonical->Add(v.y());
  canonical->Add(v.z());
}

void AddHull(const v1::Hull& hull, CanonicalContent* canonical) {
  canonical->AddList(SpanOf(hull.vertices()));
  canonical->AddList(SpanOf(hull.adjacency_offsets()));
  canonical->AddList(SpanOf(hull.adjacency()));
}

void AddTriangle(const v1::Triangle& triangle, CanonicalContent* canonical) {
  AddVector(triangle.a(), canonical);
  AddVector(triangle.b(), canonical);
  AddVector(triangle.c(), canonical);
}

void AddKind(const v1::Shape& shape, CanonicalContent* canonical) {
  switch (shape.kind_case()) {
    case v1::Shape::kSegment:
      AddVector(shape.segment().a(), canonical);
      return AddVector(shape.segment().b(), canonical);
    case v1::Shape::kTriangle:
      return AddTriangle(shape.triangle(), canonical);
    case v1::Shape::kSphere:
      return canonical->Add(shape.sphere().radius());
    case v1::Shape::kCapsule:
      canonical->Add(shape.capsule().radius());
      return canonical->Add(shape.capsule().half_length());
    case v1::Shape::kBox:
      return AddVector(shape.box().half_extents(), canonical);
    case v1::Shape::kHull:
      return AddHull(shape.hull(), canonical);
    case v1::Shape::kPolygon:
      return canonical->AddList(SpanOf(shape.polygon().vertices()));
    case v1::Shape::kCylinder:
      canonical->Add(shape.cylinder().radius());
      return canonical->Add(shape.cylinder().half_length());
    case v1::Shape::kCone:
      canonical->Add(shape.cone().radius());
      return canonical->Add(shape.cone().half_length());
    case v1::Shape::kEllipsoid:
      return AddVector(shape.ellipsoid().semi_axes(), canonical);
    case v1::Shape::kPoint:
    case v1::Shape::KIND_NOT_SET:
      return;
  }
}

std::string DigestOf(const v1::Shape& shape) {
  CanonicalContent canonical(static_cast<std::uint8_t>(shape.kind_case()), shape.radius());
  AddKind(shape, &canonical);
  return canonical.Digest();
}

ShapeOrError MakeHullKind(const v1::Hull& hull, double radius) {
  if (hull.adjacency_offsets().empty() && hull.adjacency().empty())
    return MakeHull(SpanOf(hull.vertices()), radius);
  const GivenAdjacency adjacency{SpanOf(hull.adjacency_offsets()), SpanOf(hull.adjacency())};
  return MakeHullWithAdjacency(SpanOf(hull.vertices()), adjacency, radius);
}

ShapeOrError MakeKind(const v1::Shape& shape) {
  const double radius = shape.radius();
  switch (shape.kind_case()) {
    case v1::Shape::kSegment:
      return MakeSegment(VectorOf(shape.segment().a()), VectorOf(shape.segment().b()), radius);
    case v1::Shape::kTriangle:
      return MakeTriangle(VectorOf(shape.triangle().a()), VectorOf(shape.triangle().b()),
                          VectorOf(shape.triangle().c()), radius);
    case v1::Shape::kSphere:
      return MakeSphere(shape.sphere().radius(), radius);
    case v1::Shape::kCapsule:
      return MakeCapsule(shape.capsule().radius(), shape.capsule().half_length(), radius);
    case v1::Shape::kBox:
      return MakeBox(VectorOf(shape.box().half_extents()), radius);
    case v1::Shape::kHull:
      return MakeHullKind(shape.hull(), radius);
    case v1::Shape::kPolygon:
      return MakePolygon(SpanOf(shape.polygon().vertices()), radius);
    case v1::Shape::kCylinder:
      return MakeCylinder(shape.cylinder().radius(), shape.cylinder().half_length(), radius);
    case v1::Shape::kCone:
      return MakeCone(shape.cone().radius(), shape.cone().half_length(), radius);
    case v1::Shape::kEllipsoid:
      return MakeEllipsoid(VectorOf(shape.ellipsoid().semi_axes()), radius);
    case v1::Shape::kPoint:
    case v1::Shape::KIND_NOT_SET:
      break;
  }
  return MakePoint(radius);
}

// Points of a list of coordinates; a kind without one has none to check.
absl::Status CheckPoints(std::uint64_t numbers, std::uint64_t numbers_a_point,
                         const Limits& limits) {
  if (numbers == 0 || numbers % numbers_a_point != 0) {
    return RefuseArgument(
        {.field = "vertices",
         .value = FormatNumber(numbers) + " numbers",
         .limit = FormatNumber(numbers_a_point) + " numbers a point, at least one point",
         .message = "The vertices are not whole points; send all coordinates of each."});
  }
  const std::uint64_t points = numbers / numbers_a_point;
  if (points <= limits.max_shape_vertices) return absl::OkStatus();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "vertices",
                 .value = FormatNumber(points) + " points",
                 .limit = "max_shape_vertices <= " + FormatNumber(limits.max_shape_vertices),
                 .message = "The shape has too many points; send its hull alone, or simplify it."});
}

absl::Status CheckShape(const v1::Shape& shape, const Limits& limits) {
  if (shape.kind_case() == v1::Shape::KIND_NOT_SET) {
    return RefuseArgument(
        {.field = "kind",
         .value = "unset",
         .limit =
             "point, segment, triangle, sphere, capsule, box, hull, polygon, cylinder, cone or "
             "ellipsoid",
         .message = "The shape has no kind that this server knows."});
  }
  if (!std::isfinite(shape.radius()) || shape.radius() < 0) {
    return RefuseArgument({.field = "radius",
                           .value = FormatNumber(shape.radius()),
                           .limit = "finite, >= 0",
                           .message = "The radius of the extension is no length."});
  }
  if (shape.has_hull()) {
    return Under("hull", CheckPoints(shape.hull().vertices_size(), kCoordinatesOfPoint, limits));
  }
  if (shape.has_polygon()) {
    return Under("polygon",
                 CheckPoints(shape.polygon().vertices_size(), kCoordinatesOfPlanePoint, limits));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ShapeContentPtr> BuildContent(const v1::Shape& shape, const Limits& limits,
                                             const Registry& registry) {
  if (absl::Status status = CheckShape(shape, limits); !status.ok()) return status;
  std::string digest = DigestOf(shape);
  if (ShapeContentPtr held = registry.FindContent(digest); held != nullptr) return held;

  ShapeOrError made = MakeKind(shape);
  if (const ShapeError* const error = std::get_if<ShapeError>(&made)) {
    return Under(KindName(shape),
                 RefuseArgument({error->field, error->value, error->limit, error->message}));
  }
  return std::make_shared<const ShapeContent>(ShapeContent{
      std::move(digest), std::get<ConvexShapePtr>(std::move(made)), shape.SerializeAsString()});
}

std::uint64_t HullPointCount(const v1::Shape& shape) {
  return shape.hull().vertices_size() / kCoordinatesOfPoint +
         shape.polygon().vertices_size() / kCoordinatesOfPlanePoint;
}

void FillShapeInfo(const NamedShape& shape, v1::ShapeInfo* info) {
  const ConvexShape& convex = *shape.content->shape;
  info->set_name(shape.name);
  info->set_digest(shape.content->digest);
  info->set_point_count(convex.point_count());
  info->set_vertex_count(convex.vertex_count());
  info->set_duplicate_count(convex.duplicate_count());
  info->set_dimension(static_cast<std::uint32_t>(convex.dimension()));
  info->set_radius(convex.radius());
  info->set_bounding_radius(convex.bounding_radius());
  info->set_volume(convex.volume());
  info->set_revision(shape.revision);
}

}  // namespace clearance::server

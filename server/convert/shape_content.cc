// SPDX-License-Identifier: Apache-2.0

#include "server/convert/shape_content.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "core/shape/rigid_body.h"
#include "server/convert/batch_form.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kCoordinatesOfPoint = 3;
constexpr std::uint64_t kCoordinatesOfPlanePoint = 2;
constexpr double kLargest = std::numeric_limits<double>::max();

Vec3d VectorOf(const v1::Vector3& v) { return {v.x(), v.y(), v.z()}; }

std::string KindName(const v1::Shape& shape) {
  const auto* const field = v1::Shape::descriptor()->FindFieldByNumber(shape.kind_case());
  return field == nullptr ? "kind" : field->name();
}

std::uint8_t KindByte(const v1::Shape& shape) {
  return static_cast<std::uint8_t>(shape.kind_case());
}

ShapeOrError MakeHullKind(const v1::Hull& hull, double radius, Pacer* pacer) {
  if (hull.adjacency_offsets().empty() && hull.adjacency().empty())
    return MakeHull(hull.vertices(), radius, pacer);
  return MakeHullWithAdjacency(hull.vertices(), {hull.adjacency_offsets(), hull.adjacency()},
                               radius, pacer);
}

// Requires: not a compound.
ShapeOrError MakeConvexKind(const v1::Shape& shape, Pacer* pacer) {
  const double radius = shape.swept_sphere_radius();
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
      return MakeHullKind(shape.hull(), radius, pacer);
    case v1::Shape::kPolygon:
      return MakePolygon(shape.polygon().vertices(), radius);
    case v1::Shape::kCylinder:
      return MakeCylinder(shape.cylinder().radius(), shape.cylinder().half_length(), radius);
    case v1::Shape::kCone:
      return MakeCone(shape.cone().radius(), shape.cone().half_length(), radius);
    case v1::Shape::kEllipsoid:
      return MakeEllipsoid(VectorOf(shape.ellipsoid().semi_axes()), radius);
    case v1::Shape::kPoint:
    case v1::Shape::kCompound:
    case v1::Shape::KIND_NOT_SET:
      break;
  }
  return MakePoint(radius);
}

// Checks the points of a list of coordinates; kinds without such a list need no check.
absl::Status CheckPoints(std::uint64_t numbers, std::uint64_t numbers_a_point,
                         const Limits& limits) {
  if (numbers == 0 || numbers % numbers_a_point != 0) {
    return RefuseArgument(
        {.reason = Reason::kShapeInvalid,
         .field = "vertices",
         .value = FormatNumber(numbers) + " numbers",
         .limit = FormatNumber(numbers_a_point) + " numbers a point, at least one point",
         .message = "The vertices are not whole points; send all coordinates of each."});
  }
  return CheckMost(
      numbers / numbers_a_point, {"max_shape_vertices", limits.max_shape_vertices},
      {.reason = Reason::kShapeTooLarge,
       .field = "vertices",
       .unit = " points",
       .message = "The shape has too many points; send its hull alone, or simplify it."});
}

absl::Status CheckRadius(const v1::Shape& shape) {
  absl::Status status = CheckNotNegative("swept_sphere_radius", shape.swept_sphere_radius());
  if (!status.ok() || !shape.has_compound() || shape.swept_sphere_radius() == 0) return status;
  return RefuseArgument({.reason = Reason::kFieldsConflict,
                         .field = "swept_sphere_radius",
                         .value = FormatNumber(shape.swept_sphere_radius()),
                         .limit = "0 of a compound",
                         .message = "A compound has no radius; give it to the pieces."});
}

// Checks a shape that is not a compound, or one piece.
absl::Status CheckConvex(const v1::Shape& shape, const Limits& limits) {
  if (shape.kind_case() == v1::Shape::KIND_NOT_SET) {
    return RefuseArgument(
        {.reason = Reason::kKindUnknown,
         .field = "kind",
         .value = "unset",
         .limit = "point, segment, triangle, sphere, capsule, box, hull, polygon, cylinder, cone, "
                  "ellipsoid or compound",
         .message = "The shape has no kind that this server knows."});
  }
  if (absl::Status status = CheckRadius(shape); !status.ok()) return status;
  if (shape.has_hull()) {
    return Under("hull", CheckPoints(shape.hull().vertices_size(), kCoordinatesOfPoint, limits));
  }
  if (shape.has_polygon()) {
    return Under("polygon",
                 CheckPoints(shape.polygon().vertices_size(), kCoordinatesOfPlanePoint, limits));
  }
  return absl::OkStatus();
}

absl::Status CheckPiece(const v1::Piece& piece, const Limits& limits) {
  if (piece.shape().has_compound()) {
    return RefuseArgument({.reason = Reason::kShapeInvalid,
                           .field = "shape.kind",
                           .value = "compound",
                           .limit = "any kind but compound",
                           .message = "A piece of a compound is a compound; list its pieces."});
  }
  if (absl::Status status = CheckConvex(piece.shape(), limits); !status.ok())
    return Under("shape", status);
  const auto numbers = static_cast<std::uint64_t>(piece.pose_size());
  if (numbers == 0 || numbers == kPoseNumbers) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kColumnLength,
                         .field = "pose",
                         .value = FormatNumber(numbers) + " numbers",
                         .limit = FormatNumber(std::uint64_t{kPoseNumbers}) + " numbers, or none",
                         .message = "The pose of a piece is x y z qx qy qz qw."});
}

absl::Status CheckPieces(const v1::Compound& compound, const Limits& limits) {
  absl::Status status =
      CheckMost(compound.pieces_size(), {"max_pieces_per_shape", limits.max_pieces_per_shape},
                {.reason = Reason::kShapeTooLarge,
                 .field = "pieces",
                 .message = "The compound has too many pieces; merge some, or split it."});
  std::uint64_t points = 0;
  for (int i = 0; status.ok() && i < compound.pieces_size(); ++i) {
    status = Under(Indexed("pieces", i), CheckPiece(compound.pieces(i), limits));
    points += HullPointCount(compound.pieces(i).shape());
  }
  if (!status.ok()) return status;
  return CheckMost(points, {"max_shape_vertices", limits.max_shape_vertices},
                   {.reason = Reason::kShapeTooLarge,
                    .field = "pieces",
                    .unit = " points",
                    .message = "The pieces have too many points together; simplify them."});
}

absl::Status CheckShape(const v1::Shape& shape, const Limits& limits) {
  if (absl::Status status = CheckConvex(shape, limits); !status.ok()) return status;
  return Under("compound", CheckPieces(shape.compound(), limits));
}

absl::Status Refusal(const ShapeError& error) {
  return RefuseArgument(
      {Reason::kShapeInvalid, error.field, error.value, error.limit, error.message});
}

// Returns null once the pacer has stopped, as do the functions below that make bodies of it.
absl::StatusOr<ConvexShapePtr> MakeConvex(const v1::Shape& shape, Pacer* pacer) {
  ShapeOrError made = MakeConvexKind(shape, pacer);
  if (const ShapeError* const error = std::get_if<ShapeError>(&made)) {
    return Under(KindName(shape), Refusal(*error));
  }
  return std::get<ConvexShapePtr>(std::move(made));
}

absl::StatusOr<RigidBodyPtr> MakePieces(const v1::Compound& compound, Pacer* pacer) {
  std::vector<Piece> pieces;
  for (int i = 0; i < compound.pieces_size(); ++i) {
    const v1::Piece& piece = compound.pieces(i);
    auto shape = MakeConvex(piece.shape(), pacer);
    if (!shape.ok()) return Under(Indexed("pieces", i), Under("shape", shape.status()));
    if (*shape == nullptr) return nullptr;
    const Rows<double> pose = {piece.pose().empty() ? kAtOrigin.data() : piece.pose().data()};
    pieces.push_back({*std::move(shape), PoseAt(pose, 0)});
  }
  BodyOrError made = MakeCompound(std::move(pieces));
  if (const ShapeError* const error = std::get_if<ShapeError>(&made)) return Refusal(*error);
  return std::get<RigidBodyPtr>(std::move(made));
}

absl::StatusOr<RigidBodyPtr> BuildBody(const v1::Shape& shape, Pacer* pacer) {
  if (shape.has_compound()) {
    auto body = MakePieces(shape.compound(), pacer);
    if (!body.ok()) return Under("compound", body.status());
    return body;
  }
  auto convex = MakeConvex(shape, pacer);
  if (!convex.ok()) return convex.status();
  if (*convex == nullptr) return nullptr;
  return MakeBody(*std::move(convex));
}

// Adds the numbers of a message, and of those in it, in the order of their fields.
// NOLINTNEXTLINE(misc-no-recursion): messages nest two deep.
void AddFields(const google::protobuf::Message& message, CanonicalContent* canonical) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const auto* const field = message.GetDescriptor()->field(i);
    if (field->message_type() != nullptr) {
      AddFields(fields.GetMessage(message, field), canonical);
    } else {
      canonical->Add(fields.GetDouble(message, field));
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): a piece is no compound.
void AddKindOf(const v1::Shape& shape, CanonicalContent* canonical) {
  const auto* const kind = shape.GetDescriptor()->FindFieldByNumber(shape.kind_case());
  if (kind == nullptr) return;
  if (shape.has_hull()) {
    canonical->AddList(shape.hull().vertices());
    canonical->AddList(shape.hull().adjacency_offsets());
    return canonical->AddList(shape.hull().adjacency());
  }
  if (shape.has_polygon()) return canonical->AddList(shape.polygon().vertices());
  if (!shape.has_compound())
    return AddFields(shape.GetReflection()->GetMessage(shape, kind), canonical);
  canonical->AddCount(static_cast<std::uint64_t>(shape.compound().pieces_size()));
  for (const v1::Piece& piece : shape.compound().pieces()) {
    canonical->AddKind(KindByte(piece.shape()), piece.shape().swept_sphere_radius());
    AddKindOf(piece.shape(), canonical);
    canonical->AddList(piece.pose());
  }
}

}  // namespace

std::string DigestOf(const v1::Shape& shape) {
  CanonicalContent canonical(KindByte(shape), shape.swept_sphere_radius());
  AddKindOf(shape, &canonical);
  return canonical.Digest();
}

absl::StatusOr<ShapeContentPtr> BuildContent(const v1::Shape& shape, const Limits& limits,
                                             const Registry& registry, Pacer* pacer) {
  try {
    if (absl::Status status = CheckShape(shape, limits); !status.ok()) return status;
    std::string digest = DigestOf(shape);
    if (ShapeContentPtr held = registry.FindContent(digest); held != nullptr) return held;
    auto body = BuildBody(shape, pacer);
    if (!body.ok()) return body.status();
    if (*body == nullptr) return nullptr;
    return std::make_shared<const ShapeContent>(
        ShapeContent{std::move(digest), *std::move(body), shape.SerializeAsString()});
  } catch (const std::bad_alloc&) {
    constexpr absl::Duration kWait = absl::Seconds(1);
    return Refuse(absl::StatusCode::kResourceExhausted,
                  {.reason = Reason::kServerMemory,
                   .field = KindName(shape),
                   .value = FormatNumber(HullPointCount(shape)) + " points",
                   .limit = "the server's memory",
                   .message = "The server has no memory to build the shape.",
                   .retry_after = kWait});
  }
}

// NOLINTNEXTLINE(misc-no-recursion): protobuf bounds how deep a message nests.
std::uint64_t HullPointCount(const v1::Shape& shape) {
  std::uint64_t points = shape.hull().vertices_size() / kCoordinatesOfPoint +
                         shape.polygon().vertices_size() / kCoordinatesOfPlanePoint;
  for (const v1::Piece& piece : shape.compound().pieces()) points += HullPointCount(piece.shape());
  return points;
}

void FillShapeInfo(const NamedShape& shape, v1::ShapeInfo* info) {
  const RigidBody& body = *shape.content->body;
  info->Clear();
  info->set_name(shape.name);
  info->set_digest(shape.content->digest);
  info->set_bounding_radius(body.bounding_radius());
  info->set_revision(shape.revision);
  info->set_piece_count(static_cast<std::uint32_t>(body.pieces().size()));
  if (!body.is_compound()) info->set_swept_sphere_radius(body.pieces()[0].shape->radius());
  for (const Piece& piece : body.pieces()) {
    const ConvexShape& convex = *piece.shape;
    info->set_point_count(info->point_count() + convex.point_count());
    info->set_vertex_count(info->vertex_count() + convex.vertex_count());
    info->set_duplicate_count(info->duplicate_count() + convex.duplicate_count());
    info->set_dimension(
        std::max(info->dimension(), static_cast<std::uint32_t>(convex.dimension())));
    info->set_volume(std::min(info->volume() + convex.volume(), kLargest));
  }
}

}  // namespace clearance::server

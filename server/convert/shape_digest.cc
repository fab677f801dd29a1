// SPDX-License-Identifier: Apache-2.0

#include "server/convert/shape_digest.h"

#include <cstdint>

#include "server/convert/repeated_field_span.h"
#include "server/registry/digest.h"

namespace clearance::server {
namespace {

std::uint8_t KindByte(const v1::Shape& shape) {
  return static_cast<std::uint8_t>(shape.kind_case());
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

void AddNumbers(const v1::Shape& shape, CanonicalContent* canonical);

void AddCompound(const v1::Compound& compound, CanonicalContent* canonical) {
  canonical->AddCount(static_cast<std::uint64_t>(compound.pieces_size()));
  for (const v1::Piece& piece : compound.pieces()) {
    canonical->AddKind(KindByte(piece.shape()), piece.shape().swept_sphere_radius());
    AddNumbers(piece.shape(), canonical);
    canonical->AddList(SpanOf(piece.pose()));
  }
}

// NOLINTNEXTLINE(misc-no-recursion): a piece is no compound.
void AddNumbers(const v1::Shape& shape, CanonicalContent* canonical) {
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
    case v1::Shape::kCompound:
      return AddCompound(shape.compound(), canonical);
    case v1::Shape::kPoint:
    case v1::Shape::KIND_NOT_SET:
      return;
  }
}

}  // namespace

std::string DigestOf(const v1::Shape& shape) {
  CanonicalContent canonical(KindByte(shape), shape.swept_sphere_radius());
  AddNumbers(shape, &canonical);
  return canonical.Digest();
}

}  // namespace clearance::server

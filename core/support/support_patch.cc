// SPDX-License-Identifier: Apache-2.0

#include "core/support/support_patch.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/math/tolerance.h"
#include "core/support/support_point.h"

namespace clearance {
namespace {

using Corners = absl::Span<const std::uint32_t>;

constexpr double kFaceSineSquared = kContactFaceSine * kContactFaceSine;
constexpr std::uint32_t kNone = 0xffffffff;

void Append(const Vec3d& corner, std::uint32_t name, SupportPatch* patch) {
  patch->corner[patch->size] = corner;
  patch->name[patch->size] = name;
  ++patch->size;
}

SupportPatch PointPatch(const Vec3d& corner, std::uint32_t name) {
  SupportPatch patch;
  Append(corner, name, &patch);
  patch.feature = {name, name};
  return patch;
}

// Requires: name_a < name_b.
SupportPatch EdgePatch(const Vec3d& a, std::uint32_t name_a, const Vec3d& b, std::uint32_t name_b) {
  SupportPatch patch;
  Append(a, name_a, &patch);
  Append(b, name_b, &patch);
  patch.feature = {name_a, name_b};
  return patch;
}

// Returns a normal as long as twice the area, for any number of corners (Newell).
Vec3d FaceNormal(const ConvexShape& shape, Corners corners) {
  const Vec3d apex = shape.vertex(corners[0]);
  Vec3d normal;
  for (std::size_t i = 2; i < corners.size(); ++i) {
    normal = normal + Cross(shape.vertex(corners[i - 1]) - apex, shape.vertex(corners[i]) - apex);
  }
  return normal;
}

// The indices of vertices ascend with the caller's, so the least of one is the least of the other.
SupportPatch FacePatch(const ConvexShape& shape, Corners corners) {
  SupportPatch patch;
  patch.normal = FaceNormal(shape, corners);
  patch.feature = {shape.original_index(corners.back()), shape.original_index(corners.front())};
  patch.is_thinned = corners.size() > SupportPatch::kCapacity;
  const std::size_t size = std::min<std::size_t>(corners.size(), SupportPatch::kCapacity);
  for (std::size_t i = 0; i < size; ++i) {
    const VertexIndex v = corners[i * corners.size() / size];
    Append(shape.vertex(v), shape.original_index(v), &patch);
  }
  return patch;
}

// Returns the face at the vertex that is most nearly across d; kNone if none is near enough. If
// products of a body's own lengths underflow, a face has no normal and is passed over: the
// comparison with the quotient of two zeros is false.
std::uint32_t FlattestFace(const ConvexShape& shape, const Vec3d& d, VertexIndex vertex) {
  std::uint32_t flattest = kNone;
  double least = kFaceSineSquared;
  for (const std::uint32_t face : shape.faces().FacesOf(vertex)) {
    const Vec3d normal = FaceNormal(shape, shape.faces().CornersOf(face));
    const double sine_squared = NormSquared(Cross(normal, d)) / NormSquared(normal);
    if (Dot(normal, d) > 0 && sine_squared < least) {
      least = sine_squared;
      flattest = face;
    }
  }
  return flattest;
}

// Returns the other end of the edge at the vertex that is most nearly across d; kNone if none is
// near enough.
VertexIndex FlattestEdge(const ConvexShape& shape, const Vec3d& d, VertexIndex vertex) {
  VertexIndex flattest = kNone;
  double least = kFaceSineSquared;
  for (const std::uint32_t face : shape.faces().FacesOf(vertex)) {
    const Corners corners = shape.faces().CornersOf(face);
    const auto at = std::find(corners.begin(), corners.end(), vertex) + 1;
    const VertexIndex next = at == corners.end() ? corners.front() : *at;
    const Vec3d edge = shape.vertex(next) - shape.vertex(vertex);
    const double fall = Dot(d, edge);
    const double sine_squared = fall * fall / NormSquared(edge);
    if (sine_squared < least) {
      least = sine_squared;
      flattest = next;
    }
  }
  return flattest;
}

SupportPatch PolytopePatch(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  const VertexIndex vertex = SupportVertex(shape, d, start);
  const std::uint32_t face = FlattestFace(shape, d, vertex);
  if (face != kNone) return FacePatch(shape, shape.faces().CornersOf(face));
  const VertexIndex other = FlattestEdge(shape, d, vertex);
  if (other == kNone) return PointPatch(shape.vertex(vertex), shape.original_index(vertex));
  const auto [a, b] = std::minmax(vertex, other);
  return EdgePatch(shape.vertex(a), shape.original_index(a), shape.vertex(b),
                   shape.original_index(b));
}

// Returns an octagon in the circle at height z about the z axis, seen from above if `up`, its
// corners named from `first_name` on.
SupportPatch CapPatch(double radius, double z, std::uint32_t first_name, bool up) {
  const double c = std::sqrt(0.5) * radius;
  const Vec3d fan[] = {{radius, 0, z},  {c, c, z},   {0, radius, z},  {-c, c, z},
                       {-radius, 0, z}, {-c, -c, z}, {0, -radius, z}, {c, -c, z}};
  SupportPatch patch;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t k = up ? i : (8 - i) % 8;
    Append(fan[k], first_name + k, &patch);
  }
  patch.normal = {0, 0, up ? 1.0 : -1.0};
  patch.feature = {patch.name[7], patch.name[0]};
  return patch;
}

SupportPatch CylinderPatch(const Vec3d& extents, const Vec3d& d) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  const bool is_up = !(d.z < 0);
  if (across < kContactFaceSine) {
    return CapPatch(extents.x, is_up ? extents.z : -extents.z, is_up ? 0 : 8, is_up);
  }
  const double scale = extents.x / across;
  const Vec3d top = {scale * d.x, scale * d.y, extents.z};
  const Vec3d bottom = {top.x, top.y, -extents.z};
  if (std::fabs(d.z) < kContactFaceSine && extents.z > 0) return EdgePatch(top, 16, bottom, 17);
  return is_up ? PointPatch(top, 16) : PointPatch(bottom, 17);
}

SupportPatch ConePatch(const Vec3d& extents, const Vec3d& d) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  if (across < kContactFaceSine && (d.z < 0 || extents.z == 0)) {
    const bool is_up = !(d.z < 0);
    return CapPatch(extents.x, -extents.z, 0, is_up);
  }
  const Vec3d apex = {0, 0, extents.z};
  if (!(across > 0)) return PointPatch(apex, 8);
  const double scale = extents.x / across;
  const Vec3d rim = {scale * d.x, scale * d.y, -extents.z};
  const Vec3d line = rim - apex;
  const double fall = Dot(d, line);
  const bool is_side = fall * fall < kFaceSineSquared * NormSquared(line) && extents.z > 0;
  if (is_side) return EdgePatch(apex, 8, rim, 9);
  return fall > 0 ? PointPatch(rim, 9) : PointPatch(apex, 8);
}

}  // namespace

SupportPatch FindSupportPatch(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  switch (shape.kind()) {
    case CoreKind::kPolytope:
      return PolytopePatch(shape, d, start);
    case CoreKind::kCylinder:
      return CylinderPatch(shape.extents(), d);
    case CoreKind::kCone:
      return ConePatch(shape.extents(), d);
    case CoreKind::kEllipsoid:  // has no flat side
      break;
  }
  return PointPatch(CurvedSupportPoint(shape, d), 0);
}

}  // namespace clearance

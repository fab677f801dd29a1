// SPDX-License-Identifier: Apache-2.0
//
// The hull is exact if the points are on the predicate grid, as all are whose coordinates along one
// axis do not differ by more than some hundred orders of magnitude. For other points the hull is
// that of the rounded points: good enough for the dimension and the volume, but not a proof. Then
// every distinct point is kept and none is climbed to.

#include "core/shape/shape_assembly.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/math/assert.h"
#include "core/math/tolerance.h"
#include "core/shape/climb_graph_builder.h"
#include "core/shape/hull_faces.h"

namespace clearance {
namespace {

// Returns the vertices of the shape as indices of distinct points: those of the hull, then all that
// are not proved to lie inside.
std::vector<std::uint32_t> ChooseVertices(const Assembly& assembly) {
  std::vector<std::uint32_t> chosen = assembly.hull.vertices;
  if (assembly.grid.is_exact) return chosen;
  const std::vector<std::uint32_t>& corners = assembly.hull.vertices;
  for (std::uint32_t i = 0; i < assembly.distinct.points.size(); ++i) {
    if (!std::binary_search(corners.begin(), corners.end(), i)) chosen.push_back(i);
  }
  return chosen;
}

bool IsWorthClimbing(const Assembly& assembly) {
  return assembly.grid.is_exact && assembly.hull.dimension == 3 &&
         assembly.hull.vertices.size() >= kClimbThreshold;
}

// Returns a sixth of the sum of the parallelepipeds from one vertex over all triangles. A volume
// too large for a double becomes the largest one.
double VolumeOf(const Assembly& assembly) {
  const Surface& surface = assembly.hull.surface;
  if (surface.empty()) return 0;
  const std::vector<Vec3d>& points = assembly.grid.points;
  const Vec3d& apex = points[surface[0].vertex[0]];
  double sum = 0;
  for (const SurfaceTriangle& triangle : surface) {
    const Vec3d a = points[triangle.vertex[0]] - apex;
    const Vec3d b = points[triangle.vertex[1]] - apex;
    const Vec3d c = points[triangle.vertex[2]] - apex;
    sum += Dot(a, Cross(b, c));
  }
  const auto& e = assembly.grid.exponents;
  const double volume = std::ldexp(std::max(sum, 0.0) / 6, e[0] + e[1] + e[2]);
  return std::min(volume, std::numeric_limits<double>::max());
}

// Cubic metres of a normalised core.
double CurvedVolume(CoreKind kind, const Vec3d& extents) {
  const double box = extents.x * extents.y * extents.z;
  switch (kind) {
    case CoreKind::kCylinder:
      return 2 * kPi * box;
    case CoreKind::kCone:
      return 2.0 / 3 * kPi * box;
    case CoreKind::kEllipsoid:
      return 4.0 / 3 * kPi * box;
    case CoreKind::kPolytope:  // its surface gives the volume
      break;
  }
  return 0;
}

}  // namespace

Assembly Assemble(absl::Span<const Vec3d> points, const DoubleDouble& radius, Pacer* pacer) {
  CLEARANCE_ASSERT(!points.empty());
  Assembly assembly;
  assembly.distinct = RemoveDuplicates(points);
  const CenteredPoints centered = Center(assembly.distinct.points);
  const NormalizedPoints normalized = Normalize(centered.offsets);
  assembly.grid = SnapToGrid(centered.offsets);
  assembly.hull = BuildHull(assembly.grid.points, pacer);
  if (HasStopped(pacer)) return assembly;

  ConvexShape::Content content;
  const std::vector<std::uint32_t> chosen = ChooseVertices(assembly);
  std::vector<Vec3d> vertices;
  vertices.reserve(chosen.size());
  for (auto* axis : {&content.x, &content.y, &content.z}) axis->reserve(chosen.size());
  content.original_index.reserve(chosen.size());
  for (const std::uint32_t i : chosen) {
    vertices.push_back(normalized.vertices[i]);
    content.x.push_back(vertices.back().x);
    content.y.push_back(vertices.back().y);
    content.z.push_back(vertices.back().z);
    content.original_index.push_back(assembly.distinct.original_index[i]);
  }
  if (IsWorthClimbing(assembly)) {
    content.climb_graph = BuildClimbGraph({assembly.hull, assembly.grid.points, vertices}, pacer);
  }
  if (HasStopped(pacer)) return assembly;
  content.faces = BuildFaces(assembly.hull);
  content.is_exact = normalized.is_exact;
  content.is_certified_convex = assembly.grid.is_exact;
  content.center = centered.center;
  content.exponent = normalized.exponent;
  content.radius = radius.hi;
  content.radius_low = radius.lo;
  content.point_count = static_cast<std::uint32_t>(points.size());
  content.duplicate_count =
      static_cast<std::uint32_t>(points.size() - assembly.distinct.points.size());
  content.dimension = assembly.hull.dimension;
  content.volume = VolumeOf(assembly);
  assembly.shape = std::make_shared<const ConvexShape>(std::move(content));
  return assembly;
}

ConvexShapePtr AssembleCurved(CoreKind kind, const Vec3d& extents, double radius) {
  CLEARANCE_ASSERT(extents.x > 0 && extents.y > 0 && extents.z >= 0);
  const Vec3d points[] = {extents};
  const NormalizedPoints normalized = Normalize(points);
  const double volume = CurvedVolume(kind, normalized.vertices[0]);
  ConvexShape::Content content;
  content.kind = kind;
  content.extents = normalized.vertices[0];
  content.exponent = normalized.exponent;
  content.radius = radius;
  content.dimension = extents.z == 0 ? 2 : 3;
  content.volume =
      std::min(std::ldexp(volume, 3 * normalized.exponent), std::numeric_limits<double>::max());
  return std::make_shared<const ConvexShape>(std::move(content));
}

}  // namespace clearance

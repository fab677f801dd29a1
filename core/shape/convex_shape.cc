// SPDX-License-Identifier: Apache-2.0

#include "core/shape/convex_shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math/rounding.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

// More than the roundings of a sum of two vectors and of its length together (under 6 u).
constexpr double kLengthRoundUp = 1 + 8 * kRoundoff;

// Returns a radius about -center that holds all vertices, everything in units of 2^exponent.
double RadiusAbout(const ConvexShape& shape, const Vec3d& center, int vertex_exponent) {
  double largest = 0;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    largest = std::max(largest, NormSquared(center + Scaled(shape.vertex(i), vertex_exponent)));
  }
  return std::sqrt(largest) * kLengthRoundUp;
}

// Returns a radius about the centre that holds all points of a curved core, normalised.
double CurvedRadius(CoreKind kind, const Vec3d& extents) {
  const auto [x, y, z] = extents;
  switch (kind) {
    case CoreKind::kCylinder:
    case CoreKind::kCone:
      return std::sqrt(x * x + z * z) * kLengthRoundUp;
    case CoreKind::kEllipsoid:
      return std::max({x, y, z});
    case CoreKind::kPolytope:  // has vertices
      break;
  }
  return 0;
}

// Returns the greatest distance of a point of the core from the origin, metres, rounded up.
double ReachOfCore(const ConvexShape& shape) {
  if (shape.is_curved()) return ScaleUp(shape.core_radius(), shape.exponent());
  const Vec3d& c = shape.center();
  const int unit = std::max(shape.exponent(), Exponent(c));
  return ScaleUp(RadiusAbout(shape, Scaled(c, -unit), shape.exponent() - unit), unit);
}

template <class T>
std::size_t ByteSize(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

std::size_t ByteSize(const HullFaces& faces) {
  return ByteSize(faces.corner_offsets) + ByteSize(faces.corners) + ByteSize(faces.face_offsets) +
         ByteSize(faces.faces);
}

std::size_t ByteSize(const Adjacency& adjacency) {
  return ByteSize(adjacency.offsets) + ByteSize(adjacency.neighbors);
}

std::size_t ByteSizeOfRows(const std::vector<LongRow>& rows) {
  std::size_t size = ByteSize(rows);
  for (const LongRow& row : rows) size += ByteSize(row.sag);
  return size;
}

std::size_t ByteSize(const SupportCells& cells) {
  return ByteSize(cells.offsets) + ByteSize(cells.candidates);
}

std::size_t ByteSize(const ClimbGraph& graph) {
  std::size_t size = ByteSize(graph.adjacency) + ByteSizeOfRows(graph.long_rows) +
                     ByteSize(graph.layers) + ByteSize(graph.cube_map.vertex);
  for (const ClimbLayer& layer : graph.layers) {
    size += ByteSize(layer.x) + ByteSize(layer.y) + ByteSize(layer.z) + ByteSize(layer.adjacency) +
            ByteSizeOfRows(layer.long_rows) + ByteSize(layer.below);
  }
  return size;
}

constexpr std::uint32_t kMaxMaskedFaces = 64;

std::vector<std::uint64_t> FaceMasksOf(const ConvexShape::Content& content) {
  const HullFaces& faces = content.faces;
  if (faces.face_count() > kMaxMaskedFaces || !faces.HasPolygons()) return {};
  std::vector<std::uint64_t> masks(content.x.size());
  for (std::uint32_t i = 0; i < masks.size(); ++i) {
    for (const std::uint32_t face : faces.FacesOf(i)) masks[i] |= std::uint64_t{1} << face;
  }
  return masks;
}

// Returns no cells for small hulls, which are scanned.
SupportCells SupportCellsOf(const ConvexShape::Content& content) {
  const std::size_t count = content.x.size();
  if (count <= kMaxWithoutCells || content.climb_graph.adjacency.offsets.empty()) return {};
  std::vector<Vec3d> vertices(count);
  for (std::size_t i = 0; i < count; ++i) vertices[i] = {content.x[i], content.y[i], content.z[i]};
  return MakeSupportCells(content.climb_graph, vertices);
}

}  // namespace

ConvexShape::ConvexShape(Content content)
    : content_(std::move(content)),
      face_masks_(FaceMasksOf(content_)),
      support_cells_(SupportCellsOf(content_)),
      scan_blocks_(MakeScanBlocks(content_.x, content_.y, content_.z)),
      box_corners_(FindBoxCorners(content_.x, content_.y, content_.z)),
      half_extents_(Scaled(box_corners_.half, content_.exponent)),
      center_exponent_(Exponent(content_.center)) {
  core_radius_ = is_curved() ? CurvedRadius(kind(), extents()) : RadiusAbout(*this, {}, 0);
  // The core of a shape that is a single point has no size.
  size_exponent_ = std::max(core_radius_ > 0 ? exponent() : kNoExponent,
                            radius() > 0 ? ExponentOf(radius()) : kNoExponent);
  reach_ = ScaleUp(core_radius_, exponent());
  bounding_radius_ = RoundUp(TwoSum(ReachOfCore(*this), radius()));
}

std::size_t ConvexShape::byte_size() const {
  return sizeof(*this) + ByteSize(content_.x) + ByteSize(content_.y) + ByteSize(content_.z) +
         ByteSize(content_.original_index) + ByteSize(content_.climb_graph) +
         ByteSize(content_.faces) + ByteSize(face_masks_) + ByteSize(scan_blocks_) +
         ByteSize(support_cells_);
}

}  // namespace clearance

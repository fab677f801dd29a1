// SPDX-License-Identifier: Apache-2.0
//
// The one type that every kind of convex body becomes: a core, extended by a radius. The core is
// the convex hull of a set of points or, if no finite set would do, one of three curved bodies in
// closed form.
//
// Points are held normalised, so that no product of two of them over- or underflows whatever the
// units are:
//     p_S = center + 2^exponent * vertex,   |each coordinate of vertex| <= 1,
// exactly, for every vertex (see is_exact; center is 0 along an axis on which a shift would round).
// S is the shape's own frame. The extents of a curved core are normalised in the same way; its
// center is 0.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/math/vec3.h"
#include "core/shape/box_corners.h"
#include "core/shape/climb_graph.h"
#include "core/shape/hull_faces.h"
#include "core/shape/scan_blocks.h"
#include "core/shape/support_cells.h"

namespace clearance {

// The kind of the core, and the meaning of its `extents` (x, y, z).
enum class CoreKind : std::uint8_t {
  kPolytope,  // the hull of the vertices; no extents
  kCylinder,  // about the z axis: (radius, radius, half length)
  kCone,  // about the z axis, base at -z, apex at +z: (radius of the base, the same, half length)
  kEllipsoid,  // the three semi-axes
};

// A convex shape. Immutable after construction, so any number of threads may use one. Made by the
// functions of make_shape.h, which refuse malformed input: a ConvexShape that exists is valid, and
// queries on it cannot fail.
class ConvexShape {
 public:
  // The fields that a builder fills in. See the accessors for the meaning of each field.
  struct Content {
    CoreKind kind = CoreKind::kPolytope;
    Vec3d extents;
    std::vector<double> x, y, z;
    std::vector<std::uint32_t> original_index;
    ClimbGraph climb_graph;
    HullFaces faces;
    bool is_exact = true;
    bool is_certified_convex = false;
    Vec3d center;
    int exponent = 0;
    double radius = 0;
    double radius_low = 0;
    std::uint32_t point_count = 0;
    std::uint32_t duplicate_count = 0;
    int dimension = 0;
    double volume = 0;
  };

  explicit ConvexShape(Content content);

  const Content& content() const { return content_; }

  CoreKind kind() const { return content_.kind; }
  bool is_curved() const { return content_.kind != CoreKind::kPolytope; }

  // Normalised, for a curved core.
  const Vec3d& extents() const { return content_.extents; }

  // 0 for a curved core.
  std::uint32_t vertex_count() const { return static_cast<std::uint32_t>(content_.x.size()); }

  // The normalised coordinates, structure of arrays.
  const double* x() const { return content_.x.data(); }
  const double* y() const { return content_.y.data(); }
  const double* z() const { return content_.z.data(); }
  Vec3d vertex(VertexIndex i) const { return {content_.x[i], content_.y[i], content_.z[i]}; }

  // Empty for a curved core and for large hulls.
  const std::vector<ScanBlock>& scan_blocks() const { return scan_blocks_; }

  const BoxCorners& box_corners() const { return box_corners_; }
  // Half of the edges of a box, metres.
  const Vec3d& half_extents() const { return half_extents_; }

  // The vertex's index among the points that the caller gave (the first of equal ones).
  std::uint32_t original_index(VertexIndex i) const { return content_.original_index[i]; }

  // The graph that supports climb along; empty for shapes that are small, flat or not certified,
  // which are scanned.
  const ClimbGraph& climb_graph() const { return content_.climb_graph; }
  // The cells that spare most climbs and scans; also empty for small hulls.
  const SupportCells& support_cells() const { return support_cells_; }
  const Adjacency& adjacency() const { return climb_graph().adjacency; }
  bool has_adjacency() const { return !adjacency().offsets.empty(); }

  // True if exact arithmetic proved that the surface behind the adjacency is convex and holds every
  // point: then a vertex that is highest among its neighbours is highest of all. If false, only a
  // scan of all vertices proves it.
  bool is_certified_convex() const { return content_.is_certified_convex; }

  // The faces; none for a curved core. If the surface is not certified, these are the faces of the
  // rounded points, and the vertices inside them have none.
  const HullFaces& faces() const { return content_.faces; }
  // The faces of each vertex, face i as bit i; empty if there are more than 64 faces, or none with
  // more corners than three.
  const std::vector<std::uint64_t>& face_masks() const { return face_masks_; }

  // False if the vertices' equation of the file comment holds only to rounding: parts of a
  // coordinate were below 2^-1074 of the largest one.
  bool is_exact() const { return content_.is_exact; }

  // Metres, frame S.
  Vec3d center() const { return content_.center; }
  int exponent() const { return content_.exponent; }
  // The exponent of the centre; kNoExponent at the origin of S.
  int center_exponent() const { return center_exponent_; }

  // Radius of the spherical extension, metres, >= 0.
  double radius() const { return content_.radius; }
  // The part that rounding took off the radius if it is the sum of two given radii: the exact one
  // is radius() + radius_low().
  double radius_low() const { return content_.radius_low; }

  // A radius about the centre that holds every point of the core (normalised, rounded up; 0 for a
  // single point at the centre).
  double core_radius() const { return core_radius_; }

  // The exponent of the body's size: no coordinate about the centre and no radius exceeds
  // 2^size_exponent() metres; kNoExponent for a single point.
  int size_exponent() const { return size_exponent_; }

  // The core's radius in metres, rounded up.
  double reach() const { return reach_; }

  // The radius of a ball about the origin of S that holds the body, radius included, metres,
  // rounded up.
  double bounding_radius() const { return bounding_radius_; }

  // As given by the caller, for reports.
  std::uint32_t point_count() const { return content_.point_count; }
  std::uint32_t duplicate_count() const { return content_.duplicate_count; }
  // 0 a point, 1 collinear, 2 coplanar, 3 solid (without the radius).
  int dimension() const { return content_.dimension; }
  // Cubic metres, without the radius, to rounding.
  double volume() const { return content_.volume; }

  // Bytes of memory held.
  std::size_t byte_size() const;

 private:
  Content content_;
  std::vector<std::uint64_t> face_masks_;
  SupportCells support_cells_;
  std::vector<ScanBlock> scan_blocks_;
  BoxCorners box_corners_;
  Vec3d half_extents_;
  int center_exponent_ = kNoExponent;
  int size_exponent_ = kNoExponent;
  double core_radius_ = 0;
  double reach_ = 0;
  double bounding_radius_ = 0;
};

using ConvexShapePtr = std::shared_ptr<const ConvexShape>;

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// The subject of a query: one convex piece, or a compound of several that move as one. The body is
// the union of its pieces; they may overlap.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/math/pose.h"
#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "core/shape/make_shape.h"

namespace clearance {

// A convex shape S and its pose X_BS in the frame B of the body that it belongs to.
struct Piece {
  ConvexShapePtr shape;
  Pose local;
};

// A ball in the frame of the body, metres.
struct Ball {
  Vec3d center;
  double radius = 0;
};

// An axis-parallel box in the frame of the body, metres: |p - center| <= half, axis by axis.
struct CenteredBox {
  Vec3d center;
  Vec3d half;
};

// A rigid body. Immutable after construction, so any number of threads may use one. Made by the
// functions below, which refuse malformed input: a RigidBody that exists is valid, and queries on
// it cannot fail.
class RigidBody {
 public:
  // Requires: at least one piece, and the requirements of MakeCompound.
  explicit RigidBody(std::vector<Piece> pieces);

  // In the caller's order; a piece's index is its id.
  const std::vector<Piece>& pieces() const { return pieces_; }

  // One ball a piece that holds the piece, radius included.
  const std::vector<Ball>& balls() const { return balls_; }

  // A box that holds all pieces, radii included.
  const CenteredBox& box() const { return box_; }

  // True if there is more than one piece.
  bool is_compound() const { return pieces_.size() > 1; }

  // The radius of a ball about the body's origin that holds the body, radii included, metres,
  // rounded up. For a shape at the identity it is the shape's own.
  double bounding_radius() const { return bounding_radius_; }

  // The number of vertices of all pieces together.
  std::uint64_t vertex_count() const { return vertex_count_; }

  // Bytes of memory held, with those of the shapes; a shape that several pieces share counts once.
  std::size_t byte_size() const;

 private:
  std::vector<Piece> pieces_;
  std::vector<Ball> balls_;
  CenteredBox box_;
  double bounding_radius_ = 0;
  std::uint64_t vertex_count_ = 0;
};

using RigidBodyPtr = std::shared_ptr<const RigidBody>;

// A body or the reason why there is none.
using BodyOrError = std::variant<RigidBodyPtr, ShapeError>;

// Makes a body of the shape alone: piece 0 at the identity. Requires: shape is not null.
RigidBodyPtr MakeBody(ConvexShapePtr shape);

// Makes a compound. Refuses an empty list, local poses that FindPoseFault rejects, and pieces whose
// points could overflow a double on the way into the body; the field is relative to the compound
// ("pieces[3].pose.qx"). Requires: no shape is null.
BodyOrError MakeCompound(std::vector<Piece> pieces);

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
//
// A shape at rest, as the checker sees it: its points and its support function, in quad precision,
// straight from the given numbers. Coordinates are in world axes, metres, from a point of the world
// that the checks of one pair have in common, so that places far from the world's origin cost no
// digits.

#pragma once

#include "core/proof/quad.h"
#include "core/shape/convex_shape.h"
#include "core/shape/posed_shape.h"

namespace clearance {

// The axes and the origin of a shape's frame.
struct QuadFrame {
  QuadVec x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  QuadVec origin;
};

QuadFrame FrameOf(const PosedShape& posed, const Vec3d& world_point);

// The frame turned about its own zero point.
QuadFrame operator*(const QuadTurn& turn, const QuadFrame& frame);

// Thread-compatible. Keeps a reference to the shape.
class ProofBody {
 public:
  ProofBody(const ConvexShape& shape, const QuadFrame& frame);

  bool is_curved() const { return shape_.is_curved(); }
  std::uint32_t vertex_count() const { return shape_.vertex_count(); }

  // Requires: i < vertex_count().
  QuadVec Vertex(VertexIndex i) const;

  // The point of the core that is highest along n, and its height; n of any length but 0. To within
  // kProofRoundoff * reach() * |n|.
  struct SupportWithHeight {
    QuadVec point;
    Quad height = 0;
  };
  SupportWithHeight Support(const QuadVec& n) const;

  // The analyzer does not know __float128: it takes these for values that were never set.
  // NOLINTBEGIN(clang-analyzer-core.uninitialized.UndefReturn)

  // Returns the exact radius.
  Quad radius() const { return Quad(shape_.radius()) + shape_.radius_low(); }
  // Returns an upper bound of the distance of any point of the body from the zero point.
  Quad reach() const { return reach_; }

  // NOLINTEND(clang-analyzer-core.uninitialized.UndefReturn)
  // Returns the size of the body about its centre, which rounding is measured by.
  Quad size() const;
  QuadVec Center() const;

 private:
  QuadVec InWorld(const QuadVec& p_S) const;
  QuadVec SupportVertex(const QuadVec& n_S) const;
  QuadVec CurvedSupportPoint(const QuadVec& n_S) const;

  const ConvexShape& shape_;
  QuadFrame frame_;
  Quad unit_ = 1;  // metres of one normalised coordinate
  Quad reach_ = 0;
};

}  // namespace clearance

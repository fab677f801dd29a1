// SPDX-License-Identifier: Apache-2.0

#include "core/proof/proof_body.h"

#include <algorithm>
#include <cmath>

#include "core/math/assert.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

// 2^exponent, |exponent| below 2400.
Quad PowerOfTwo(int exponent) { return Quad(std::ldexp(1.0L, exponent)); }

bool IsNoTurn(const Quaternion& q) { return q.x == 0 && q.y == 0 && q.z == 0; }

Quad LargestCoordinate(const QuadVec& v) { return std::max({Abs(v.x), Abs(v.y), Abs(v.z)}); }

// The point of a rim of this radius that is highest along n.
QuadVec OnRim(Quad radius, const QuadVec& n, Quad z) {
  const Quad slope = Sqrt(n.x * n.x + n.y * n.y);
  if (slope == 0) return {0, 0, z};
  return {radius * n.x / slope, radius * n.y / slope, z};
}

QuadVec HighestOnCone(const QuadVec& extents, const QuadVec& n) {
  const QuadVec base = OnRim(extents.x, n, -extents.z);
  return Dot(n, base) > n.z * extents.z ? base : QuadVec{0, 0, extents.z};
}

QuadVec HighestOnEllipsoid(const QuadVec& extents, const QuadVec& n) {
  const auto [x, y, z] = extents;
  const QuadVec stretched = {x * n.x, y * n.y, z * n.z};
  const Quad length = Length(stretched);
  if (length == 0) return {};
  return {x * stretched.x / length, y * stretched.y / length, z * stretched.z / length};
}

}  // namespace

QuadFrame operator*(const QuadTurn& turn, const QuadFrame& frame) {
  return {turn * frame.x, turn * frame.y, turn * frame.z, turn * frame.origin};
}

QuadFrame FrameOf(const PosedShape& posed, const Vec3d& world_point) {
  QuadFrame frame;
  if (!IsNoTurn(posed.local.q_WS)) frame = ToQuad(posed.local.q_WS) * frame;
  frame.origin = ToQuad(posed.local.p_WS);
  if (!IsNoTurn(posed.pose.q_WS)) frame = ToQuad(posed.pose.q_WS) * frame;
  frame.origin = frame.origin + (ToQuad(posed.pose.p_WS) - ToQuad(world_point));
  return frame;
}

ProofBody::ProofBody(const ConvexShape& shape, const QuadFrame& frame)
    : shape_(shape), frame_(frame), unit_(PowerOfTwo(shape.exponent())) {
  reach_ = Length(frame.origin) + Length(ToQuad(shape.center())) + size();
}

QuadVec ProofBody::InWorld(const QuadVec& p_S) const {
  return p_S.x * frame_.x + p_S.y * frame_.y + p_S.z * frame_.z + frame_.origin;
}

QuadVec ProofBody::Vertex(VertexIndex i) const {
  CLEARANCE_ASSERT(i < vertex_count());
  return InWorld(ToQuad(shape_.center()) + unit_ * ToQuad(shape_.vertex(i)));
}

QuadVec ProofBody::Center() const { return InWorld(ToQuad(shape_.center())); }

Quad ProofBody::size() const { return unit_ * shape_.core_radius() + radius(); }

ProofBody::SupportWithHeight ProofBody::Support(const QuadVec& n) const {
  const QuadVec n_S = {Dot(n, frame_.x), Dot(n, frame_.y), Dot(n, frame_.z)};
  const QuadVec vertex = is_curved() ? CurvedSupportPoint(n_S) : SupportVertex(n_S);
  const QuadVec point = InWorld(ToQuad(shape_.center()) + unit_ * vertex);
  return {point, Dot(n, point)};
}

// A scan in double picks those that can be the highest; quad precision decides among them.
QuadVec ProofBody::SupportVertex(const QuadVec& n_S) const {
  const Quad largest = LargestCoordinate(n_S);
  const Quad scale = largest > 0 ? 1 / largest : Quad(1);
  const Vec3d coarse = {double(scale * n_S.x), double(scale * n_S.y), double(scale * n_S.z)};
  double top = Dot(coarse, shape_.vertex(0));
  for (VertexIndex i = 1; i < vertex_count(); ++i) {
    top = std::max(top, Dot(coarse, shape_.vertex(i)));
  }
  // No coordinate exceeds 1: a height in double errs by at most 12 u.
  const double doubt = 32 * kRoundoff;
  QuadVec best;
  bool is_first = true;
  for (VertexIndex i = 0; i < vertex_count(); ++i) {
    if (Dot(coarse, shape_.vertex(i)) < top - doubt) continue;
    const QuadVec candidate = ToQuad(shape_.vertex(i));
    if (is_first || Dot(n_S, candidate) > Dot(n_S, best)) best = candidate;
    is_first = false;
  }
  return best;
}

QuadVec ProofBody::CurvedSupportPoint(const QuadVec& n_S) const {
  const QuadVec extents = ToQuad(shape_.extents());
  switch (shape_.kind()) {
    case CoreKind::kCylinder:
      return OnRim(extents.x, n_S, n_S.z < 0 ? -extents.z : extents.z);
    case CoreKind::kCone:
      return HighestOnCone(extents, n_S);
    case CoreKind::kEllipsoid:
      return HighestOnEllipsoid(extents, n_S);
    case CoreKind::kPolytope:  // has vertices
      break;
  }
  return {};
}

}  // namespace clearance

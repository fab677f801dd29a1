// SPDX-License-Identifier: Apache-2.0
#include "tests/support/planted_contact.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

// Metres: heights this near to each other are one height. Directions of features, worked out in 113
// bits, are off by less; different features of random solids by far more.
constexpr Quad kTie = 1e-28;

// 1 - cosine^2 of two axes below which they have no common normal that can be relied on.
constexpr Quad kParallel = 1e-4;

Quad Abs(Quad x) { return x < 0 ? -x : x; }

// Two steps of Newton's from 64 bits. Requires: x fits a double, or is below the least.
Quad Sqrt(Quad x) {
  if (x <= 0) return 0;
  Quad root = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 2; ++i) root = (root + x / root) / 2;
  return root;
}

Quad Length(const QuadVec& v) { return Sqrt(Dot(v, v)); }
QuadVec Unit(const QuadVec& v) { return (1 / Length(v)) * v; }
QuadVec ToQuad(const Vec3d& v) { return {v.x, v.y, v.z}; }

// v turned by the rational matrix of q, or back.
QuadVec Turned(const Quaternion& q, const QuadVec& v) {
  const QuadVec u = {q.x, q.y, q.z};
  const Quad w = q.w;
  const QuadVec t = Cross(u, v);
  return v + (2 / (Dot(u, u) + w * w)) * (w * t + Cross(u, t));
}

QuadVec TurnedBack(const Quaternion& q, const QuadVec& v) {
  return Turned({-q.x, -q.y, -q.z, q.w}, v);
}

// The length of a cone's side, from the rim to the apex.
Quad SideOf(const Vec3d& extents) {
  const Quad height = 2 * Quad(extents.z);
  return Sqrt(height * height + Quad(extents.x) * extents.x);
}

// A point of a core's surface, and the radius of a ball within the core that is tangent there.
struct Touch {
  QuadVec point;
  Quad inner_radius{};
};

// Returns a point of the circle of this radius about the z axis, or within.
QuadVec AnyOfDisc(double radius, double z, Random& random) {
  for (;;) {
    const Vec3d p = random.InCube(radius);
    if (std::hypot(p.x, p.y) < 0.999 * radius) return ToQuad({p.x, p.y, z});
  }
}

Touch TouchCylinder(const Vec3d& size, const QuadVec& n, Random& random) {
  const Quad across = Sqrt(n.x * n.x + n.y * n.y);
  const Quad radius = size.x, half = size.z;
  if (across <= kTie) {
    const QuadVec p = AnyOfDisc(size.x, n.z > 0 ? size.z : -size.z, random);
    return {p, std::min(half, radius - Sqrt(p.x * p.x + p.y * p.y))};
  }
  const QuadVec rim = {radius * n.x / across, radius * n.y / across, n.z > 0 ? half : -half};
  if (Abs(n.z) > kTie) return {rim, 0};
  const Quad z = random.Uniform(-size.z, size.z);
  return {{rim.x, rim.y, z}, std::min(radius, half - Abs(z))};
}

Touch TouchCone(const Vec3d& size, const QuadVec& n, Random& random) {
  const Quad across = Sqrt(n.x * n.x + n.y * n.y);
  const Quad radius = size.x, half = size.z, side = SideOf(size);
  if (across <= kTie && n.z < 0) {
    const QuadVec p = AnyOfDisc(size.x, -size.z, random);
    return {p, 2 * half * (radius - Sqrt(p.x * p.x + p.y * p.y)) / (side + radius)};
  }
  const Quad steeper = 2 * half * n.z - radius * across;
  if (steeper > kTie || across <= kTie) return {{0, 0, half}, 0};
  const QuadVec rim = {radius * n.x / across, radius * n.y / across, -half};
  if (steeper < -kTie) return {rim, 0};
  // Anywhere on the side. A ball there must not reach beyond the axis, nor through the base.
  const Quad up = random.Uniform(0, 1);
  const Quad to_axis = (1 - up) * radius * side / (2 * half);
  const Quad to_base = 2 * half * up / (1 + radius / side);
  return {{(1 - up) * rim.x, (1 - up) * rim.y, (2 * up - 1) * half}, std::min(to_axis, to_base)};
}

// A ball rolls freely within an ellipsoid if its radius is the least radius of curvature (Blaschke
// 1916): the least semi-axis squared over the greatest.
Touch TouchEllipsoid(const Vec3d& size, const QuadVec& n) {
  const QuadVec m = {size.x * n.x, size.y * n.y, size.z * n.z};
  const Quad height = Length(m);
  const auto [least, greatest] = std::minmax({size.x, size.y, size.z});
  return {{size.x * m.x / height, size.y * m.y / height, size.z * m.z / height},
          Quad(least) * least / greatest};
}

// Any point of the face, the edge or the vertex that is highest.
Touch TouchPolytope(const std::vector<Vec3d>& points, const QuadVec& n, Random& random) {
  Quad top = Dot(n, ToQuad(points[0]));
  for (const Vec3d& p : points) top = std::max(top, Dot(n, ToQuad(p)));
  QuadVec sum;
  Quad weights = 0;
  for (const Vec3d& p : points) {
    if (Dot(n, ToQuad(p)) < top - kTie) continue;
    const Quad weight = random.Uniform(0.01, 1);
    sum = sum + weight * ToQuad(p);
    weights += weight;
  }
  return {(1 / weights) * sum, 0};
}

// Returns the highest point of the core along n (unit), in the frame of the solid.
Touch TouchAlong(const Solid& solid, const QuadVec& n, Random& random) {
  switch (solid.core) {
    case CoreKind::kCylinder:
      return TouchCylinder(solid.extents, n, random);
    case CoreKind::kCone:
      return TouchCone(solid.extents, n, random);
    case CoreKind::kEllipsoid:
      return TouchEllipsoid(solid.extents, n);
    case CoreKind::kPolytope:
      break;
  }
  return TouchPolytope(solid.body.points, n, random);
}

// How far the core reaches along n (unit), in the frame of the solid.
Quad CoreReach(const Solid& solid, const QuadVec& n) {
  const Quad x = solid.extents.x, y = solid.extents.y, z = solid.extents.z;
  const Quad across = Sqrt(n.x * n.x + n.y * n.y);
  switch (solid.core) {
    case CoreKind::kCylinder:
      return x * across + z * Abs(n.z);
    case CoreKind::kCone:
      return std::max(z * n.z, x * across - z * n.z);
    case CoreKind::kEllipsoid:
      return Sqrt(x * x * n.x * n.x + y * y * n.y * n.y + z * z * n.z * n.z);
    case CoreKind::kPolytope:
      break;
  }
  Quad top = Dot(n, ToQuad(solid.body.points[0]));
  for (const Vec3d& p : solid.body.points) top = std::max(top, Dot(n, ToQuad(p)));
  return top;
}

// Returns how far the solid reaches along n_W (unit), from its origin.
Quad Reach(const Solid& solid, const QuadVec& n_W) {
  return CoreReach(solid, TurnedBack(solid.body.pose.q_WS, n_W)) + solid.body.radius;
}

Vec3d AnyPoint(const Solid& solid, Random& random) {
  return solid.body.points[random.Below(static_cast<int>(solid.body.points.size()))];
}

// Returns a direction in which all of a face, a cap or a line of the side is highest; if there is
// none, and often for polytopes, any direction.
QuadVec FeatureNormal(const Solid& solid, Random& random) {
  const Vec3d any = random.Direction();
  const bool is_side = random.OneIn(2);
  if (solid.core == CoreKind::kCylinder) {
    return is_side ? Unit(ToQuad({any.x, any.y, 0})) : ToQuad({0, 0, random.Sign()});
  }
  if (solid.core == CoreKind::kCone) {
    if (!is_side) return {0, 0, -1};
    const QuadVec around = Unit(ToQuad({any.x, any.y, 0}));
    const Quad height = 2 * Quad(solid.extents.z);
    return Unit({height * around.x, height * around.y, solid.extents.x});
  }
  if (solid.core == CoreKind::kPolytope) {
    const QuadVec p = ToQuad(AnyPoint(solid, random));
    const QuadVec n =
        Cross(ToQuad(AnyPoint(solid, random)) - p, ToQuad(AnyPoint(solid, random)) - p);
    if (Length(n) > kParallel) return Quad(random.Sign()) * Unit(n);
  }
  return Unit(ToQuad(any));
}

// Normals to which an axis in the world has one angle: all along a side, or across an edge.
struct NormalCone {
  QuadVec axis;
  Quad cosine{};
};

std::optional<NormalCone> AnyNormalCone(const Solid& solid, Random& random) {
  QuadVec axis_S = {0, 0, 1};
  Quad cosine = 0;
  if (solid.core == CoreKind::kEllipsoid) return std::nullopt;
  if (solid.core == CoreKind::kCone) cosine = solid.extents.x / SideOf(solid.extents);
  if (solid.core == CoreKind::kPolytope) {
    axis_S = ToQuad(AnyPoint(solid, random)) - ToQuad(AnyPoint(solid, random));
    if (Length(axis_S) < kParallel) return std::nullopt;
  }
  return NormalCone{Turned(solid.body.pose.q_WS, Unit(axis_S)), cosine};
}

// The n that is in the cone of normals of A while -n is in that of B.
std::optional<QuadVec> CommonNormal(const Solid& a, const Solid& b, Random& random) {
  const std::optional<NormalCone> of_a = AnyNormalCone(a, random);
  const std::optional<NormalCone> of_b = AnyNormalCone(b, random);
  if (!of_a || !of_b) return std::nullopt;
  const Quad cosine = Dot(of_a->axis, of_b->axis);
  const Quad sine_sq = 1 - cosine * cosine;
  if (sine_sq < kParallel) return std::nullopt;
  const Quad x = (of_a->cosine + of_b->cosine * cosine) / sine_sq;
  const Quad y = (-of_b->cosine - of_a->cosine * cosine) / sine_sq;
  const Quad rest = (1 - x * x - y * y - 2 * x * y * cosine) / sine_sq;
  if (rest < kParallel) return std::nullopt;
  const Quad z = random.Sign() * Sqrt(rest);
  return Unit(x * of_a->axis + y * of_b->axis + z * Cross(of_a->axis, of_b->axis));
}

QuadVec AnyNormal(const Solid& a, const Solid& b, Random& random) {
  const int choice = random.Below(4);
  if (choice == 0) return Turned(a.body.pose.q_WS, FeatureNormal(a, random));
  if (choice == 1) return -Turned(b.body.pose.q_WS, FeatureNormal(b, random));
  if (choice == 2) {
    if (const std::optional<QuadVec> n = CommonNormal(a, b, random)) return *n;
  }
  return Unit(ToQuad(random.Direction()));
}

QuadVec OriginOf(const Solid& solid) { return ToQuad(solid.offset) + ToQuad(solid.body.pose.p_WS); }

ShapeOrError TryMakeCurved(const Solid& solid) {
  const Vec3d& s = solid.extents;
  if (solid.core == CoreKind::kCylinder) return MakeCylinder(s.x, s.z, solid.body.radius);
  if (solid.core == CoreKind::kCone) return MakeCone(s.x, s.z, solid.body.radius);
  return MakeEllipsoid(s, solid.body.radius);
}

}  // namespace

ConvexShapePtr MakeShape(const Solid& solid) {
  if (!solid.is_curved()) return MakeShape(solid.body);
  ShapeOrError made = TryMakeCurved(solid);
  if (const auto* error = std::get_if<ShapeError>(&made)) {
    std::fprintf(stderr, "a generated solid was refused: %s\n", error->message.c_str());
    std::abort();
  }
  return std::get<ConvexShapePtr>(std::move(made));
}

double ReachOf(const Solid& solid) {
  double reach = 0;
  for (const Vec3d& p : solid.body.points) reach = std::max(reach, std::hypot(p.x, p.y, p.z));
  const Vec3d& s = solid.extents;
  if (solid.core == CoreKind::kEllipsoid) reach = std::max({s.x, s.y, s.z});
  if (solid.core == CoreKind::kCylinder || solid.core == CoreKind::kCone) {
    reach = std::hypot(s.x, s.z);
  }
  return reach + solid.body.radius;
}

Contact AnyContact(const Solid& a, const Solid& b, Random& random) {
  const QuadVec n = AnyNormal(a, b, random);
  const Quaternion& q_WA = a.body.pose.q_WS;
  const Quaternion& q_WB = b.body.pose.q_WS;
  const Touch of_a = TouchAlong(a, TurnedBack(q_WA, n), random);
  const Touch of_b = TouchAlong(b, TurnedBack(q_WB, -n), random);
  const Quad radius_a = a.body.radius, radius_b = b.body.radius;
  return {n, Turned(q_WA, of_a.point) + radius_a * n, Turned(q_WB, of_b.point) - radius_b * n,
          of_a.inner_radius + of_b.inner_radius + radius_a + radius_b};
}

void PlaceAcross(const Contact& contact, const Solid& a, double gap, Solid* b) {
  const QuadVec p = OriginOf(a) + contact.point_a + Quad(gap) * contact.n_AB - contact.point_b -
                    ToQuad(b->offset);
  b->body.pose.p_WS = {static_cast<double>(p.x), static_cast<double>(p.y),
                       static_cast<double>(p.z)};
}

PlantedTruth TruthOf(const Contact& contact, const Solid& a, const Solid& b, const QuadVec& shift) {
  const QuadVec p_AoBo = OriginOf(b) + shift - OriginOf(a);
  const QuadVec& n = contact.n_AB;
  const QuadVec between_centers =
      p_AoBo + contact.point_b - contact.point_a + contact.inner_radii * n;
  return {Dot(n, p_AoBo) - Reach(a, n) - Reach(b, -n),
          Length(between_centers) - contact.inner_radii};
}

}  // namespace clearance::testing

// SPDX-License-Identifier: Apache-2.0
#include "internal/proof_geometry.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <variant>

namespace clearance::client {
namespace {

// Below this fraction of their lengths' product a cross product may be all rounding.
constexpr double kParallel = 0x1p-90;

Quad LargestLength(const std::vector<QuadVec>& points) {
  Quad largest = 0;
  for (const QuadVec& p : points) largest = std::max(largest, Length(p));
  return largest;
}

QuadVec BoxCenter(const std::vector<QuadVec>& points) {
  QuadVec low = points.front();
  QuadVec high = low;
  for (const QuadVec& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return Quad(0.5) * (low + high);
}

bool IsDegenerate(const QuadVec& cross, const QuadVec& a, const QuadVec& b) {
  return Length(cross) <= kParallel * (Length(a) * Length(b));
}

// Returns whether the origin is strictly inside the hull. If it is not, some plane through it has
// all points on one side. That plane can be turned until it goes through two of the points that are
// not in line with the origin, so it is enough to look at the planes through pairs. Points all in
// one plane through the origin fail on every pair.
bool IsOriginStrictlyInside(const std::vector<QuadVec>& points) {
  const Quad reach = LargestLength(points);
  bool has_plane = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const QuadVec normal = Cross(points[i], points[j]);
      if (IsDegenerate(normal, points[i], points[j])) continue;
      has_plane = true;
      const Quad doubt = kParallel * (Length(normal) * reach);
      const auto is_above = [&](const QuadVec& p) { return Dot(normal, p) > doubt; };
      const auto is_below = [&](const QuadVec& p) { return Dot(normal, p) < -doubt; };
      if (std::none_of(points.begin(), points.end(), is_above)) return false;
      if (std::none_of(points.begin(), points.end(), is_below)) return false;
    }
  }
  return has_plane;
}

// The plane through three points, facing away from the origin.
struct Plane {
  QuadVec normal;
  Quad offset = 0;  // times |normal|
  bool is_degenerate = true;
};

Plane PlaneThrough(const QuadVec& a, const QuadVec& b, const QuadVec& c) {
  QuadVec normal = Cross(b - a, c - a);
  if (IsDegenerate(normal, b - a, c - a)) return {};
  if (Dot(normal, a) < 0) normal = Quad(-1) * normal;
  return {normal, Dot(normal, a), false};
}

bool IsCurved(const Shape& shape) {
  const bool is_curved_kind = std::holds_alternative<Cylinder>(shape.kind) ||
                              std::holds_alternative<Cone>(shape.kind) ||
                              std::holds_alternative<Ellipsoid>(shape.kind);
  return is_curved_kind && BodyVertices(shape).empty();
}

QuadVec RotateBack(Pose pose, const QuadVec& p) {
  pose.qw = -pose.qw;
  return Rotate(pose, p);
}

Quad Across(const QuadVec& p) { return Length({p.x, p.y, 0}); }

// A radius about its centre that holds all points of a core of this kind.
struct CurvedReach {
  Quad operator()(const Cylinder& cylinder) const {
    return Length({cylinder.radius, 0, cylinder.half_length});
  }
  Quad operator()(const Cone& cone) const { return Length({cone.radius, 0, cone.half_length}); }
  Quad operator()(const Ellipsoid& ellipsoid) const {
    const auto [x, y, z] = ellipsoid.semi_axes;
    return std::max({x, y, z});
  }
  template <class Kind>
  Quad operator()(const Kind&) const {
    return 0;
  }
};

// The highest d . p of a core about the origin, in its own axes.
struct CurvedHeight {
  QuadVec d;

  Quad operator()(const Cylinder& cylinder) const {
    return cylinder.radius * Across(d) + cylinder.half_length * Abs(d.z);
  }
  Quad operator()(const Cone& cone) const {
    return std::max(cone.half_length * d.z, cone.radius * Across(d) - cone.half_length * d.z);
  }
  Quad operator()(const Ellipsoid& ellipsoid) const {
    const auto [x, y, z] = ellipsoid.semi_axes;
    return Length({x * d.x, y * d.y, z * d.z});
  }
  template <class Kind>
  Quad operator()(const Kind&) const {
    return 0;
  }
};

// An upper bound of how far p, in the core's own axes, must be moved to lie in it.
struct CurvedExcess {
  QuadVec p;

  static Quad Above(Quad value, Quad limit) { return std::max(Quad(0), value - limit); }

  Quad operator()(const Cylinder& cylinder) const {
    return Length({Above(Across(p), cylinder.radius), 0, Above(Abs(p.z), cylinder.half_length)});
  }
  // First along z into the slab, then towards the axis or down to the height at which the cone is
  // wide enough.
  Quad operator()(const Cone& cone) const {
    const Quad half = cone.half_length;
    const Quad z = std::clamp(p.z, -half, half);
    // A flat cone is a disc: nothing below is wider.
    if (!(half > 0)) return Abs(p.z) + Above(Across(p), cone.radius);
    const Quad inwards = Above(Across(p), cone.radius * (half - z) / (2 * half));
    const Quad needed_z = half - 2 * half * Across(p) / cone.radius;
    const Quad down = needed_z >= -half ? Above(z, needed_z) : inwards;
    return Abs(p.z - z) + std::min(inwards, down);
  }
  // Shrunk towards the centre; along an axis of no extent, onto it.
  Quad operator()(const Ellipsoid& ellipsoid) const {
    const auto [x, y, z] = ellipsoid.semi_axes;
    Quad off = 0;
    Quad stretch_sq = 0;
    for (const auto& [value, extent] : {std::pair(p.x, x), {p.y, y}, {p.z, z}}) {
      if (extent == 0) {
        off += Abs(value);
      } else {
        stretch_sq += (value / extent) * (value / extent);
      }
    }
    const Quad stretch = Sqrt(stretch_sq);
    return off + (stretch > 1 ? Length(p) * (1 - 1 / stretch) : Quad(0));
  }
  template <class Kind>
  Quad operator()(const Kind&) const {
    return Length(p);
  }
};

// The highest d . p of the body without its radius.
Quad HeightOfCore(const ProofBody& body, const QuadVec& d) {
  if (body.curved) {
    const QuadVec own = RotateBack(body.curved->pose, d);
    return Dot(d, body.curved->center) + std::visit(CurvedHeight{own}, body.curved->kind);
  }
  Quad highest = Dot(d, body.points.front());
  for (const QuadVec& p : body.points) highest = std::max(highest, Dot(d, p));
  return highest;
}

// Returns whether there is an edge, and every edge is there once in each direction.
bool IsClosed(const std::vector<Triangle3>& triangles) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Triangle3& t : triangles) {
    for (int i = 0; i < 3; ++i) {
      if (!edges.insert({t[i], t[(i + 1) % 3]}).second) return false;
    }
  }
  return !edges.empty() && std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    return edges.contains({edge.second, edge.first});
  });
}

// Returns the distance of the origin from the segment.
Quad DistanceToSegment(const QuadVec& a, const QuadVec& b) {
  const QuadVec along = b - a;
  const Quad length_sq = Dot(along, along);
  if (!(length_sq > 0)) return Length(a);
  const Quad t = std::clamp(-Dot(a, along) / length_sq, Quad(0), Quad(1));
  return Length(a + t * along);
}

// Returns the distance of the origin from the triangle.
Quad DistanceToTriangle(const QuadVec& a, const QuadVec& b, const QuadVec& c) {
  const QuadVec normal = Cross(b - a, c - a);
  const bool is_over_it = !IsDegenerate(normal, b - a, c - a) && Dot(normal, Cross(a, b)) >= 0 &&
                          Dot(normal, Cross(b, c)) >= 0 && Dot(normal, Cross(c, a)) >= 0;
  if (is_over_it) return Abs(Dot(normal, a)) / Length(normal);
  return std::min({DistanceToSegment(a, b), DistanceToSegment(b, c), DistanceToSegment(c, a)});
}

// Returns the solid angle under which the origin sees the triangle, positive from its inner side
// (A. van Oosterom and J. Strackee, "The solid angle of a plane triangle", 1983).
double SolidAngle(const QuadVec& a, const QuadVec& b, const QuadVec& c) {
  const QuadVec u = (1 / Length(a)) * a;
  const QuadVec v = (1 / Length(b)) * b;
  const QuadVec w = (1 / Length(c)) * c;
  const Quad sine = Dot(u, Cross(v, w));
  const Quad cosine = 1 + Dot(u, v) + Dot(u, w) + Dot(v, w);
  return 2 * std::atan2(static_cast<double>(sine), static_cast<double>(cosine));
}

// Returns the distance of the plane from the origin if it is a facet of the hull, rounded down;
// `otherwise` if not.
Quad FacetDistance(const std::vector<QuadVec>& points, const Plane& plane, Quad otherwise) {
  if (plane.is_degenerate) return otherwise;
  const Quad length = Length(plane.normal);
  const Quad doubt = kQuadSlack * LargestLength(points);
  const bool is_facet = std::all_of(points.begin(), points.end(), [&](const QuadVec& p) {
    return Dot(plane.normal, p) <= plane.offset + doubt * length;
  });
  return is_facet ? plane.offset / length - doubt : otherwise;
}

}  // namespace

ProofBody MakeProofBody(const Shape& shape, const Pose& pose, const Pose& frame) {
  ProofBody body;
  const QuadVec origin = QuadVec{pose.x, pose.y, pose.z} - QuadVec{frame.x, frame.y, frame.z};
  if (IsCurved(shape)) {
    body.curved = CurvedCore{shape.kind, pose, origin};
    body.radius = BodyRadius(shape);
    body.size = std::visit(CurvedReach{}, shape.kind) + body.radius;
    body.reach = Length(origin) + body.size;
    return body;
  }
  const std::vector<double> vertices = BodyVertices(shape);
  for (std::size_t i = 0; i + 2 < vertices.size(); i += 3) {
    body.points.push_back(Rotate(pose, ToQuad(&vertices[i])) + origin);
  }
  if (body.points.empty()) return body;
  body.radius = BodyRadius(shape);
  body.reach = LargestLength(body.points) + Length(origin) + body.radius;
  const QuadVec center = BoxCenter(body.points);
  for (const QuadVec& p : body.points) body.size = std::max(body.size, Length(p - center));
  body.size += body.radius;
  return body;
}

Quad ProvedGap(const ProofBody& a, const ProofBody& b, const QuadVec& normal) {
  const Quad lowest_b = -HeightOfCore(b, Quad(-1) * normal);
  const Quad gap = (lowest_b - HeightOfCore(a, normal)) / Length(normal) - a.radius - b.radius;
  return gap - kQuadSlack * (a.reach + b.reach);
}

Quad DistanceToCore(const CurvedCore& core, const QuadVec& p) {
  return std::visit(CurvedExcess{RotateBack(core.pose, p - core.center)}, core.kind);
}

std::optional<QuadVec> FeatureNormal(const std::vector<QuadVec>& differences) {
  const QuadVec& first = differences.front();
  QuadVec normal = first;
  std::vector<QuadVec> basis;
  for (const QuadVec& difference : differences) {
    const QuadVec edge = difference - first;
    QuadVec fresh = edge;
    // Two passes, because one leaves rounding along the basis if an edge is nearly in it.
    for (int pass = 0; pass < 2; ++pass) {
      for (const QuadVec& e : basis) fresh = fresh - (Dot(fresh, e) / Dot(e, e)) * e;
    }
    if (!(Length(fresh) > 0x1p-40 * Length(edge))) continue;
    basis.push_back(fresh);
    if (basis.size() == 3) return std::nullopt;
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (const QuadVec& e : basis) normal = normal - (Dot(normal, e) / Dot(e, e)) * e;
  }
  if (!(Length(normal) > kParallel * LargestLength(differences))) return std::nullopt;
  return normal;
}

Quad InnerRadius(const std::vector<QuadVec>& points) {
  if (!IsOriginStrictlyInside(points)) return 0;
  Quad radius = LargestLength(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        const Plane plane = PlaneThrough(points[i], points[j], points[k]);
        radius = std::min(radius, FacetDistance(points, plane, radius));
      }
    }
  }
  return radius;
}

Quad RadiusInside(const std::vector<QuadVec>& corners, const std::vector<Triangle3>& triangles) {
  if (!IsClosed(triangles)) return 0;
  Quad radius = LargestLength(corners);
  double solid_angle = 0;
  for (const auto& [i, j, k] : triangles) {
    radius = std::min(radius, DistanceToTriangle(corners[i], corners[j], corners[k]));
    solid_angle += SolidAngle(corners[i], corners[j], corners[k]);
  }
  constexpr double kLessThanOnceAround = 6;  // once is 4 pi, more is a multiple of that
  if (std::abs(solid_angle) < kLessThanOnceAround) return 0;
  return std::max(Quad(0), radius - kQuadSlack * LargestLength(corners));
}

}  // namespace clearance::client

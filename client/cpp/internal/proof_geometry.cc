// SPDX-License-Identifier: Apache-2.0
#include "internal/proof_geometry.h"

#include <algorithm>

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

// Whether the origin is strictly inside the hull. If it is not, some plane through it has all
// points on one side, and that plane can be turned until it goes through two of the points that are
// not in line with the origin: so it is enough to look at the planes through pairs. Points all in
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

// How far the plane is from the origin if it is a facet of the hull, rounded down; `otherwise` if
// not.
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
  Quad highest_a = Dot(normal, a.points.front());
  for (const QuadVec& p : a.points) highest_a = std::max(highest_a, Dot(normal, p));
  Quad lowest_b = Dot(normal, b.points.front());
  for (const QuadVec& p : b.points) lowest_b = std::min(lowest_b, Dot(normal, p));
  const Quad gap = (lowest_b - highest_a) / Length(normal) - a.radius - b.radius;
  return gap - kQuadSlack * (a.reach + b.reach);
}

std::optional<QuadVec> FeatureNormal(const std::vector<QuadVec>& differences) {
  const QuadVec& first = differences.front();
  QuadVec normal = first;
  std::vector<QuadVec> basis;
  for (const QuadVec& difference : differences) {
    const QuadVec edge = difference - first;
    QuadVec fresh = edge;
    // Twice, because one pass leaves rounding along the basis where an edge is nearly in it.
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

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/separating_axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace clearance::testing {
namespace {

using Points = std::vector<Vec3d>;

constexpr double kOnPlane = 1e-12;  // of the size: a point this near to a plane lies in it

double Length(const Vec3d& v) { return std::hypot(v.x, v.y, v.z); }

// From the first point of A, so that nothing is lost far from the world's origin.
Points ToDouble(const std::vector<ExactVector>& points, const ExactPair& pair) {
  Points result;
  for (const ExactVector& p : points) {
    const ExactVector d = p - pair.a[0];
    const auto metres = [&](const mpz_class& c) { return mpq_class(c * pair.unit).get_d(); };
    result.push_back({metres(d.x), metres(d.y), metres(d.z)});
  }
  return result;
}

double SizeOf(const Points& points) {
  double size = 0;
  for (const Vec3d& p : points) size = std::max(size, Length(p - points[0]));
  return size;
}

// A supporting plane that three of the points lie in, and all points in it.
struct Face {
  Vec3d n;
  std::vector<bool> holds;
};

bool IsSupporting(const Points& points, const Vec3d& on_plane, double slack, Face* face) {
  face->holds.assign(points.size(), false);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double height = Dot(face->n, points[i] - on_plane);
    if (height > slack) return false;
    face->holds[i] = height >= -slack;
  }
  return true;
}

std::vector<Face> FacesOf(const Points& p) {
  const double size = SizeOf(p);
  std::vector<Face> faces;
  const auto visit = [&](std::size_t i, std::size_t j, std::size_t k) {
    const Vec3d n = Cross(p[j] - p[i], p[k] - p[i]);
    if (Length(n) <= kOnPlane * size * size) return;
    Face face = {(1 / Length(n)) * n, {}};
    if (!IsSupporting(p, p[i], kOnPlane * size, &face)) return;
    const bool is_known = std::any_of(faces.begin(), faces.end(), [&](const Face& other) {
      return other.holds == face.holds && Dot(other.n, face.n) > 0;
    });
    if (!is_known) faces.push_back(face);
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = i + 1; j < p.size(); ++j) {
      for (std::size_t k = j + 1; k < p.size(); ++k) {
        visit(i, j, k);
        visit(i, k, j);
      }
    }
  }
  return faces;
}

// Directions of all pairs of points that two faces share; of a body without faces all pairs.
Points EdgesOf(const Points& p, const std::vector<Face>& faces) {
  Points edges;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = i + 1; j < p.size(); ++j) {
      const auto sharing = std::count_if(faces.begin(), faces.end(),
                                         [&](const Face& f) { return f.holds[i] && f.holds[j]; });
      if (sharing < 2 && !faces.empty()) continue;
      const Vec3d edge = p[j] - p[i];
      if (Length(edge) > 0) edges.push_back((1 / Length(edge)) * edge);
    }
  }
  return edges;
}

class AxisSearch {
 public:
  AxisSearch(const Points& a, const Points& b) : a_(a), b_(b) {
    best_.depth = std::numeric_limits<double>::infinity();
  }

  void Try(const Vec3d& axis) {
    const double length = Length(axis);
    if (length < kLeastSine) return;  // of parallel edges
    TryUnit((1 / length) * axis);
    TryUnit((-1 / length) * axis);
  }

  const AxisDepth& best() const { return best_; }

 private:
  static constexpr double kLeastSine = 1e-7;

  void TryUnit(const Vec3d& n) {
    ++best_.axes;
    double top = -std::numeric_limits<double>::infinity();
    double bottom = std::numeric_limits<double>::infinity();
    for (const Vec3d& p : a_) top = std::max(top, Dot(n, p));
    for (const Vec3d& p : b_) bottom = std::min(bottom, Dot(n, p));
    if (top - bottom >= best_.depth) return;
    best_.depth = top - bottom;
    best_.n_AB = n;
  }

  const Points& a_;
  const Points& b_;
  AxisDepth best_;
};

}  // namespace

AxisDepth ComputeDepthByAxes(const ExactPair& pair) {
  const Points a = ToDouble(pair.a, pair);
  const Points b = ToDouble(pair.b, pair);
  const std::vector<Face> faces_a = FacesOf(a);
  const std::vector<Face> faces_b = FacesOf(b);
  AxisSearch search(a, b);
  for (const Face& face : faces_a) search.Try(face.n);
  for (const Face& face : faces_b) search.Try(face.n);
  const Points edges_b = EdgesOf(b, faces_b);
  for (const Vec3d& e : EdgesOf(a, faces_a)) {
    for (const Vec3d& f : edges_b) search.Try(Cross(e, f));
  }
  return search.best();
}

}  // namespace clearance::testing

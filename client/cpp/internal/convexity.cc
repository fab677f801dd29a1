// SPDX-License-Identifier: Apache-2.0
#include "internal/convexity.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"

namespace clearance::client::internal {
namespace {

constexpr double kConvexShare = 0.999;  // of the hull's volume
// How deep a face of a convex open mesh may lie inside of its hull, per largest extent.
constexpr double kDeepest = 1e-3;
constexpr int kMostHullPoints = 1500;
constexpr std::size_t kMostFacesJudged = 4096;
constexpr double kFlat = 1e-9;     // of the largest extent
constexpr double kOutside = 1e-7;  // of the largest extent
constexpr double kSeen = 1e-12;

using Vector = std::array<double, 3>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double Dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector Cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double Length(const Vector& a) { return std::sqrt(Dot(a, a)); }

std::array<Edge, 3> EdgesOf(const Corners& c) {
  return {{{c[0], c[1]}, {c[1], c[2]}, {c[2], c[0]}}};
}

// Points, and how far they extend.
class Points {
 public:
  explicit Points(absl::Span<const double> numbers) : numbers_(numbers) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Range range = {At(0)[axis], At(0)[axis], 0, 0};
      for (std::uint32_t i = 1; i < size(); ++i) {
        const double x = At(i)[axis];
        if (x < range.low) range = {x, range.high, i, range.last};
        if (x > range.high) range = {range.low, x, range.first, i};
      }
      if (axis == 0 || range.high - range.low > extent_) {
        extent_ = range.high - range.low;
        ends_ = {range.first, range.last};
      }
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(numbers_.size() / 3); }
  Vector At(std::size_t i) const {
    return {numbers_[3 * i], numbers_[3 * i + 1], numbers_[3 * i + 2]};
  }
  double extent() const { return extent_; }
  // The two that lie farthest apart along the axis of the largest extent.
  const Edge& ends() const { return ends_; }

  // The point with the largest of something, and how much that is.
  template <typename Function>
  std::pair<std::uint32_t, double> Farthest(const Function& height) const {
    std::pair<std::uint32_t, double> farthest = {0, height(At(0))};
    for (std::uint32_t i = 1; i < size(); ++i) {
      const double h = height(At(i));
      if (h > farthest.second) farthest = {i, h};
    }
    return farthest;
  }

 private:
  struct Range {
    double low, high;
    std::uint32_t first, last;
  };

  absl::Span<const double> numbers_;
  double extent_ = 0;
  Edge ends_;
};

struct Plane {
  Vector normal = {0, 0, 0};
  double offset = 0;

  double Height(const Vector& p) const { return Dot(normal, p) - offset; }
};

// No point lies outside of the plane of a triangle without area.
Plane PlaneOf(const Points& points, const Corners& c) {
  const Vector a = points.At(c[0]);
  Vector normal = Cross(points.At(c[1]) - a, points.At(c[2]) - a);
  const double length = Length(normal);
  if (length == 0) return {};
  for (double& x : normal) x /= length;
  return {normal, Dot(normal, a)};
}

// Unset of points in a plane.
std::optional<std::array<std::uint32_t, 4>> FirstSimplex(const Points& points) {
  const auto& [a, b] = points.ends();
  const Vector origin = points.At(a);
  const Vector along = points.At(b) - origin;
  const auto [c, area] =
      points.Farthest([&](const Vector& p) { return Length(Cross(p - origin, along)); });
  const Vector normal = Cross(along, points.At(c) - origin);
  const auto [d, volume] =
      points.Farthest([&](const Vector& p) { return std::abs(Dot(p - origin, normal)); });
  const double extent = points.extent();
  if (area <= kFlat * extent * extent || volume <= kFlat * extent * area) return std::nullopt;
  return {{a, b, c, d}};
}

// A hull that grows by the point that lies farthest outside.
class GrowingHull {
 public:
  GrowingHull(const Points& points, const std::array<std::uint32_t, 4>& simplex)
      : points_(points), origin_(points.At(simplex[0])) {
    const auto& [a, b, c, d] = simplex;
    std::vector<Corners> corners = {{a, b, c}, {a, c, d}, {a, d, b}, {b, d, c}};
    if (PlaneOf(points, corners[0]).Height(points.At(d)) > 0) {
      for (Corners& face : corners) std::swap(face[0], face[2]);
    }
    std::vector<std::uint32_t> all(points.size());
    std::iota(all.begin(), all.end(), 0u);
    Add(corners, all);
  }

  // False where no point lies outside.
  bool Grow() {
    const auto top =
        std::max_element(faces_.begin(), faces_.end(),
                         [](const Face& a, const Face& b) { return a.height < b.height; });
    if (top->height <= 0) return false;
    const std::uint32_t point = top->farthest;
    const std::vector<Face> seen = TakeSeen(points_.At(point));
    std::vector<std::uint32_t> orphans;
    for (const Face& face : seen) {
      for (const std::uint32_t i : face.outside) {
        if (i != point) orphans.push_back(i);
      }
    }
    std::vector<Corners> added;
    for (const Edge& edge : HorizonOf(seen)) added.push_back({edge.first, edge.second, point});
    Add(added, orphans);
    return true;
  }

  MeshHull Finish() const {
    MeshHull hull;
    absl::flat_hash_set<std::uint32_t> corners;
    for (const Face& face : faces_) {
      const auto [a, b, c] = face.corners;
      hull.volume +=
          Dot(points_.At(a) - origin_, Cross(points_.At(b) - origin_, points_.At(c) - origin_)) / 6;
      corners.insert(face.corners.begin(), face.corners.end());
    }
    for (const std::uint32_t i : corners) {
      const Vector point = points_.At(i);
      hull.points.insert(hull.points.end(), point.begin(), point.end());
    }
    return hull;
  }

 private:
  struct Face {
    Corners corners;
    Plane plane;
    std::vector<std::uint32_t> outside;
    double height = 0;  // of the farthest point
    std::uint32_t farthest = 0;
  };

  // Adds faces, and gives each of the points to the one that it lies farthest outside of.
  void Add(const std::vector<Corners>& corners, const std::vector<std::uint32_t>& among) {
    const std::size_t first = faces_.size();
    for (const Corners& c : corners) faces_.push_back({c, PlaneOf(points_, c), {}});
    for (const std::uint32_t i : among) {
      const Vector p = points_.At(i);
      Face* best = nullptr;
      double height = kOutside * points_.extent();
      for (std::size_t k = first; k < faces_.size(); ++k) {
        const double h = faces_[k].plane.Height(p);
        if (h <= height) continue;
        height = h;
        best = &faces_[k];
      }
      if (best == nullptr) continue;
      best->outside.push_back(i);
      if (height > best->height) {
        best->height = height;
        best->farthest = i;
      }
    }
  }

  std::vector<Face> TakeSeen(const Vector& point) {
    const double least = kSeen * points_.extent();
    const auto first_seen =
        std::stable_partition(faces_.begin(), faces_.end(),
                              [&](const Face& face) { return face.plane.Height(point) <= least; });
    std::vector<Face> seen(std::make_move_iterator(first_seen),
                           std::make_move_iterator(faces_.end()));
    faces_.erase(first_seen, faces_.end());
    return seen;
  }

  // The edges of faces whose other side is not among them.
  static std::vector<Edge> HorizonOf(const std::vector<Face>& seen) {
    absl::flat_hash_set<Edge> edges;
    for (const Face& face : seen) {
      for (const Edge& edge : EdgesOf(face.corners)) edges.insert(edge);
    }
    std::vector<Edge> horizon;
    for (const Face& face : seen) {
      for (const Edge& edge : EdgesOf(face.corners)) {
        if (!edges.contains({edge.second, edge.first})) horizon.push_back(edge);
      }
    }
    return horizon;
  }

  const Points& points_;
  const Vector origin_;
  std::vector<Face> faces_;
};

// Whether every triangle that is looked at lies on the hull's surface.
bool LiesOn(const MeshHull& hull, const Points& points, absl::Span<const Corners> triangles) {
  const Points corners(hull.points);
  const double extent = points.extent();
  const std::size_t step = (triangles.size() + kMostFacesJudged - 1) / kMostFacesJudged;
  for (std::size_t i = 0; i < triangles.size(); i += step) {
    const Corners& t = triangles[i];
    const Vector a = points.At(t[0]);
    const double area = Length(Cross(points.At(t[1]) - a, points.At(t[2]) - a));
    if (area <= 1e-6 * extent * extent) continue;
    const Plane plane = PlaneOf(points, t);
    const double above = corners.Farthest([&](const Vector& p) { return plane.Height(p); }).second;
    const double below = corners.Farthest([&](const Vector& p) { return -plane.Height(p); }).second;
    if (std::min(above, below) > kDeepest * extent) return false;
  }
  return true;
}

// Each point's lowest neighbour, which leads to the lowest of its surface.
class Forest {
 public:
  explicit Forest(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  std::uint32_t Root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(std::uint32_t a, std::uint32_t b) {
    a = Root(a);
    b = Root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

bool IsTriangle(const Corners& c) { return c[0] != c[1] && c[1] != c[2] && c[2] != c[0]; }

// Six times the volumes between triangles and the middle of their surface.
std::vector<double> SixVolumes(const Points& points, const std::vector<Corners>& triangles,
                               const std::vector<std::uint32_t>& surface_of, std::size_t count) {
  std::vector<Vector> middle(count, {0, 0, 0});
  std::vector<double> weight(count);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    ++weight[surface_of[i]];
    for (const std::uint32_t corner : triangles[i]) {
      for (std::size_t k = 0; k < 3; ++k) middle[surface_of[i]][k] += points.At(corner)[k] / 3;
    }
  }
  std::vector<double> volumes(count);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const std::uint32_t surface = surface_of[i];
    Vector about = middle[surface];
    for (double& x : about) x /= weight[surface];
    const auto& [a, b, c] = triangles[i];
    volumes[surface] +=
        Dot(points.At(a) - about, Cross(points.At(b) - about, points.At(c) - about));
  }
  return volumes;
}

std::string Describe(const Enclosure& enclosure, double hull_volume) {
  double volume = 0;
  for (const auto& surface : enclosure.surfaces) volume += surface.volume;
  const std::size_t count = enclosure.surfaces.size();
  std::string text = count == 1 ? "the mesh is not convex: it encloses "
                                : absl::StrFormat(
                                      "the mesh has %d separate surfaces, which "
                                      "enclose ",
                                      count);
  absl::StrAppendFormat(&text, "%s%.3g m^3, its convex hull %.3g m^3",
                        enclosure.is_closed() ? "" : "about ", volume, hull_volume);
  if (volume > 0 && volume < hull_volume) {
    absl::StrAppendFormat(&text, " (%.2f times as much)", hull_volume / volume);
  }
  return text;
}

}  // namespace

std::optional<MeshHull> HullOf(absl::Span<const double> numbers) {
  if (numbers.empty()) return std::nullopt;
  const Points points(numbers);
  const auto simplex = FirstSimplex(points);
  if (!simplex) return std::nullopt;
  GrowingHull hull(points, *simplex);
  for (int i = 0; i < kMostHullPoints && hull.Grow(); ++i) {
  }
  return hull.Finish();
}

bool Enclosure::is_closed() const {
  return std::all_of(surfaces.begin(), surfaces.end(),
                     [](const Surface& surface) { return surface.is_closed; });
}

std::vector<std::uint32_t> SurfacesOf(std::size_t vertex_count,
                                      absl::Span<const Corners> triangles) {
  Forest forest(vertex_count);
  for (const Corners& c : triangles) {
    forest.Join(c[0], c[1]);
    forest.Join(c[1], c[2]);
  }
  std::vector<std::uint32_t> number(vertex_count);
  for (const Corners& c : triangles) number[forest.Root(c[0])] = 1;
  std::uint32_t next = 0;
  for (std::uint32_t& n : number) {
    if (n == 1) n = next++;
  }
  std::vector<std::uint32_t> numbers;
  numbers.reserve(triangles.size());
  for (const Corners& c : triangles) numbers.push_back(number[forest.Root(c[0])]);
  return numbers;
}

Enclosure EnclosureOf(absl::Span<const double> vertices, absl::Span<const Corners> triangles) {
  std::vector<Corners> kept;
  std::copy_if(triangles.begin(), triangles.end(), std::back_inserter(kept), IsTriangle);
  const std::vector<std::uint32_t> surface_of = SurfacesOf(vertices.size() / 3, kept);
  if (kept.empty()) return {};
  const std::size_t count = 1 + *std::max_element(surface_of.begin(), surface_of.end());
  absl::flat_hash_map<Edge, int> times;
  for (const Corners& c : kept) {
    for (const Edge& edge : EdgesOf(c)) ++times[edge];
  }
  Enclosure found;
  found.surfaces.resize(count);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (const Edge& edge : EdgesOf(kept[i])) {
      const bool is_paired = times[edge] == 1 && times.contains({edge.second, edge.first});
      if (!is_paired) found.surfaces[surface_of[i]].is_closed = false;
    }
  }
  const std::vector<double> volumes = SixVolumes(Points(vertices), kept, surface_of, count);
  for (std::size_t i = 0; i < count; ++i) found.surfaces[i].volume = std::abs(volumes[i]) / 6;
  return found;
}

std::optional<std::string> HollowOf(absl::Span<const double> vertices,
                                    absl::Span<const Corners> triangles) {
  if (triangles.empty()) return std::nullopt;
  const std::optional<MeshHull> hull = HullOf(vertices);
  if (!hull) return std::nullopt;
  const Enclosure enclosure = EnclosureOf(vertices, triangles);
  for (const auto& surface : enclosure.surfaces) {
    if (surface.is_closed && surface.volume >= kConvexShare * hull->volume) return std::nullopt;
  }
  const bool is_one_open = enclosure.surfaces.size() == 1 && !enclosure.is_closed();
  if (is_one_open && LiesOn(*hull, Points(vertices), triangles)) return std::nullopt;
  return Describe(enclosure, hull->volume);
}

}  // namespace clearance::client::internal

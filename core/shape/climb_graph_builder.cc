// SPDX-License-Identifier: Apache-2.0

#include "core/shape/climb_graph_builder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

// The start of a row of the adjacency: a triangle that has the vertex as corner `corner`.
struct Corner {
  std::uint32_t triangle = 0;
  std::uint32_t corner = 0;
};

// Returns places: hull.vertices ascend, so a vertex has the index of its place there.
std::vector<std::uint32_t> PlacesOf(const Hull& hull, std::size_t point_count) {
  std::vector<std::uint32_t> place_of(point_count, 0);
  for (std::uint32_t i = 0; i < hull.vertices.size(); ++i) place_of[hull.vertices[i]] = i;
  return place_of;
}

// Goes once around the vertex from triangle to triangle.
void AppendRow(const Surface& surface, const Corner& start, std::vector<std::uint32_t>* row) {
  Corner at = start;
  do {
    const SurfaceTriangle& triangle = surface[at.triangle];
    const std::uint32_t vertex = triangle.vertex[at.corner];
    row->push_back(triangle.vertex[(at.corner + 1) % 3]);
    at.triangle = triangle.neighbor[at.corner];
    const auto& next = surface[at.triangle].vertex;
    at.corner =
        static_cast<std::uint32_t>(std::find(next.begin(), next.end(), vertex) - next.begin());
  } while (at.triangle != start.triangle);
}

Adjacency AdjacencyOf(const Hull& hull, std::size_t point_count) {
  const std::vector<std::uint32_t> place_of = PlacesOf(hull, point_count);
  std::vector<Corner> corner_at(hull.vertices.size());
  for (std::uint32_t t = 0; t < hull.surface.size(); ++t) {
    for (std::uint32_t i = 0; i < 3; ++i) corner_at[place_of[hull.surface[t].vertex[i]]] = {t, i};
  }
  Adjacency adjacency;
  adjacency.offsets.reserve(hull.vertices.size() + 1);
  adjacency.offsets.push_back(0);
  adjacency.neighbors.reserve(3 * hull.surface.size());
  for (const Corner& corner : corner_at) {
    AppendRow(hull.surface, corner, &adjacency.neighbors);
    const auto row = adjacency.neighbors.begin() + adjacency.offsets.back();
    std::transform(row, adjacency.neighbors.end(), row,
                   [&](std::uint32_t point) { return place_of[point]; });
    std::rotate(row, std::min_element(row, adjacency.neighbors.end()), adjacency.neighbors.end());
    adjacency.offsets.push_back(static_cast<std::uint32_t>(adjacency.neighbors.size()));
  }
  return adjacency;
}

// Returns an upper bound of the distance of p from the segment from a to b. Whatever rounding does
// to t, a + t (b - a) is a point of the segment. Coordinates are at most 1, so that the roundings
// of the difference are below 16 u together.
double Sag(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
  const Vec3d along = b - a;
  const double length_sq = NormSquared(along);
  const double t = length_sq > 0 ? std::clamp(Dot(p - a, along) / length_sq, 0.0, 1.0) : 0;
  const double distance = Norm(p - a - t * along);
  return distance * (1 + 8 * kRoundoff) + 16 * kRoundoff;
}

// Computes the bounds of `part` and of its parts.
void AppendSags(const Adjacency& adjacency, absl::Span<const Vec3d> vertices, const RowPart& part,
                std::vector<double>* sag) {
  const auto at = [&](std::uint32_t k) { return vertices[adjacency.neighbors[k]]; };
  if (sag->size() <= part.number) sag->resize(part.number + 1);
  double largest = 0;
  for (std::uint32_t k = part.first + 1; k < part.last; ++k) {
    largest = std::max(largest, Sag(at(k), at(part.first), at(part.last)));
  }
  (*sag)[part.number] = largest;
  if (part.IsLeaf()) return;
  AppendSags(adjacency, vertices, part.FirstHalf(), sag);
  AppendSags(adjacency, vertices, part.SecondHalf(), sag);
}

std::vector<LongRow> BoundLongRows(const Adjacency& adjacency, absl::Span<const Vec3d> vertices) {
  std::vector<LongRow> rows;
  for (VertexIndex i = 0; i < vertices.size(); ++i) {
    const std::uint32_t begin = adjacency.offsets[i];
    const std::uint32_t end = adjacency.offsets[i + 1];
    if (end - begin <= kLongRow) continue;
    rows.push_back({i, {}});
    AppendSags(adjacency, vertices, {begin, end - 1}, &rows.back().sag);
  }
  return rows;
}

// SplitMix64's finaliser (Steele, Lea, Flood 2014): as good as random, the same everywhere.
std::uint64_t Scrambled(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// Each layer has one in 2^kThinningBits of the vertices of the next finer one, until there are at
// most kCoarsestSize: these are scanned.
constexpr int kThinningBits = 3;
constexpr std::size_t kCoarsestSize = 32;

std::vector<VertexIndex> Thinned(const std::vector<VertexIndex>& finer, int level) {
  const int shift = kThinningBits * (level - 1);
  std::vector<VertexIndex> kept;
  for (const VertexIndex i : finer) {
    if ((Scrambled(i) >> shift) % (1U << kThinningBits) == 0) kept.push_back(i);
  }
  return kept;
}

template <class T>
std::vector<T> Picked(absl::Span<const T> values, const std::vector<std::uint32_t>& indices) {
  std::vector<T> picked;
  picked.reserve(indices.size());
  for (const std::uint32_t i : indices) picked.push_back(values[i]);
  return picked;
}

std::vector<VertexIndex> PlacesIn(const std::vector<VertexIndex>& finer,
                                  const std::vector<VertexIndex>& kept) {
  std::vector<VertexIndex> places;
  places.reserve(kept.size());
  auto at = finer.begin();
  for (const VertexIndex i : kept) {
    at = std::lower_bound(at, finer.end(), i);
    places.push_back(static_cast<VertexIndex>(at - finer.begin()));
  }
  return places;
}

// Requires: the hull of the kept vertices is solid; all of them are vertices of it.
ClimbLayer LayerOf(const Hull& hull, const std::vector<Vec3d>& vertices) {
  ClimbLayer layer;
  for (auto* axis : {&layer.x, &layer.y, &layer.z}) axis->reserve(vertices.size());
  for (const Vec3d& v : vertices) {
    layer.x.push_back(v.x);
    layer.y.push_back(v.y);
    layer.z.push_back(v.z);
  }
  layer.adjacency = AdjacencyOf(hull, vertices.size());
  layer.long_rows = BoundLongRows(layer.adjacency, vertices);
  return layer;
}

// Returns a vertex near enough to the top for a start: in a long row only some entries are looked
// at. `at` gives the points by place.
template <class At>
VertexIndex ClimbRoughly(const Adjacency& adjacency, At at, const Vec3d& d, VertexIndex start) {
  VertexIndex here = start;
  double height = Dot(d, at(here));
  for (VertexIndex next = here;; here = next) {
    const std::uint32_t end = adjacency.offsets[here + 1];
    const std::uint32_t stride = 1 + (end - adjacency.offsets[here]) / kLongRow;
    for (std::uint32_t k = adjacency.offsets[here]; k < end; k += stride) {
      const double candidate = Dot(d, at(adjacency.neighbors[k]));
      if (candidate <= height) continue;
      height = candidate;
      next = adjacency.neighbors[k];
    }
    if (next == here) return here;
  }
}

// Climbs from layer to layer, or from vertex 0 if there is none.
VertexIndex DescendRoughly(const ClimbGraph& graph, absl::Span<const Vec3d> vertices,
                           const Vec3d& d) {
  VertexIndex place = 0;
  for (auto layer = graph.layers.rbegin(); layer != graph.layers.rend(); ++layer) {
    const auto at = [&](VertexIndex i) { return Vec3d{layer->x[i], layer->y[i], layer->z[i]}; };
    place = layer->below[ClimbRoughly(layer->adjacency, at, d, place)];
  }
  const auto at = [&](VertexIndex i) { return vertices[i]; };
  return ClimbRoughly(graph.adjacency, at, d, place);
}

// Returns the middle of a cell, as CubeMap numbers them.
Vec3d MiddleOf(std::uint32_t face, std::uint32_t i, std::uint32_t j, std::uint32_t resolution) {
  const double main = face % 2 == 0 ? 1 : -1;
  const double u = (2 * i + 1.0) / resolution - 1;
  const double v = (2 * j + 1.0) / resolution - 1;
  if (face / 2 == 0) return {main, u, v};
  return face / 2 == 1 ? Vec3d{v, main, u} : Vec3d{u, v, main};
}

// About two vertices a cell, so that on a round hull the top is a step or two away. More cells than
// that pay on no hull that was measured.
constexpr double kVerticesPerCell = 2;
constexpr double kLargestResolution = 32;

CubeMap BuildCubeMap(const ClimbGraph& graph, absl::Span<const Vec3d> vertices) {
  const double cells_per_face = static_cast<double>(vertices.size()) / (6 * kVerticesPerCell);
  CubeMap map;
  map.resolution = static_cast<std::uint32_t>(
      std::min(std::ceil(std::sqrt(cells_per_face)), kLargestResolution));
  const std::uint32_t n = map.resolution;
  map.vertex.reserve(std::size_t{6} * n * n);
  for (std::uint32_t face = 0; face < 6; ++face) {
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = 0; j < n; ++j) {
        map.vertex.push_back(DescendRoughly(graph, vertices, MiddleOf(face, i, j, n)));
      }
    }
  }
  return map;
}

}  // namespace

ClimbGraph BuildClimbGraph(const HullToClimb& input, Pacer* pacer) {
  ClimbGraph graph;
  graph.adjacency = AdjacencyOf(input.hull, input.grid_points.size());
  graph.long_rows = BoundLongRows(graph.adjacency, input.vertices);
  const std::vector<Vec3d> grid_points = Picked(input.grid_points, input.hull.vertices);
  std::vector<VertexIndex> finer(input.vertices.size());
  std::iota(finer.begin(), finer.end(), 0U);
  for (int level = 1; finer.size() > kCoarsestSize; ++level) {
    std::vector<VertexIndex> kept = Thinned(finer, level);
    if (kept.size() < 4) break;  // too few for a solid
    const Hull hull = BuildHull(Picked<Vec3d>(grid_points, kept), pacer);
    if (hull.dimension < 3 || HasStopped(pacer)) break;
    ClimbLayer layer = LayerOf(hull, Picked(input.vertices, kept));
    layer.below = PlacesIn(finer, kept);
    graph.layers.push_back(std::move(layer));
    finer = std::move(kept);
  }
  if (HasStopped(pacer)) return graph;
  graph.cube_map = BuildCubeMap(graph, input.vertices);
  return graph;
}

}  // namespace clearance

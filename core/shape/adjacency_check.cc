// SPDX-License-Identifier: Apache-2.0

#include "core/shape/adjacency_check.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace clearance {
namespace {

// An entry of the table, in the caller's point indices, and its place there.
struct GivenEdge {
  HullEdge edge;
  std::size_t place;

  friend bool operator<(const GivenEdge& a, const GivenEdge& b) {
    return std::pair(a.edge, a.place) < std::pair(b.edge, b.place);
  }
};

ShapeError EntryFault(const GivenEdge& given, std::string limit, absl::string_view why) {
  return {.field = absl::StrCat("adjacency[", given.place, "]"),
          .value = absl::StrCat(given.edge.to),
          .limit = std::move(limit),
          .message = absl::StrCat("Point ", given.edge.to, " in the row of point ", given.edge.from,
                                  " ", why, ".")};
}

std::optional<ShapeError> FindOffsetFault(const GivenAdjacency& given, std::uint32_t point_count) {
  const auto& offsets = given.offsets;
  if (offsets.size() != std::size_t{point_count} + 1) {
    return ShapeError{"adjacency_offsets", absl::StrCat(offsets.size(), " numbers"),
                      absl::StrCat(std::size_t{point_count} + 1, " numbers"),
                      "There must be one offset more than there are points."};
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::uint32_t least = i == 0 ? 0 : offsets[i - 1];
    const bool is_end = i == 0 || i + 1 == offsets.size();
    const std::size_t end = i == 0 ? 0 : given.neighbors.size();
    if (offsets[i] >= least && (!is_end || offsets[i] == end)) continue;
    return ShapeError{absl::StrCat("adjacency_offsets[", i, "]"), absl::StrCat(offsets[i]),
                      is_end ? absl::StrCat(end) : absl::StrCat(">= ", least),
                      "Offsets must rise from 0 to the length of the adjacency."};
  }
  return std::nullopt;
}

std::vector<GivenEdge> SortedEdges(const GivenAdjacency& given) {
  std::vector<GivenEdge> edges;
  edges.reserve(given.neighbors.size());
  for (std::uint32_t row = 0; row + 1 < given.offsets.size(); ++row) {
    for (std::size_t k = given.offsets[row]; k < given.offsets[row + 1]; ++k) {
      edges.push_back({{row, given.neighbors[k]}, k});
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

bool Contains(const std::vector<GivenEdge>& edges, const HullEdge& edge) {
  const auto at = std::lower_bound(edges.begin(), edges.end(), GivenEdge{edge, 0});
  return at != edges.end() && at->edge == edge;
}

// Numbers the faces of the hull and lists for each point those that it is a corner of, ascending.
class Faces {
 public:
  explicit Faces(const HullOfPoints& built) : of_point_(built.points.size()) {
    const Surface& surface = built.hull.surface;
    std::vector<bool> is_done(surface.size(), false);
    std::uint32_t face = 0;
    for (std::uint32_t seed = 0; seed < surface.size(); ++seed) {
      if (!is_done[seed]) AddFace(built, seed, face++, &is_done);
    }
    // A flat or straight hull is one face with all vertices.
    if (surface.empty()) {
      for (const std::uint32_t v : built.hull.vertices) of_point_[v] = {0};
    }
  }

  bool HaveCommon(const HullEdge& edge) const {
    const auto& a = of_point_[edge.from];
    const auto& b = of_point_[edge.to];
    return std::any_of(a.begin(), a.end(), [&](std::uint32_t face) {
      return std::binary_search(b.begin(), b.end(), face);
    });
  }

 private:
  // All triangles that can be reached from `seed` across flat edges.
  void AddFace(const HullOfPoints& built, std::uint32_t seed, std::uint32_t face,
               std::vector<bool>* is_done) {
    const Surface& surface = built.hull.surface;
    std::vector<std::uint32_t> stack = {seed};
    (*is_done)[seed] = true;
    while (!stack.empty()) {
      const std::uint32_t t = stack.back();
      stack.pop_back();
      for (int i = 0; i < 3; ++i) {
        std::vector<std::uint32_t>& faces = of_point_[surface[t].vertex[i]];
        if (faces.empty() || faces.back() != face) faces.push_back(face);
        const std::uint32_t next = surface[t].neighbor[i];
        if ((*is_done)[next] || !surface[t].is_flat[i]) continue;
        (*is_done)[next] = true;
        stack.push_back(next);
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> of_point_;
};

// The edges that every table must have: all but the diagonals of flat faces.
std::vector<HullEdge> SharpEdges(const HullOfPoints& built) {
  const Surface& surface = built.hull.surface;
  if (surface.empty()) return FlatEdgesOf(built.hull);
  std::vector<HullEdge> edges;
  for (const SurfaceTriangle& triangle : surface) {
    for (int i = 0; i < 3; ++i) {
      if (triangle.is_flat[i]) continue;
      edges.push_back({triangle.vertex[i], triangle.vertex[(i + 1) % 3]});
    }
  }
  return edges;
}

}  // namespace

std::optional<ShapeError> FindLayoutFault(const GivenAdjacency& given, std::uint32_t point_count) {
  if (std::optional<ShapeError> fault = FindOffsetFault(given, point_count)) return fault;
  const std::vector<GivenEdge> edges = SortedEdges(given);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [from, to] = edges[i].edge;
    if (to >= point_count) {
      return EntryFault(edges[i], absl::StrCat("< ", point_count), "is none of the points");
    }
    if (to == from) {
      return EntryFault(edges[i], "another point than the row's", "is the point of the row itself");
    }
    if (i > 0 && edges[i - 1].edge == edges[i].edge) {
      return EntryFault(edges[i], "once in a row", "is there already");
    }
  }
  for (const GivenEdge& given_edge : edges) {
    const auto [from, to] = given_edge.edge;
    if (Contains(edges, {to, from})) continue;
    return EntryFault(given_edge, absl::StrCat("a point whose row has ", from),
                      "does not have that point in its own row");
  }
  return std::nullopt;
}

std::optional<ShapeError> FindEdgeFault(const GivenAdjacency& given, const HullOfPoints& built) {
  const std::vector<GivenEdge> edges = SortedEdges(given);
  for (const auto& [from, to] : SharpEdges(built)) {
    const HullEdge edge = {built.original_index[from], built.original_index[to]};
    if (Contains(edges, edge)) continue;
    return ShapeError{"adjacency", absl::StrCat(edge.to, " missing in row ", edge.from),
                      "every edge of the hull",
                      absl::StrCat("Points ", edge.from, " and ", edge.to,
                                   " are joined by an edge of the hull that is not given.")};
  }
  constexpr std::uint32_t kDuplicate = 0xffffffff;
  std::vector<std::uint32_t> index_of_row(given.offsets.size(), kDuplicate);
  for (std::uint32_t i = 0; i < built.points.size(); ++i) index_of_row[built.original_index[i]] = i;
  const Faces faces(built);
  for (const GivenEdge& edge : edges) {
    const std::uint32_t from = index_of_row[edge.edge.from];
    const std::uint32_t to = index_of_row[edge.edge.to];
    if (from != kDuplicate && to != kDuplicate && faces.HaveCommon({from, to})) continue;
    return EntryFault(edge, "an extreme point on a common face",
                      "is joined to it neither by an edge of the hull nor across a flat face");
  }
  return std::nullopt;
}

}  // namespace clearance

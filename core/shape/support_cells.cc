// SPDX-License-Identifier: Apache-2.0

#include "core/shape/support_cells.h"

#include <algorithm>
#include <optional>

#include "core/math/tolerance.h"
#include "core/shape/scan_blocks.h"

namespace clearance {
namespace {

// A place within the cell, off its middle, since symmetric hulls have ties there.
constexpr double kAcross = 0.43;
constexpr double kAlong = 0.59;

struct Interval {
  double low;
  double high;

  double At(double share) const { return low + share * (high - low); }
  // Returns the greatest value * t, t in the interval.
  double Most(double value) const { return std::max(low * value, high * value); }
};

// The directions (±1, u, v) of a cell, their components turned as CubeMap turns them.
struct Cell {
  std::uint32_t axis;
  double main;
  Interval u;
  Interval v;

  Vec3d Inside() const { return Turned(main, u.At(kAcross), v.At(kAlong)); }

  // Returns the greatest d . e.
  double Reach(const Vec3d& e) const {
    const double along = axis == 0 ? e.x : axis == 1 ? e.y : e.z;
    const double e_u = axis == 0 ? e.y : axis == 1 ? e.z : e.x;
    const double e_v = axis == 0 ? e.z : axis == 1 ? e.x : e.y;
    return main * along + u.Most(e_u) + v.Most(e_v);
  }

 private:
  Vec3d Turned(double m, double s, double t) const {
    if (axis == 0) return {m, s, t};
    return axis == 1 ? Vec3d{t, m, s} : Vec3d{s, t, m};
  }
};

Cell CellNumber(std::uint32_t cell, std::uint32_t resolution) {
  const auto interval = [&](std::uint32_t index) {
    return Interval{2.0 * index / resolution - 1 - kCellMargin,
                    2.0 * (index + 1) / resolution - 1 + kCellMargin};
  };
  const std::uint32_t face = cell / (resolution * resolution);
  return {.axis = face / 2,
          .main = face % 2 == 0 ? 1.0 : -1.0,
          .u = interval(cell / resolution % resolution),
          .v = interval(cell % resolution)};
}

class CellFlood {
 public:
  CellFlood(const ClimbGraph& graph, absl::Span<const Vec3d> vertices)
      : graph_(graph),
        vertices_(vertices),
        tolerance_(vertices.size() <= ScanBlock::kMaxVertices ? kFloatCellTolerance
                                                              : kCellTolerance),
        met_in_(vertices.size(), 0) {}

  // Returns the candidates of the cell, ascending; nullopt if they are too many, or hard to tell.
  std::optional<std::vector<VertexIndex>> Candidates(std::uint32_t number) {
    const Cell cell = CellNumber(number, graph_.cube_map.resolution);
    const std::optional<VertexIndex> first = Top(cell.Inside(), graph_.cube_map.vertex[number]);
    if (!first.has_value()) return std::nullopt;
    stamp_ = number + 1;
    std::vector<VertexIndex> found;
    Meet(*first, &found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const VertexIndex neighbor : RowOf(found[i])) {
        if (met_in_[neighbor] == stamp_) continue;
        met_in_[neighbor] = stamp_;
        if (!CanBeHighest(neighbor, cell)) continue;
        if (IsLong(neighbor)) return std::nullopt;
        found.push_back(neighbor);
      }
      if (found.size() > kMaxInCell) return std::nullopt;
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  absl::Span<const VertexIndex> RowOf(VertexIndex vertex) const {
    const std::uint32_t* const offset = &graph_.adjacency.offsets[vertex];
    return absl::MakeConstSpan(graph_.adjacency.neighbors)
        .subspan(offset[0], offset[1] - offset[0]);
  }

  bool IsLong(VertexIndex vertex) const { return RowOf(vertex).size() > kLongRow; }

  void Meet(VertexIndex vertex, std::vector<VertexIndex>* found) {
    met_in_[vertex] = stamp_;
    found->push_back(vertex);
  }

  // Compares only some neighbours of a long row, so it may return true needlessly.
  bool CanBeHighest(VertexIndex vertex, const Cell& cell) const {
    const Vec3d& here = vertices_[vertex];
    const absl::Span<const VertexIndex> row = RowOf(vertex);
    const std::size_t stride = 1 + row.size() / (kLongRow + 1);
    for (std::size_t k = 0; k < row.size(); k += stride) {
      if (cell.Reach(here - vertices_[row[k]]) < -tolerance_) return false;
    }
    return true;
  }

  // Returns the vertex highest along d, by a climb from `start`; nullopt if there are long rows, or
  // ties in double precision. It is in K whatever e is.
  std::optional<VertexIndex> Top(const Vec3d& d, VertexIndex start) const {
    VertexIndex here = start;
    while (!IsLong(here)) {
      VertexIndex next = here;
      double height = Dot(d, vertices_[here]);
      const double floor = height - kCellTolerance;
      bool has_tie = false;
      for (const VertexIndex neighbor : RowOf(here)) {
        const double candidate = Dot(d, vertices_[neighbor]);
        has_tie = has_tie || candidate >= floor;
        if (candidate <= height) continue;
        height = candidate;
        next = neighbor;
      }
      if (next == here) return has_tie ? std::nullopt : std::optional<VertexIndex>(here);
      here = next;
    }
    return std::nullopt;
  }

  const ClimbGraph& graph_;
  const absl::Span<const Vec3d> vertices_;
  const double tolerance_;
  std::vector<std::uint32_t> met_in_;  // by vertex: the last cell it was met in, plus one
  std::uint32_t stamp_ = 0;
};

}  // namespace

SupportCells MakeSupportCells(const ClimbGraph& graph, absl::Span<const Vec3d> vertices) {
  SupportCells cells;
  const auto count = static_cast<std::uint32_t>(graph.cube_map.vertex.size());
  cells.offsets.reserve(count + 1);
  cells.offsets.push_back(0);
  CellFlood flood(graph, vertices);
  for (std::uint32_t cell = 0; cell < count; ++cell) {
    if (const auto found = flood.Candidates(cell); found.has_value()) {
      cells.candidates.insert(cells.candidates.end(), found->begin(), found->end());
    }
    cells.offsets.push_back(static_cast<std::uint32_t>(cells.candidates.size()));
  }
  cells.candidates.shrink_to_fit();
  return cells;
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/shape/hull_faces.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/shape/hull_builder.h"

namespace clearance {
namespace {

using Ring = std::vector<std::uint32_t>;

// Walks along the sharp edges of a surface, one round for each face.
class FaceWalk {
 public:
  FaceWalk(absl::Span<const Vec3d> points, const Surface& surface)
      : surface_(surface), is_flat_(surface.size()), is_done_(surface.size()) {
    for (std::uint32_t t = 0; t < surface.size(); ++t) {
      for (int i = 0; i < 3; ++i) is_flat_[t][i] = IsFlatEdge(points, surface, t, i);
    }
  }

  std::vector<Ring> Walk() {
    std::vector<Ring> rings;
    for (std::uint32_t t = 0; t < surface_.size(); ++t) {
      for (int i = 0; i < 3; ++i) {
        if (!is_flat_[t][i] && !is_done_[t][i]) rings.push_back(Round({t, i}));
      }
    }
    return rings;
  }

 private:
  // Edge `edge` of a triangle, in the triangle's direction.
  struct HalfEdge {
    std::uint32_t triangle;
    int edge;
  };

  std::uint32_t Start(const HalfEdge& h) const { return surface_[h.triangle].vertex[h.edge]; }

  // The next sharp edge of the same face: every flat edge at the corner is turned past.
  HalfEdge Next(const HalfEdge& h) const {
    HalfEdge next = {h.triangle, (h.edge + 1) % 3};
    const std::uint32_t corner = Start(next);
    while (is_flat_[next.triangle][next.edge]) {
      next = {surface_[next.triangle].neighbor[next.edge], 0};
      while (Start(next) != corner) ++next.edge;
    }
    return next;
  }

  Ring Round(const HalfEdge& first) {
    Ring ring;
    for (HalfEdge h = first; !is_done_[h.triangle][h.edge]; h = Next(h)) {
      is_done_[h.triangle][h.edge] = true;
      ring.push_back(Start(h));
    }
    return ring;
  }

  const Surface& surface_;
  std::vector<std::array<bool, 3>> is_flat_;
  std::vector<std::array<bool, 3>> is_done_;
};

std::vector<Ring> RingsOf(absl::Span<const Vec3d> points, const Hull& hull) {
  switch (hull.dimension) {
    case 0:
      return {};
    case 1:
      return {hull.vertices};
    case 2:
      return {hull.ring, {hull.ring.rbegin(), hull.ring.rend()}};
    default:
      return FaceWalk(points, hull.surface).Walk();
  }
}

// `hull.vertices` ascend, so a vertex has the number of its place there.
void Renumber(const Hull& hull, Ring* ring) {
  for (std::uint32_t& v : *ring) {
    const auto at = std::lower_bound(hull.vertices.begin(), hull.vertices.end(), v);
    v = static_cast<std::uint32_t>(at - hull.vertices.begin());
  }
  std::rotate(ring->begin(), std::min_element(ring->begin(), ring->end()), ring->end());
}

void AppendRow(const Ring& row, std::vector<std::uint32_t>* offsets,
               std::vector<std::uint32_t>* values) {
  values->insert(values->end(), row.begin(), row.end());
  offsets->push_back(static_cast<std::uint32_t>(values->size()));
}

// Corner rows turned round: for each vertex the faces that it is a corner of.
void SetFacesOfVertices(std::size_t vertex_count, HullFaces* faces) {
  std::vector<std::uint32_t>& offsets = faces->face_offsets;
  offsets.assign(vertex_count + 1, 0);
  for (const std::uint32_t v : faces->corners) ++offsets[v + 1];
  for (std::size_t v = 0; v < vertex_count; ++v) offsets[v + 1] += offsets[v];
  faces->faces.resize(faces->corners.size());
  std::vector<std::uint32_t> end(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t face = 0; face < faces->face_count(); ++face) {
    for (const std::uint32_t v : faces->CornersOf(face)) faces->faces[end[v]++] = face;
  }
}

}  // namespace

HullFaces BuildFaces(absl::Span<const Vec3d> points, const Hull& hull) {
  std::vector<Ring> rings = RingsOf(points, hull);
  for (Ring& ring : rings) Renumber(hull, &ring);
  std::sort(rings.begin(), rings.end());
  HullFaces faces;
  faces.corner_offsets.push_back(0);
  for (const Ring& ring : rings) AppendRow(ring, &faces.corner_offsets, &faces.corners);
  SetFacesOfVertices(hull.vertices.size(), &faces);
  return faces;
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0

#include "core/shape/hull_faces.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/shape/hull_builder.h"

namespace clearance {
namespace {

// The faces as they are found, all corners in one list; ring i ends before ends[i].
struct Rings {
  std::vector<std::uint32_t> corners;
  std::vector<std::uint32_t> ends;

  void Close() { ends.push_back(static_cast<std::uint32_t>(corners.size())); }
};

// Walks along the sharp edges of a surface, one round for each face.
class FaceWalk {
 public:
  explicit FaceWalk(const Surface& surface) : surface_(surface), is_done_(surface.size()) {}

  Rings Walk() {
    Rings rings;
    rings.corners.reserve(3 * surface_.size());
    rings.ends.reserve(surface_.size());
    for (std::uint32_t t = 0; t < surface_.size(); ++t) {
      for (int i = 0; i < 3; ++i) {
        if (!surface_[t].is_flat[i] && !is_done_[t][i]) Round({t, i}, &rings);
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
    while (surface_[next.triangle].is_flat[next.edge]) {
      next = {surface_[next.triangle].neighbor[next.edge], 0};
      while (Start(next) != corner) ++next.edge;
    }
    return next;
  }

  void Round(const HalfEdge& first, Rings* rings) {
    for (HalfEdge h = first; !is_done_[h.triangle][h.edge]; h = Next(h)) {
      is_done_[h.triangle][h.edge] = true;
      rings->corners.push_back(Start(h));
    }
    rings->Close();
  }

  const Surface& surface_;
  std::vector<std::array<bool, 3>> is_done_;
};

Rings RingsOf(const Hull& hull) {
  if (hull.dimension == 3) return FaceWalk(hull.surface).Walk();
  Rings rings;
  if (hull.dimension == 0) return rings;
  rings.corners = hull.dimension == 1 ? hull.vertices : hull.ring;
  rings.Close();
  if (hull.dimension == 1) return rings;
  rings.corners.insert(rings.corners.end(), hull.ring.rbegin(), hull.ring.rend());
  rings.Close();
  return rings;
}

// `hull.vertices` ascend, so a vertex has the number of its place there.
void Renumber(const Hull& hull, std::vector<std::uint32_t>* vertices) {
  std::vector<std::uint32_t> place_of(std::size_t{hull.vertices.back()} + 1);
  for (std::uint32_t i = 0; i < hull.vertices.size(); ++i) place_of[hull.vertices[i]] = i;
  for (std::uint32_t& v : *vertices) v = place_of[v];
}

// A face by its first edge, which no other has in this direction: so this is the faces' order.
struct FacePlace {
  std::uint32_t first_corner;  // the least
  std::uint32_t second_corner;
  std::uint32_t begin;  // of its corners in the rings
  std::uint32_t first;  // where the first corner is there
  std::uint32_t end;

  friend bool operator<(const FacePlace& a, const FacePlace& b) {
    if (a.first_corner != b.first_corner) return a.first_corner < b.first_corner;
    return a.second_corner < b.second_corner;
  }
};

std::vector<FacePlace> FacePlacesOf(const Rings& rings) {
  std::vector<FacePlace> places;
  places.reserve(rings.ends.size());
  const std::uint32_t* const corners = rings.corners.data();
  std::uint32_t begin = 0;
  for (const std::uint32_t end : rings.ends) {
    const std::uint32_t* const least = std::min_element(corners + begin, corners + end);
    const auto first = static_cast<std::uint32_t>(least - corners);
    const std::uint32_t second = first + 1 < end ? first + 1 : begin;
    places.push_back({*least, corners[second], begin, first, end});
    begin = end;
  }
  return places;
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

HullFaces BuildFaces(const Hull& hull) {
  Rings rings = RingsOf(hull);
  Renumber(hull, &rings.corners);
  std::vector<FacePlace> places = FacePlacesOf(rings);
  std::sort(places.begin(), places.end());
  HullFaces faces;
  faces.corner_offsets.reserve(places.size() + 1);
  faces.corner_offsets.push_back(0);
  faces.corners.resize(rings.corners.size());
  std::uint32_t* next = faces.corners.data();
  for (const FacePlace& place : places) {
    const std::uint32_t* const corners = rings.corners.data();
    next =
        std::rotate_copy(corners + place.begin, corners + place.first, corners + place.end, next);
    faces.corner_offsets.push_back(static_cast<std::uint32_t>(next - faces.corners.data()));
  }
  SetFacesOfVertices(hull.vertices.size(), &faces);
  return faces;
}

}  // namespace clearance

// SPDX-License-Identifier: Apache-2.0
#include "internal/mesh_content.h"

#include "absl/strings/str_cat.h"

namespace clearance::client::internal {
namespace {

constexpr std::size_t kFewestCorners = 3;

bool FaultAt(const FacePlace& place, absl::string_view what, MeshFault* fault) {
  return place.kind == MeshPlace::kLine ? fault->AtLine(place.number, what)
                                        : fault->AtByte(place.number, what);
}

}  // namespace

bool AddFace(absl::Span<const std::int64_t> corners, const FacePlace& place, MeshFaces* faces,
             MeshFault* fault) {
  if (corners.size() < kFewestCorners) {
    return FaultAt(
        place,
        absl::StrCat("a face has ", corners.size(), " corners: must be at least ", kFewestCorners),
        fault);
  }
  faces->corners.insert(faces->corners.end(), corners.begin(), corners.end());
  faces->counts.push_back(static_cast<std::uint32_t>(corners.size()));
  faces->places.push_back(place.number);
  faces->parts.push_back(0);
  return true;
}

bool NoSuchPoint(const FacePlace& place, std::int64_t named, const PointNumbers& there,
                 MeshFault* fault) {
  return FaultAt(place,
                 absl::StrCat("a face names point ", named, ": there are ", there.count,
                              ", counted from ", there.first),
                 fault);
}

bool RequirePoints(const MeshContent& content, MeshPlace kind, std::int64_t first,
                   MeshFault* fault) {
  const MeshFaces& faces = content.faces;
  const std::size_t count = content.points.size() / 3;
  std::size_t next = 0;
  for (std::size_t face = 0; face < faces.counts.size(); ++face) {
    for (std::uint32_t i = 0; i < faces.counts[face]; ++i) {
      const std::int64_t corner = faces.corners[next++];
      if (corner >= 0 && static_cast<std::uint64_t>(corner) < count) continue;
      return NoSuchPoint({kind, faces.places[face]}, corner + first, {count, first}, fault);
    }
  }
  return true;
}

}  // namespace clearance::client::internal

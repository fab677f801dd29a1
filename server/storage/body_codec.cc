// SPDX-License-Identifier: Apache-2.0

#include "server/storage/body_codec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "core/math/rotation.h"
#include "server/storage/blob.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kAnyIndex = std::numeric_limits<std::uint64_t>::max();

// Beyond these no power of two scales a double into a double.
constexpr int kLeastExponent = -2200;
constexpr int kLargestExponent = 1100;

enum Flags : std::uint8_t { kIsExact = 1, kIsCertifiedConvex = 2, kAllFlags = 3 };

void PutVector(const Vec3d& v, BlobWriter* out) {
  for (const double number : {v.x, v.y, v.z}) out->Put(number);
}

Vec3d GetVector(BlobReader* in) {
  Vec3d v;
  v.x = in->GetFinite();
  v.y = in->GetFinite();
  v.z = in->GetFinite();
  return v;
}

// Normalised coordinates.
std::vector<double> GetCoordinates(std::size_t count, BlobReader* in) {
  std::vector<double> values = in->GetFinite(count);
  in->Require(std::ranges::all_of(values, [](double x) { return x >= -1 && x <= 1; }));
  return values;
}

void PutAdjacency(const Adjacency& adjacency, const std::vector<LongRow>& rows, BlobWriter* out) {
  out->PutIndices(adjacency.offsets);
  out->PutIndices(adjacency.neighbors);
  for (const LongRow& row : rows) out->PutDoubles(row.sag);
}

// Requires rows of at least `least` values each, or nothing at all.
void RequireRows(absl::Span<const std::uint32_t> offsets, std::size_t values, std::uint32_t least,
                 BlobReader* in) {
  if (offsets.empty()) return in->Require(values == 0);
  in->Require(offsets.front() == 0 && offsets.back() == values);
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    in->Require(offsets[i] >= offsets[i - 1] && offsets[i] - offsets[i - 1] >= least);
  }
}

// Returns the largest number of a part, see RowPart.
// NOLINTNEXTLINE(misc-no-recursion): each part is half as long.
std::uint32_t LargestNumber(const RowPart& part) {
  if (part.IsLeaf()) return part.number;
  return std::max(LargestNumber(part.FirstHalf()), LargestNumber(part.SecondHalf()));
}

// Reads one row for each of `count` vertices. The rows determine which of them are long.
void GetAdjacency(std::uint32_t count, BlobReader* in, Adjacency* adjacency,
                  std::vector<LongRow>* rows) {
  adjacency->offsets = in->GetIndices(kAnyIndex);
  adjacency->neighbors = in->GetIndices(count);
  in->Require(adjacency->offsets.size() == std::size_t{count} + 1);
  RequireRows(adjacency->offsets, adjacency->neighbors.size(), 1, in);
  for (std::uint32_t i = 0; in->ok() && i < count; ++i) {
    const std::uint32_t begin = adjacency->offsets[i], end = adjacency->offsets[i + 1];
    if (end - begin <= kLongRow) continue;
    rows->push_back({i, in->GetFinite(std::size_t{LargestNumber({begin, end - 1})} + 1)});
  }
}

void PutLayer(const ClimbLayer& layer, BlobWriter* out) {
  out->PutIndices(layer.below);
  for (const auto* axis : {&layer.x, &layer.y, &layer.z}) out->PutDoubles(*axis);
  PutAdjacency(layer.adjacency, layer.long_rows, out);
}

ClimbLayer GetLayer(std::uint32_t finer_count, BlobReader* in) {
  ClimbLayer layer;
  layer.below = in->GetIndices(finer_count);
  in->Require(!layer.below.empty());
  for (auto* axis : {&layer.x, &layer.y, &layer.z}) {
    *axis = GetCoordinates(layer.below.size(), in);
  }
  GetAdjacency(static_cast<std::uint32_t>(layer.below.size()), in, &layer.adjacency,
               &layer.long_rows);
  return layer;
}

void PutClimbGraph(const ClimbGraph& graph, BlobWriter* out) {
  out->Put(static_cast<std::uint8_t>(!graph.adjacency.offsets.empty()));
  if (graph.adjacency.offsets.empty()) return;
  PutAdjacency(graph.adjacency, graph.long_rows, out);
  out->Put(static_cast<std::uint32_t>(graph.layers.size()));
  for (const ClimbLayer& layer : graph.layers) PutLayer(layer, out);
  out->Put(graph.cube_map.resolution);
  out->PutIndices(graph.cube_map.vertex);
}

ClimbGraph GetClimbGraph(std::uint32_t vertex_count, BlobReader* in) {
  ClimbGraph graph;
  const auto is_there = in->Get<std::uint8_t>();
  in->Require(is_there <= 1);
  if (is_there == 0) return graph;
  GetAdjacency(vertex_count, in, &graph.adjacency, &graph.long_rows);
  const std::uint32_t layers = in->GetCount();
  std::uint32_t finer_count = vertex_count;
  for (std::uint32_t i = 0; in->ok() && i < layers; ++i) {
    graph.layers.push_back(GetLayer(finer_count, in));
    finer_count = static_cast<std::uint32_t>(graph.layers.back().below.size());
  }
  graph.cube_map.resolution = in->Get<std::uint32_t>();
  graph.cube_map.vertex = in->GetIndices(vertex_count);
  constexpr std::uint64_t kFaces = 6;
  const std::uint64_t resolution = graph.cube_map.resolution;
  in->Require(resolution >= 1 && resolution <= (1U << 16) &&
              graph.cube_map.vertex.size() == kFaces * resolution * resolution);
  return graph;
}

void PutFaces(const HullFaces& faces, BlobWriter* out) {
  for (const auto* list :
       {&faces.corner_offsets, &faces.corners, &faces.face_offsets, &faces.faces}) {
    out->PutIndices(*list);
  }
}

HullFaces GetFaces(std::uint32_t vertex_count, BlobReader* in) {
  HullFaces faces;
  faces.corner_offsets = in->GetIndices(kAnyIndex);
  faces.corners = in->GetIndices(vertex_count);
  faces.face_offsets = in->GetIndices(kAnyIndex);
  faces.faces = in->GetIndices(faces.face_count());
  RequireRows(faces.corner_offsets, faces.corners.size(), 1, in);
  RequireRows(faces.face_offsets, faces.faces.size(), 0, in);
  in->Require(faces.face_offsets.size() <= std::size_t{vertex_count} + 1);
  return faces;
}

void PutVertices(const ConvexShape& shape, BlobWriter* out) {
  const std::uint32_t count = shape.vertex_count();
  std::vector<std::uint32_t> original_index(count);
  for (std::uint32_t i = 0; i < count; ++i) original_index[i] = shape.original_index(i);
  out->PutIndices(original_index);
  for (const double* axis : {shape.x(), shape.y(), shape.z()}) out->PutDoubles({axis, count});
}

void GetVertices(BlobReader* in, ConvexShape::Content* content) {
  content->original_index = in->GetIndices(content->point_count);
  const std::size_t count = content->original_index.size();
  for (auto* axis : {&content->x, &content->y, &content->z}) {
    *axis = GetCoordinates(count, in);
  }
  in->Require((count > 0) == (content->kind == CoreKind::kPolytope));
}

void PutShape(const ConvexShape& shape, BlobWriter* out) {
  out->Put(static_cast<std::uint8_t>(shape.kind()));
  out->Put(static_cast<std::uint8_t>((shape.is_exact() ? kIsExact : 0) |
                                     (shape.is_certified_convex() ? kIsCertifiedConvex : 0)));
  out->Put(static_cast<std::uint8_t>(shape.dimension()));
  out->Put(shape.point_count());
  out->Put(shape.duplicate_count());
  out->Put(static_cast<std::int32_t>(shape.exponent()));
  PutVector(shape.extents(), out);
  PutVector(shape.center(), out);
  for (const double number : {shape.radius(), shape.radius_low(), shape.volume()}) out->Put(number);
  PutVertices(shape, out);
  PutClimbGraph(shape.climb_graph(), out);
  PutFaces(shape.faces(), out);
}

// Reads the part before the vertices.
ConvexShape::Content GetHead(BlobReader* in) {
  ConvexShape::Content content;
  const auto kind = in->Get<std::uint8_t>();
  in->Require(kind <= static_cast<std::uint8_t>(CoreKind::kEllipsoid));
  content.kind = static_cast<CoreKind>(kind);
  const auto flags = in->Get<std::uint8_t>();
  in->Require(flags <= kAllFlags);
  content.is_exact = (flags & kIsExact) != 0;
  content.is_certified_convex = (flags & kIsCertifiedConvex) != 0;
  content.dimension = in->Get<std::uint8_t>();
  content.point_count = in->Get<std::uint32_t>();
  content.duplicate_count = in->Get<std::uint32_t>();
  content.exponent = in->Get<std::int32_t>();
  content.extents = GetVector(in);
  content.center = GetVector(in);
  content.radius = in->GetFinite();
  content.radius_low = in->GetFinite();
  content.volume = in->GetFinite();
  const auto [x, y, z] = content.extents;
  const bool has_extents = x > 0 && y > 0 && z >= 0 && x <= 1 && y <= 1 && z <= 1;
  in->Require(content.kind == CoreKind::kPolytope ? content.extents == Vec3d{} : has_extents);
  in->Require(content.exponent >= kLeastExponent && content.exponent <= kLargestExponent);
  in->Require(content.dimension <= 3 && content.radius >= 0 && content.volume >= 0);
  return content;
}

ConvexShapePtr GetShape(BlobReader* in) {
  ConvexShape::Content content = GetHead(in);
  GetVertices(in, &content);
  const auto count = static_cast<std::uint32_t>(content.x.size());
  content.climb_graph = GetClimbGraph(count, in);
  content.faces = GetFaces(count, in);
  if (!in->ok()) return nullptr;
  auto shape = std::make_shared<const ConvexShape>(std::move(content));
  in->Require(std::isfinite(shape->bounding_radius()));
  return shape;
}

void PutPose(const Pose& pose, BlobWriter* out) {
  PutVector(pose.p_WS, out);
  const auto& q = pose.q_WS;
  for (const double number : {q.x, q.y, q.z, q.w}) out->Put(number);
}

Pose GetPose(BlobReader* in) {
  Pose pose;
  pose.p_WS = GetVector(in);
  for (double* number : {&pose.q_WS.x, &pose.q_WS.y, &pose.q_WS.z, &pose.q_WS.w}) {
    *number = in->GetFinite();
  }
  return pose;
}

std::vector<Piece> GetPieces(BlobReader* in) {
  in->Require(in->Get<std::uint8_t>() == kBodyFormat);
  const std::uint32_t count = in->GetCount();
  std::vector<Piece> pieces;
  for (std::uint32_t i = 0; in->ok() && i < count; ++i) {
    Piece piece;
    piece.local = GetPose(in);
    piece.shape = GetShape(in);
    pieces.push_back(std::move(piece));
  }
  in->Require(in->at_end());
  return pieces;
}

bool IsAlone(const std::vector<Piece>& pieces) {
  const auto& [p, q] = pieces[0].local;
  return pieces.size() == 1 && p == Vec3d{} && IsIdentity(q) && q.w == 1;
}

}  // namespace

std::string EncodeBody(const RigidBody& body) {
  BlobWriter out;
  out.Put(kBodyFormat);
  out.Put(static_cast<std::uint32_t>(body.pieces().size()));
  for (const Piece& piece : body.pieces()) {
    PutPose(piece.local, &out);
    PutShape(*piece.shape, &out);
  }
  return out.Take();
}

absl::StatusOr<RigidBodyPtr> DecodeBody(absl::string_view bytes) {
  BlobReader in(bytes);
  std::vector<Piece> pieces = GetPieces(&in);
  if (!in.ok() || pieces.empty()) return absl::DataLossError("malformed body");
  // A compound must meet more: its points must not overflow when they are placed in the body.
  if (IsAlone(pieces)) return std::make_shared<const RigidBody>(std::move(pieces));
  BodyOrError made = MakeCompound(std::move(pieces));
  if (const auto* error = std::get_if<ShapeError>(&made))
    return absl::DataLossError(error->message);
  return std::get<RigidBodyPtr>(std::move(made));
}

}  // namespace clearance::server

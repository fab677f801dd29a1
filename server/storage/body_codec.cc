// SPDX-License-Identifier: Apache-2.0

#include "server/storage/body_codec.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "core/math/rotation.h"

namespace clearance::server {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

constexpr std::uint64_t kAnyIndex = std::numeric_limits<std::uint64_t>::max();
constexpr double kAnySize = std::numeric_limits<double>::max();

// Beyond these no power of two scales a double into a double.
constexpr int kLeastExponent = -2200;
constexpr int kLargestExponent = 1100;

// Returns the bytes of each number: 1, 2 or 4, the fewest that hold the largest.
std::size_t WidthOf(absl::Span<const std::uint32_t> values) {
  const std::uint32_t largest =
      values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  if (largest <= 0xff) return 1;
  return largest <= 0xffff ? 2 : 4;
}

// Writes numbers, little-endian and without gaps. Has the methods of BodyReader, whose conditions
// it takes as met.
class BodyWriter {
 public:
  static constexpr bool kReads = false;

  template <class T>
  void Number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  template <class T>
  void Byte(T value, std::uint8_t /*most*/) {
    Number(static_cast<std::uint8_t>(value));
  }
  void Bits(bool low, bool high) { Byte((low ? 1 : 0) | (high ? 2 : 0), 3); }
  void Doubles(absl::Span<const double> values, std::size_t /*count*/, double /*most*/) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  }
  void Indices(absl::Span<const std::uint32_t> values, std::uint64_t /*bound*/) {
    const std::size_t width = WidthOf(values);
    Number(static_cast<std::uint32_t>(values.size()));
    Byte(width, 4);
    for (const std::uint32_t& value : values)
      bytes_.append(reinterpret_cast<const char*>(&value), width);
  }
  template <class Item, class Code>
  void Each(const std::vector<Item>& items, const Code& code) {
    Number(static_cast<std::uint32_t>(items.size()));
    for (const Item& item : items) code(item);
  }
  void Require(bool /*condition*/) {}

  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads the bytes of a BodyWriter. A missing or malformed value is read as 0 or nothing and
// remembered: ok() is checked once, at the end. Never takes more memory than a few times the bytes.
class BodyReader {
 public:
  static constexpr bool kReads = true;

  // `bytes` outlive this.
  explicit BodyReader(absl::string_view bytes) : bytes_(bytes) {}

  // Fails if the number is not finite.
  template <class T>
  void Number(T& value) {
    value = {};
    if (!Has(sizeof(T))) return;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    if constexpr (std::is_floating_point_v<T>) Require(std::isfinite(value));
  }
  // Reads a number of one byte. Fails if it is more than `most`.
  template <class T>
  void Byte(T& value, std::uint8_t most) {
    std::uint8_t byte = 0;
    Number(byte);
    Require(byte <= most);
    value = static_cast<T>(byte);
  }
  void Bits(bool& low, bool& high) {
    std::uint8_t bits = 0;
    Byte(bits, 3);
    low = (bits & 1) != 0;
    high = (bits & 2) != 0;
  }
  // Reads numbers without their count. Fails if an absolute value is more than `most`.
  void Doubles(std::vector<double>& values, std::size_t count, double most) {
    // The data() of no values would be null, which memcpy must not get.
    if (count == 0 || count > bytes_.size() / sizeof(double)) return Require(count == 0);
    values.resize(count);
    std::memcpy(values.data(), bytes_.data(), count * sizeof(double));
    bytes_.remove_prefix(count * sizeof(double));
    Require(std::ranges::all_of(values, [most](double x) { return std::fabs(x) <= most; }));
  }
  // Reads the count, the width and the indices. Fails if an index is not below `bound`.
  void Indices(std::vector<std::uint32_t>& values, std::uint64_t bound) {
    std::uint32_t count = 0;
    std::uint8_t width = 0;
    Number(count);
    Byte(width, 4);
    Require(width == 1 || width == 2 || width == 4);
    if (!ok_ || !Has(std::size_t{count} * width)) return;
    values.resize(count);
    for (std::uint32_t& value : values) {
      std::memcpy(&value, bytes_.data(), width);
      bytes_.remove_prefix(width);
    }
    Require(WidthOf(values) == width);
    Require(std::ranges::all_of(values, [bound](std::uint32_t value) { return value < bound; }));
  }
  // Reads a count, and as many items, each of at least one byte.
  template <class Item, class Code>
  void Each(std::vector<Item>& items, const Code& code) {
    std::uint32_t count = 0;
    Number(count);
    if (!Has(count)) return;
    for (std::uint32_t i = 0; ok_ && i < count; ++i) code(items.emplace_back());
  }

  void Require(bool condition) {
    ok_ = ok_ && condition;
    if (!ok_) bytes_ = {};
  }
  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  // Fails if fewer bytes are left.
  bool Has(std::size_t size) {
    Require(bytes_.size() >= size);
    return ok_;
  }

  absl::string_view bytes_;
  bool ok_ = true;
};

// The functions below write a part by a BodyWriter, or read and check it by a BodyReader.

template <class Blob, class Vector>
void CodeVector(Blob& blob, Vector& v) {
  for (auto* number : {&v.x, &v.y, &v.z}) blob.Number(*number);
}

// Normalised coordinates.
template <class Blob, class Part>
void CodeCoordinates(Blob& blob, Part& part, std::size_t count) {
  for (auto* axis : {&part.x, &part.y, &part.z}) blob.Doubles(*axis, count, 1);
}

// Requires rows of at least `least` values each, or nothing at all.
template <class Blob>
void RequireRows(Blob& blob, absl::Span<const std::uint32_t> offsets, std::size_t values,
                 std::uint32_t least) {
  if (offsets.empty()) return blob.Require(values == 0);
  blob.Require(offsets.front() == 0 && offsets.back() == values);
  for (std::size_t i = 1; i < offsets.size(); ++i)
    blob.Require(offsets[i] >= offsets[i - 1] && offsets[i] - offsets[i - 1] >= least);
}

// Returns the largest number of a part, see RowPart.
// NOLINTNEXTLINE(misc-no-recursion): each part is half as long.
std::uint32_t LargestNumber(const RowPart& part) {
  if (part.IsLeaf()) return part.number;
  return std::max(LargestNumber(part.FirstHalf()), LargestNumber(part.SecondHalf()));
}

// Codes the adjacency of a graph or layer: one row for each of `count` vertices.
template <class Blob, class Part>
void CodeAdjacency(Blob& blob, Part& part, std::uint32_t count) {
  auto& [offsets, neighbors] = part.adjacency;
  blob.Indices(offsets, kAnyIndex);
  blob.Indices(neighbors, count);
  blob.Require(offsets.size() == std::size_t{count} + 1);
  RequireRows(blob, offsets, neighbors.size(), 1);
  if constexpr (Blob::kReads) {
    for (std::uint32_t i = 0; blob.ok() && i < count; ++i) {
      if (offsets[i + 1] - offsets[i] > kLongRow) part.long_rows.push_back({i, {}});
    }
  }
  for (auto& row : part.long_rows) {
    const RowPart whole = {offsets[row.vertex], offsets[row.vertex + 1] - 1};
    blob.Doubles(row.sag, std::size_t{LargestNumber(whole)} + 1, kAnySize);
  }
}

template <class Blob, class Layer>
void CodeLayer(Blob& blob, Layer& layer, std::uint32_t finer_count) {
  blob.Indices(layer.below, finer_count);
  blob.Require(!layer.below.empty());
  CodeCoordinates(blob, layer, layer.below.size());
  CodeAdjacency(blob, layer, static_cast<std::uint32_t>(layer.below.size()));
}

template <class Blob, class Graph>
void CodeClimbGraph(Blob& blob, Graph& graph, std::uint32_t vertex_count) {
  bool is_there = !graph.adjacency.offsets.empty();
  blob.Byte(is_there, 1);
  if (!is_there) return;
  CodeAdjacency(blob, graph, vertex_count);
  std::uint32_t finer_count = vertex_count;
  blob.Each(graph.layers, [&](auto& layer) {
    CodeLayer(blob, layer, finer_count);
    finer_count = static_cast<std::uint32_t>(layer.below.size());
  });
  auto& [resolution, vertex] = graph.cube_map;
  blob.Number(resolution);
  blob.Indices(vertex, vertex_count);
  constexpr std::uint64_t kFaces = 6;
  blob.Require(resolution >= 1 && resolution <= (1U << 16) &&
               vertex.size() == kFaces * resolution * resolution);
}

template <class Blob, class Faces>
void CodeFaces(Blob& blob, Faces& faces, std::uint32_t vertex_count) {
  blob.Indices(faces.corner_offsets, kAnyIndex);
  blob.Indices(faces.corners, vertex_count);
  blob.Indices(faces.face_offsets, kAnyIndex);
  blob.Indices(faces.faces, faces.face_count());
  RequireRows(blob, faces.corner_offsets, faces.corners.size(), 1);
  RequireRows(blob, faces.face_offsets, faces.faces.size(), 0);
  blob.Require(faces.face_offsets.size() <= std::size_t{vertex_count} + 1);
}

// Returns whether the numbers before the vertices are in range.
bool IsInRange(const ConvexShape::Content& content) {
  const auto [x, y, z] = content.extents;
  const bool has_extents = x > 0 && y > 0 && z >= 0 && x <= 1 && y <= 1 && z <= 1;
  return (content.kind == CoreKind::kPolytope ? content.extents == Vec3d{} : has_extents) &&
         content.exponent >= kLeastExponent && content.exponent <= kLargestExponent &&
         content.radius >= 0 && content.volume >= 0;
}

template <class Blob, class Content>
void CodeShape(Blob& blob, Content& content) {
  blob.Byte(content.kind, static_cast<std::uint8_t>(CoreKind::kEllipsoid));
  blob.Bits(content.is_exact, content.is_certified_convex);
  blob.Byte(content.dimension, 3);
  blob.Number(content.point_count);
  blob.Number(content.duplicate_count);
  static_assert(sizeof(content.exponent) == sizeof(std::int32_t));
  blob.Number(content.exponent);
  CodeVector(blob, content.extents);
  CodeVector(blob, content.center);
  for (auto* number : {&content.radius, &content.radius_low, &content.volume}) blob.Number(*number);
  blob.Require(IsInRange(content));
  blob.Indices(content.original_index, content.point_count);
  const auto count = static_cast<std::uint32_t>(content.original_index.size());
  CodeCoordinates(blob, content, count);
  blob.Require((count > 0) == (content.kind == CoreKind::kPolytope));
  CodeClimbGraph(blob, content.climb_graph, count);
  CodeFaces(blob, content.faces, count);
}

template <class Blob, class OnePiece>
void CodePiece(Blob& blob, OnePiece& piece) {
  CodeVector(blob, piece.local.p_WS);
  auto& q = piece.local.q_WS;
  for (auto* number : {&q.x, &q.y, &q.z, &q.w}) blob.Number(*number);
  if constexpr (Blob::kReads) {
    ConvexShape::Content content;
    CodeShape(blob, content);
    if (!blob.ok()) return;
    piece.shape = std::make_shared<const ConvexShape>(std::move(content));
    blob.Require(std::isfinite(piece.shape->bounding_radius()));
  } else {
    CodeShape(blob, piece.shape->content());
  }
}

template <class Blob, class Pieces>
void CodePieces(Blob& blob, Pieces& pieces) {
  std::uint8_t format = kBodyFormat;
  blob.Number(format);
  blob.Require(format == kBodyFormat);
  blob.Each(pieces, [&](auto& piece) { CodePiece(blob, piece); });
}

}  // namespace

std::string EncodeBody(const RigidBody& body) {
  BodyWriter out;
  CodePieces(out, body.pieces());
  return out.Take();
}

absl::StatusOr<RigidBodyPtr> DecodeBody(absl::string_view bytes) {
  BodyReader in(bytes);
  std::vector<Piece> pieces;
  CodePieces(in, pieces);
  in.Require(in.at_end() && !pieces.empty());
  if (!in.ok()) return absl::DataLossError("malformed body");
  const auto& [p, q] = pieces[0].local;
  const bool is_alone = pieces.size() == 1 && p == Vec3d{} && IsIdentity(q) && q.w == 1;
  if (is_alone) return std::make_shared<const RigidBody>(std::move(pieces));
  // A compound must meet more: its points must not overflow when they are placed in the body.
  BodyOrError made = MakeCompound(std::move(pieces));
  if (const auto* error = std::get_if<ShapeError>(&made))
    return absl::DataLossError(error->message);
  return std::get<RigidBodyPtr>(std::move(made));
}

std::string ChecksumOf(std::initializer_list<absl::string_view> parts) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned int size = 0;
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  for (const absl::string_view part : parts) {
    const std::uint64_t length = part.size();
    EVP_DigestUpdate(context.get(), &length, sizeof(length));
    EVP_DigestUpdate(context.get(), part.data(), part.size());
  }
  EVP_DigestFinal_ex(context.get(), hash.data(), &size);
  return std::string(reinterpret_cast<const char*>(hash.data()), size);
}

}  // namespace clearance::server

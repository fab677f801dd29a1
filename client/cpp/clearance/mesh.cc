// SPDX-License-Identifier: Apache-2.0
#include "clearance/mesh.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "internal/convexity.h"
#include "internal/mesh_content.h"

namespace clearance::client {
namespace {

using internal::MeshContent;
using internal::MeshFaces;
using internal::MeshFault;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;  // bytes

using Reader = bool (*)(absl::string_view, MeshContent*, MeshFault*);

Reader ReaderOf(absl::string_view extension) {
  const std::string lower = absl::AsciiStrToLower(extension);
  if (lower == ".obj") return internal::ReadObj;
  if (lower == ".stl") return internal::ReadStl;
  if (lower == ".ply") return internal::ReadPly;
  if (lower == ".off") return internal::ReadOff;
  return nullptr;
}

absl::Status UnknownExtension(absl::string_view extension) {
  return absl::InvalidArgumentError(
      absl::StrCat(internal::QuotedWord(extension),
                   " is not read: must be .obj, .stl, .ply or .off; convert the file, with its "
                   "units and axes applied"));
}

bool IsFactor(double factor) { return std::isfinite(factor) && factor != 0; }

// Which points count.
std::vector<bool> UsedPoints(const MeshContent& content) {
  const bool is_cloud = content.faces.counts.empty();
  std::vector<bool> is_used(content.points.size() / 3, is_cloud);
  for (const std::int64_t corner : content.faces.corners) {
    is_used[static_cast<std::size_t>(corner)] = true;
  }
  return is_used;
}

// Fills in the points that count, each once; returns the place of each point of the content.
std::vector<std::uint32_t> Weld(const MeshContent& content, Mesh* mesh) {
  const std::vector<bool> is_used = UsedPoints(content);
  std::vector<std::uint32_t> index_of(is_used.size());
  absl::flat_hash_map<std::array<double, 3>, std::uint32_t> known;
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (!is_used[i]) continue;
    std::array<double, 3> point;
    // Adding 0 makes -0 a 0.
    for (std::size_t k = 0; k < 3; ++k) point[k] = content.points[3 * i + k] + 0.0;
    const auto next = static_cast<std::uint32_t>(known.size());
    const auto [at, is_new] = known.try_emplace(point, next);
    if (is_new) mesh->vertices.insert(mesh->vertices.end(), point.begin(), point.end());
    index_of[i] = at->second;
  }
  return index_of;
}

// Multiplies the points. A fault names the first that overflows.
bool Scale(const Vec3& scale, Mesh* mesh, MeshFault* fault) {
  const double factors[] = {scale.x, scale.y, scale.z};
  for (std::size_t i = 0; i < mesh->vertices.size(); ++i) {
    mesh->vertices[i] *= factors[i % 3];
    if (std::isfinite(mesh->vertices[i])) continue;
    return fault->Set(absl::StrCat("point ", i / 3, " is not finite once it is scaled"));
  }
  return true;
}

// Fans about the first corner of each face.
std::vector<MeshPart> PartsOf(const MeshFaces& faces, const std::vector<std::uint32_t>& index_of) {
  std::vector<MeshPart> parts(faces.names.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].name = faces.names[i];
  const std::int64_t* corner = faces.corners.data();
  for (std::size_t i = 0; i < faces.counts.size(); ++i) {
    auto& triangles = parts[faces.parts[i]].triangles;
    for (std::uint32_t k = 2; k < faces.counts[i]; ++k) {
      triangles.push_back({index_of[corner[0]], index_of[corner[k - 1]], index_of[corner[k]]});
    }
    corner += faces.counts[i];
  }
  std::erase_if(parts, [](const MeshPart& part) { return part.triangles.empty(); });
  return parts;
}

// The points that triangles use, and the triangles by them.
Mesh Extract(const Mesh& mesh, const MeshPart& part) {
  std::vector<bool> is_used(mesh.vertices.size() / 3);
  for (const auto& triangle : part.triangles) {
    for (const std::uint32_t corner : triangle) is_used[corner] = true;
  }
  Mesh found = {{}, {part}};
  std::vector<std::uint32_t> index_of(is_used.size());
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (!is_used[i]) continue;
    index_of[i] = static_cast<std::uint32_t>(found.vertices.size() / 3);
    const double* const point = mesh.vertices.data() + 3 * i;
    found.vertices.insert(found.vertices.end(), point, point + 3);
  }
  for (auto& triangle : found.parts[0].triangles) {
    for (std::uint32_t& corner : triangle) corner = index_of[corner];
  }
  return found;
}

std::vector<internal::Corners> AllTriangles(const Mesh& mesh) {
  std::vector<internal::Corners> all;
  for (const MeshPart& part : mesh.parts) {
    all.insert(all.end(), part.triangles.begin(), part.triangles.end());
  }
  return all;
}

// The surfaces of a part as parts.
std::vector<MeshPart> SurfacesOf(const Mesh& mesh, const MeshPart& part) {
  const std::vector<std::uint32_t> numbers =
      internal::SurfacesOf(mesh.vertices.size() / 3, part.triangles);
  std::vector<MeshPart> surfaces(1 + *std::max_element(numbers.begin(), numbers.end()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    surfaces[numbers[i]].triangles.push_back(part.triangles[i]);
  }
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    surfaces[i].name = absl::StrCat("surface ", i);
  }
  return surfaces;
}

absl::Status RequireNoPatches(const Mesh& mesh) {
  if (!internal::EnclosureOf(mesh.vertices, AllTriangles(mesh)).is_closed()) {
    return absl::OkStatus();
  }
  for (const MeshPart& part : mesh.parts) {
    if (internal::EnclosureOf(mesh.vertices, part.triangles).is_closed()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "part '", part.name,
        "' is a patch of a closed surface: its hull would leave out what the surface encloses; "
        "take the hull of the mesh, or split it into closed parts"));
  }
  return absl::OkStatus();
}

std::string ReadAll(std::ifstream* file, std::uintmax_t size) {
  std::string content(static_cast<std::size_t>(size), '\0');
  file->read(content.data(), static_cast<std::streamsize>(size));
  content.resize(static_cast<std::size_t>(file->gcount()));
  return content;
}

}  // namespace

absl::StatusOr<Mesh> ParseMesh(absl::string_view content, absl::string_view extension,
                               const Vec3& scale) {
  const Reader read = ReaderOf(extension);
  if (read == nullptr) return UnknownExtension(extension);
  if (!IsFactor(scale.x) || !IsFactor(scale.y) || !IsFactor(scale.z)) {
    return absl::InvalidArgumentError(absl::StrCat("scale is ", scale.x, ", ", scale.y, ", ",
                                                   scale.z, ": must be finite and not 0"));
  }
  MeshContent found;
  MeshFault fault;
  if (!read(content, &found, &fault)) return absl::InvalidArgumentError(fault.text());
  if (found.points.empty()) return absl::InvalidArgumentError("the file has no points");
  Mesh mesh;
  const std::vector<std::uint32_t> index_of = Weld(found, &mesh);
  if (!Scale(scale, &mesh, &fault)) return absl::InvalidArgumentError(fault.text());
  mesh.parts = PartsOf(found.faces, index_of);
  return mesh;
}

absl::StatusOr<Mesh> LoadMesh(const std::string& path, const Vec3& scale) {
  const auto refused = [&path](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
  };
  const std::string extension = std::filesystem::path(path).extension().string();
  if (ReaderOf(extension) == nullptr) return refused(UnknownExtension(extension).message());
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  }
  if (!std::filesystem::is_regular_file(path, error)) return refused("it is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (size > kLargestFile) {
    return refused(absl::StrCat("the file has ", size, " bytes: must be at most ", kLargestFile));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  absl::StatusOr<Mesh> mesh = ParseMesh(ReadAll(&file, size), extension, scale);
  if (!mesh.ok()) return refused(mesh.status().message());
  return mesh;
}

MeshShape ToHull(const Mesh& mesh) {
  MeshShape made = {{Hull{mesh.vertices, {}, {}}, 0}, {}};
  const std::optional<std::string> hollow = internal::HollowOf(mesh.vertices, AllTriangles(mesh));
  if (hollow) made.warnings.push_back(*hollow);
  return made;
}

absl::StatusOr<MeshShape> ToCompound(const Mesh& mesh) {
  std::vector<MeshPart> parts = mesh.parts;
  if (parts.size() == 1) parts = SurfacesOf(mesh, mesh.parts[0]);
  if (mesh.parts.size() > 1) {
    if (absl::Status status = RequireNoPatches(mesh); !status.ok()) return status;
  }
  Compound compound;
  MeshShape made;
  if (parts.empty()) compound.pieces.push_back({ToHull(mesh).shape, {}});
  for (const MeshPart& part : parts) {
    const MeshShape piece = ToHull(Extract(mesh, part));
    compound.pieces.push_back({piece.shape, {}});
    for (const std::string& warning : piece.warnings) {
      made.warnings.push_back(absl::StrCat(part.name, ": ", warning));
    }
  }
  made.shape.kind = std::move(compound);
  return made;
}

}  // namespace clearance::client

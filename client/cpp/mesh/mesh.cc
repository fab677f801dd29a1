// SPDX-License-Identifier: Apache-2.0
#include "mesh/mesh.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace clearance::client {
namespace {

constexpr double kConcaveShare = 1e-3;  // of the hull's volume; floats err by far less

// Numbers equal points once, in the order in which they come. The numbers have to be checked first:
// a NaN has no place in the order of the map and would be taken for another point.
class Welder {
 public:
  Welder(Mesh* mesh, double scale) : mesh_(*mesh), scale_(scale) {}

  // INVALID_ARGUMENT names the vertex, axis and value that is no finite number.
  absl::StatusOr<std::uint32_t> Add(const aiVector3D& p) {
    const auto next = static_cast<std::uint32_t>(index_of_.size());
    const Vec3 scaled = {scale_ * p.x, scale_ * p.y, scale_ * p.z};
    for (const auto& [axis, value] : {std::pair('x', scaled.x), {'y', scaled.y}, {'z', scaled.z}}) {
      if (!std::isfinite(value)) return NotFinite(next, axis, value);
    }
    const auto [at, is_new] = index_of_.try_emplace({p.x, p.y, p.z}, next);
    if (is_new) {
      mesh_.vertices.insert(mesh_.vertices.end(), {scaled.x, scaled.y, scaled.z});
    }
    return at->second;
  }

 private:
  static absl::Status NotFinite(std::uint32_t vertex, char axis, double value) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "vertex %d: %c is %s, has to be finite in single precision and once scaled (vertices count "
        "from 0, equal ones once, as faces use them)",
        vertex, axis,
        std::isnan(value) ? "nan"
        : value > 0       ? "inf"
                          : "-inf"));
  }

  Mesh& mesh_;
  const double scale_;
  std::map<std::array<ai_real, 3>, std::uint32_t> index_of_;
};

absl::Status AddMesh(const aiMesh& part, Welder* welder, Mesh* mesh) {
  std::vector<std::uint32_t> index;
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const absl::StatusOr<std::uint32_t> added = welder->Add(part.mVertices[i]);
    if (!added.ok()) return added.status();
    index.push_back(*added);
  }
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;  // points and lines enclose nothing
    mesh->triangles.push_back(
        {index[face.mIndices[0]], index[face.mIndices[1]], index[face.mIndices[2]]});
  }
  return absl::OkStatus();
}

bool IsClosed(const Mesh& mesh) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      if (!edges.insert({t[i], t[(i + 1) % 3]}).second) return false;
    }
  }
  for (const auto& [from, to] : edges) {
    if (!edges.contains({to, from})) return false;
  }
  return !edges.empty();
}

}  // namespace

absl::StatusOr<Mesh> LoadMesh(const std::string& path, double scale) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  }
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFile(path, aiProcess_Triangulate | aiProcess_PreTransformVertices);
  if (scene == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", importer.GetErrorString()));
  }
  Mesh mesh;
  Welder welder(&mesh, scale);
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) {
    const absl::Status added = AddMesh(*scene->mMeshes[i], &welder, &mesh);
    if (!added.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", added.message()));
    }
  }
  if (mesh.vertices.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": no points in it"));
  }
  return mesh;
}

Shape ToShape(Mesh mesh) { return {Hull{std::move(mesh.vertices), {}, {}}, 0}; }

std::optional<double> EnclosedVolume(const Mesh& mesh) {
  if (!IsClosed(mesh)) return std::nullopt;
  const auto edge = [&mesh](std::uint32_t vertex, int axis) {
    return mesh.vertices[3 * vertex + axis] - mesh.vertices[axis];
  };
  double six_volumes = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    for (int x = 0; x < 3; ++x) {
      const int y = (x + 1) % 3;
      const int z = (x + 2) % 3;
      six_volumes += edge(a, x) * (edge(b, y) * edge(c, z) - edge(b, z) * edge(c, y));
    }
  }
  return std::abs(six_volumes) / 6;
}

std::optional<std::string> ConcavityWarning(const Mesh& mesh, double hull_volume) {
  const std::optional<double> volume = EnclosedVolume(mesh);
  if (!volume || *volume >= (1 - kConcaveShare) * hull_volume) return std::nullopt;
  return absl::StrFormat(
      "the mesh is not convex: it encloses %.6g m^3, its hull %.6g m^3 (%.1f %% more); queries see "
      "the hull, so split the mesh into convex pieces if its hollows matter",
      *volume, hull_volume, 100 * (hull_volume / *volume - 1));
}

}  // namespace clearance::client

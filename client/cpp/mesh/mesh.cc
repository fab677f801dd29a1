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
#include "absl/strings/string_view.h"

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

// Points and lines enclose nothing. INVALID_ARGUMENT names a vertex that is not there: of a PLY
// assimp does not look.
absl::StatusOr<std::vector<bool>> UsedByFaces(const aiMesh& part) {
  std::vector<bool> is_used(part.mNumVertices);
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices < 3) continue;
    for (unsigned k = 0; k < face.mNumIndices; ++k) {
      const unsigned vertex = face.mIndices[k];
      if (vertex >= part.mNumVertices) {
        return absl::InvalidArgumentError(absl::StrFormat(
            "a face names vertex %d, has to be below %d", vertex, part.mNumVertices));
      }
      is_used[vertex] = true;
    }
  }
  return is_used;
}

// The number of each vertex of a part in the mesh, and anything for those that no face uses.
using VertexNumbers = std::vector<std::uint32_t>;

absl::StatusOr<VertexNumbers> AddVertices(const aiMesh& part, Welder* welder) {
  const absl::StatusOr<std::vector<bool>> is_used = UsedByFaces(part);
  if (!is_used.ok()) return is_used.status();
  VertexNumbers numbers(part.mNumVertices);
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    if (!(*is_used)[i]) continue;
    const absl::StatusOr<std::uint32_t> added = welder->Add(part.mVertices[i]);
    if (!added.ok()) return added.status();
    numbers[i] = *added;
  }
  return numbers;
}

void AddTriangles(const aiMesh& part, const VertexNumbers& numbers, Mesh* mesh) {
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;
    mesh->triangles.push_back(
        {numbers[face.mIndices[0]], numbers[face.mIndices[1]], numbers[face.mIndices[2]]});
  }
}

// The vertices are those of the faces as the file has them: of a polygon that crosses itself assimp
// makes too few triangles, which would not use them all. It leaves the vertices where they are.
absl::StatusOr<Mesh> ToMesh(double scale, Assimp::Importer* importer) {
  Mesh mesh;
  Welder welder(&mesh, scale);
  std::vector<VertexNumbers> numbers;
  const aiScene* scene = importer->GetScene();
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) {
    absl::StatusOr<VertexNumbers> added = AddVertices(*scene->mMeshes[i], &welder);
    if (!added.ok()) return added.status();
    numbers.push_back(*std::move(added));
  }
  if (mesh.vertices.empty()) return absl::InvalidArgumentError("no faces in it");
  scene = importer->ApplyPostProcessing(aiProcess_Triangulate);
  if (scene == nullptr) return absl::InvalidArgumentError(importer->GetErrorString());
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) {
    AddTriangles(*scene->mMeshes[i], numbers[i], &mesh);
  }
  return mesh;
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
  const auto refused = [&path](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
  };
  if (importer.ReadFile(path, aiProcess_PreTransformVertices) == nullptr) {
    return refused(importer.GetErrorString());
  }
  absl::StatusOr<Mesh> mesh = ToMesh(scale, &importer);
  if (!mesh.ok()) return refused(mesh.status().message());
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

// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a mesh file of each format; the first byte says which. Refused with a reason, or
// read into finite points and triangles of them, whose shapes can be made.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "clearance/mesh.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

constexpr std::array<const char*, 4> kExtensions = {".obj", ".off", ".ply", ".stl"};

void CheckMesh(const client::Mesh& mesh) {
  Require(!mesh.vertices.empty() && mesh.vertices.size() % 3 == 0, "a mesh has points");
  for (const double x : mesh.vertices) Require(std::isfinite(x), "points are finite");
  for (const client::MeshPart& part : mesh.parts) {
    Require(!part.triangles.empty(), "a part has triangles");
    for (const auto& triangle : part.triangles) {
      for (const std::uint32_t corner : triangle) {
        Require(corner < mesh.vertices.size() / 3, "a triangle names points that are there");
      }
    }
  }
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace clearance;  // NOLINT(google-build-using-namespace): outside of it by its linkage
  if (size == 0) return 0;
  const std::string content(bytes + 1, bytes + size);
  const auto mesh = client::ParseMesh(content, fuzz::kExtensions[bytes[0] % 4]);
  if (!mesh.ok()) {
    fuzz::Require(!mesh.status().message().empty(), "a refusal says why");
    return 0;
  }
  fuzz::CheckMesh(*mesh);
  const client::MeshShape hull = client::ToHull(*mesh);
  fuzz::Require(hull.warnings.size() <= 1, "a hull has one warning at most");
  const auto compound = client::ToCompound(*mesh);
  fuzz::Require(compound.ok() || !compound.status().message().empty(), "a refusal says why");
  return 0;
}

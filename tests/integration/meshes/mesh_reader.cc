// SPDX-License-Identifier: Apache-2.0
//
// Reads meshes as the C++ client does, for tests that compare clients.
//
// Standard input: for each mesh a line "EXTENSION SIZE" and SIZE bytes. Standard output: for each a
// line "mesh POINTS PARTS" and the points as doubles, then for each part a line "part TRIANGLES"
// and their corners as 32 bits, then the warning of its hull or an empty line. For a refused file
// there is a line "refused REASON" and an empty line.
#include <cstdio>
#include <iostream>
#include <string>

#include "clearance/mesh.h"

namespace clearance::client {
namespace {

template <typename T>
void WriteRaw(const std::vector<T>& numbers) {
  std::cout.write(reinterpret_cast<const char*>(numbers.data()),
                  static_cast<std::streamsize>(numbers.size() * sizeof(T)));
}

void Write(const Mesh& mesh) {
  std::cout << "mesh " << mesh.vertices.size() / 3 << " " << mesh.parts.size() << "\n";
  WriteRaw(mesh.vertices);
  for (const MeshPart& part : mesh.parts) {
    std::cout << "part " << part.triangles.size() << "\n";
    WriteRaw(part.triangles);
  }
  const MeshShape hull = ToHull(mesh);
  std::cout << (hull.warnings.empty() ? "" : hull.warnings.front()) << "\n";
}

void Run() {
  std::string extension;
  std::size_t size = 0;
  while (std::cin >> extension >> size) {
    std::cin.get();
    std::string content(size, '\0');
    std::cin.read(content.data(), static_cast<std::streamsize>(size));
    const absl::StatusOr<Mesh> mesh = ParseMesh(content, extension);
    if (mesh.ok()) {
      Write(*mesh);
    } else {
      std::cout << "refused " << mesh.status().message() << "\n\n";
    }
  }
}

}  // namespace
}  // namespace clearance::client

int main() {
  clearance::client::Run();
  return 0;
}

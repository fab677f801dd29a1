// SPDX-License-Identifier: Apache-2.0
#include "client/cli/mesh_options.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/read_file.h"

namespace clearance::client {
namespace {

// How many metres each is.
const std::map<std::string, double>& Units() {
  static const auto* const kUnits = new std::map<std::string, double>{
      {"", 1}, {"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}};
  return *kUnits;
}

absl::StatusOr<Vec3> ScaleOf(const MeshOptions& options) {
  const std::vector<double>& s = options.scale;
  if (s.size() > 1 && s.size() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("the scale of a mesh has ", s.size(),
                                                   " numbers: must be one, or one for each axis"));
  }
  const auto unit = Units().find(options.units);
  if (unit == Units().end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the units of a mesh are '", options.units, "': must be m, cm, mm or in"));
  }
  const double metres = unit->second;
  if (s.empty()) return Vec3{metres, metres, metres};
  const bool is_one = s.size() == 1;
  return Vec3{s[0] * metres, (is_one ? s[0] : s[1]) * metres, (is_one ? s[0] : s[2]) * metres};
}

CLI::Validator FiniteAndNotZero() {
  const auto check = [](const std::string& text) -> std::string {
    double number = 0;
    if (absl::SimpleAtod(text, &number) && std::isfinite(number) && number != 0) return "";
    return text + ": must be a finite number other than 0";
  };
  return {check, "FACTOR"};
}

// From y up to z up: x stays, y becomes z.
void TurnUp(Mesh* mesh) {
  for (std::size_t i = 0; i < mesh->vertices.size(); i += 3) {
    std::swap(mesh->vertices[i + 1], mesh->vertices[i + 2]);
    mesh->vertices[i + 1] = 0.0 - mesh->vertices[i + 1];
  }
}

// Returns whether --parts would take the mesh apart.
bool HasPieces(const Mesh& mesh) {
  const absl::StatusOr<MeshShape> apart = ToCompound(mesh);
  return apart.ok() && std::get<Compound>(apart->shape.kind).pieces.size() > 1;
}

// Returns what to do about a warning: whatever has separate pieces can be split where they meet.
std::string AdviceFor(const std::string& warning, const Mesh& mesh, const MeshOptions& options) {
  if (options.parts && absl::StrContains(warning, " separate surfaces")) return "split the part";
  if (!options.parts && HasPieces(mesh)) return "--parts takes the mesh apart";
  return "decompose it first (for example with CoACD or V-HACD)";
}

}  // namespace

MeshOptions WithDefaults(MeshOptions options, const MeshOptions& defaults) {
  if (options.scale.empty()) options.scale = defaults.scale;
  if (options.units.empty()) options.units = defaults.units;
  if (options.up.empty()) options.up = defaults.up;
  options.parts = options.parts || defaults.parts;
  options.hull = options.hull || defaults.hull;
  return options;
}

void AddMeshOptions(CLI::App* command, MeshOptions* options) {
  command
      ->add_option(
          "--scale", options->scale,
          "Factor of a mesh file's coordinates: one number, or x,y,z; negative ones mirror")
      ->delimiter(',')
      ->expected(1, 3)
      ->check(FiniteAndNotZero());
  command->add_option("--units", options->units, "Unit of a mesh file: m (default), cm, mm, in")
      ->check(CLI::IsMember({"m", "cm", "mm", "in"}));
  command->add_option("--up", options->up, "Axis that is up in a mesh file: z (default), y")
      ->check(CLI::IsMember({"y", "z"}));
  command->add_flag("--parts", options->parts, "Take a mesh file apart: the hull of each part");
  command->add_flag("--hull", options->hull, "The hull of a mesh file is meant: no warning");
}

absl::StatusOr<MeshShape> LoadMeshShape(const std::string& path, const MeshOptions& options) {
  const absl::StatusOr<Vec3> scale = ScaleOf(options);
  if (!scale.ok()) return scale.status();
  absl::StatusOr<Mesh> mesh = LoadMesh(path, *scale);
  if (!mesh.ok()) return mesh.status();
  if (options.up == "y") TurnUp(&*mesh);
  absl::StatusOr<MeshShape> shape = options.parts ? ToCompound(*mesh) : ToHull(*mesh);
  if (!shape.ok()) return InFile(path, shape.status());
  if (options.hull) shape->warnings.clear();
  for (std::string& warning : shape->warnings) {
    warning = absl::StrCat(path, ": ", warning,
                           "; queries see the hull: ", AdviceFor(warning, *mesh, options),
                           ", or --hull says that the hull is meant");
  }
  return shape;
}

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// scene import: a scene of a folder of meshes and a list of poses.
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/places_file.h"
#include "client/cli/progress.h"
#include "client/cli/scene_words.h"
#include "client/cli/shape_argument.h"

namespace clearance::client {
namespace {

// Registers shapes, and can undo that. Thread-compatible.
class Registrations {
 public:
  Registrations(const Client& client, bool replaces) : client_(client), replaces_(replaces) {}

  absl::Status Add(const std::string& name, const Shape& shape) {
    std::optional<Shape> before;
    if (replaces_) {
      const absl::StatusOr<FoundShape> found = client_.Get(ByName{name}, /*include_content=*/true);
      if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
      if (found.ok()) before = found->content;
    }
    const absl::StatusOr<Registration> done =
        client_.Register(name, shape, {.replace = replaces_, .validate_only = false});
    if (!done.ok()) return done.status();
    if (done->created) done_.push_back({name, done->info.digest, std::move(before)});
    return absl::OkStatus();
  }

  // Names have what they had before. Whatever cannot be undone stays: the error that led
  // here is the one to tell.
  void Undo() {
    for (const Done& done : done_) {
      if (done.before) {
        (void)client_.Register(done.name, *done.before, {.replace = true, .validate_only = false});
      } else {
        (void)client_.Delete(done.name, done.digest);
      }
    }
    done_.clear();
  }

 private:
  struct Done {
    std::string name;
    std::string digest;
    std::optional<Shape> before;
  };

  const Client& client_;
  const bool replaces_;
  std::vector<Done> done_;
};

// All files are read before anything is registered.
absl::StatusOr<std::vector<Shape>> LoadMeshes(const SceneArguments& arguments,
                                              const Places& places) {
  std::vector<Shape> shapes;
  for (const PlacedMesh& mesh : places.meshes) {
    const std::string path = std::filesystem::path(arguments.folder) / mesh.file;
    const bool is_json = std::filesystem::path(mesh.file).extension() == ".json";
    absl::StatusOr<Shape> shape =
        LoadShape(path, is_json ? mesh.options : WithDefaults(mesh.options, arguments.mesh));
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

absl::StatusOr<SceneInfo> ImportInto(const GlobalOptions& options, const Client& client,
                                     const SceneArguments& arguments, Places* places) {
  const absl::StatusOr<std::vector<Shape>> shapes = LoadMeshes(arguments, *places);
  if (!shapes.ok()) return shapes.status();
  Registrations registrations(client, arguments.is_replacing);
  Progress progress(options, {"meshes", shapes->size()});
  absl::Status status;
  for (std::size_t i = 0; i < shapes->size() && status.ok(); ++i) {
    const std::string name = absl::StrCat(arguments.name, "/", places->meshes[i].name);
    places->content.bodies.shapes[i] = ByName{name};
    status = registrations.Add(name, (*shapes)[i]);
    progress.Set(i + 1);
  }
  progress.Hide();
  absl::StatusOr<SceneInfo> made = absl::UnknownError("");
  if (status.ok()) {
    made = MakeScene(client, arguments, places->content);
    status = made.status();
  }
  if (status.ok()) return made;
  registrations.Undo();
  return status;
}

int Import(const GlobalOptions& options, const SceneArguments& arguments) {
  absl::StatusOr<Places> places = ReadPlaces(arguments.file);
  if (!places.ok()) return ReportError(places.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  return ShowScene(options, ImportInto(options, *client, arguments, &*places));
}

}  // namespace

void AddSceneImport(CLI::App* scene, GlobalOptions* options) {
  const SceneWord import = AddSceneWord(scene, options, "import", Import);
  AddSceneName(import, "Make a scene of a folder of meshes and a list of poses");
  import.app->add_option("folder", import.arguments->folder, "Folder of the meshes")->required();
  import.app
      ->add_option("poses", import.arguments->file,
                   "JSON: [{\"mesh\": FILE, \"pose\": [x,y,z,qx,qy,qz,qw], \"id\": N}, ...]")
      ->required();
  AddMeshOptions(import.app, &import.arguments->mesh);
  AddSceneTtl(import);
  AddSceneReplace(import);
}

}  // namespace clearance::client

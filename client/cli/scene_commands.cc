// SPDX-License-Identifier: Apache-2.0
//
// scene create, get, list, update, fork, delete, import.
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "clearance/scene.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/read_file.h"
#include "client/cli/scene_file.h"
#include "client/cli/scene_output.h"
#include "client/cli/shape_argument.h"

namespace clearance::client {
namespace {

struct SceneArguments {
  std::string name;
  std::string file;
  std::string etag;
  std::string source;
  std::string folder;
  std::uint64_t revision = 0;
  std::optional<double> ttl_s;
  std::optional<double> scale;
  bool with_content = false;
  bool is_replacing = false;

  SceneClient::Ttl ttl() const {
    return ttl_s ? SceneClient::Ttl(absl::Seconds(*ttl_s)) : std::nullopt;
  }
};

int Show(const GlobalOptions& options, const absl::StatusOr<SceneInfo>& info) {
  if (!info.ok()) return ReportError(info.status());
  options.json ? PrintJson(ToJson(*info)) : PrintTable(Json::array({ToJson(*info)}));
  return kExitFree;
}

// What the text of a file says; of no file, nothing.
absl::StatusOr<SceneChange> ReadChange(const std::string& file) {
  if (file.empty()) return SceneChange();
  const absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) return text.status();
  absl::StatusOr<SceneChange> change = ParseSceneChange(*text);
  return change.ok() ? std::move(change) : InFile(file, change.status());
}

// A new scene, in place of one of its name if that was asked for.
absl::StatusOr<SceneInfo> Make(const SceneClient& scenes, const SceneArguments& arguments,
                               const SceneChange& content) {
  if (arguments.is_replacing) {
    const absl::Status deleted = scenes.Delete(arguments.name);
    if (!deleted.ok() && !absl::IsNotFound(deleted)) return deleted;
  }
  return scenes.Create(arguments.name, content, arguments.ttl());
}

int Create(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<SceneChange> content = ReadChange(arguments.file);
  if (!content.ok()) return ReportError(content.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  return Show(options, Make(SceneClient(*client), arguments, *content));
}

int Update(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<SceneChange> change = ReadChange(arguments.file);
  if (!change.ok()) return ReportError(change.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  return Show(options, SceneClient(*client).Update(arguments.name, *change, arguments.etag));
}

int Fork(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  return Show(options,
              SceneClient(*client).Fork(arguments.name,
                                        {.name = arguments.source, .revision = arguments.revision},
                                        arguments.ttl()));
}

int Get(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<FoundScene> found = SceneClient(*client).Get(
      arguments.name, {.revision = arguments.revision, .include_content = arguments.with_content});
  if (!found.ok()) return ReportError(found.status());
  Json info = ToJson(found->info);
  if (arguments.with_content) info["content"] = Json::parse(FormatSceneChange(found->content));
  options.json ? PrintJson(info) : PrintTable(Json::array({info}));
  return kExitFree;
}

int List(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<std::vector<SceneInfo>> scenes = SceneClient(*client).List(arguments.name);
  if (!scenes.ok()) return ReportError(scenes.status());
  Json rows = Json::array();
  for (const SceneInfo& scene : *scenes) rows.push_back(ToJson(scene));
  options.json ? PrintJson(rows) : PrintTable(rows);
  return kExitFree;
}

int Delete(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::Status status = SceneClient(*client).Delete(arguments.name, arguments.etag);
  if (!status.ok()) return ReportError(status);
  const Json answer = {{"name", arguments.name}};
  options.json ? PrintJson(answer) : PrintTable(Json::array({answer}));
  return kExitFree;
}

// Registers each mesh that is placed, under its own name after the scene's; the same content is
// there already after an import that was broken off.
absl::Status RegisterMeshes(const Client& client, const SceneArguments& arguments,
                            Progress* progress, std::vector<ShapeKey>* shapes) {
  std::uint64_t registered = 0;
  for (ShapeKey& shape : *shapes) {
    std::string& file = std::get<ByName>(shape).name;
    const std::string path = std::filesystem::path(arguments.folder) / file;
    const absl::StatusOr<LoadedShape> loaded = LoadShape(path, arguments.scale);
    if (!loaded.ok()) return loaded.status();
    file = arguments.name + "/" + ShapeNameOfFile(file);
    const absl::StatusOr<Registration> done = client.Register(file, loaded->shape);
    if (!done.ok()) return done.status();
    progress->Set(++registered);
  }
  return absl::OkStatus();
}

int Import(const GlobalOptions& options, const SceneArguments& arguments) {
  absl::StatusOr<SceneChange> content = ReadPoses(arguments.file);
  if (!content.ok()) return ReportError(content.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  std::vector<ShapeKey>* const shapes = &content->bodies.shapes;
  Progress progress(options, {"meshes", shapes->size()});
  const absl::Status status = RegisterMeshes(*client, arguments, &progress, shapes);
  progress.Hide();
  if (!status.ok()) return ReportError(status);
  return Show(options, Make(SceneClient(*client), arguments, *content));
}

using Run = int (*)(const GlobalOptions&, const SceneArguments&);

// A word of `scene`, with the scene's name as its first argument.
struct Word {
  CLI::App* app;
  std::shared_ptr<SceneArguments> arguments;
};

Word AddWord(CLI::App* scene, GlobalOptions* options, const char* word, Run run) {
  Word added = {scene->add_subcommand(word), std::make_shared<SceneArguments>()};
  added.app->callback(
      [=, arguments = added.arguments] { options->exit_code = run(*options, *arguments); });
  return added;
}

void AddName(const Word& word, const char* description) {
  word.app->description(description);
  word.app->add_option("name", word.arguments->name, "The scene's name")->required();
}

void AddReplace(const Word& word) {
  word.app->add_flag("--replace", word.arguments->is_replacing,
                     "Delete a scene of this name first, if there is one");
}

void AddTtl(const Word& word) {
  word.app
      ->add_option("--ttl", word.arguments->ttl_s,
                   "Seconds after its last update that it goes; without: it is kept")
      ->check(PositiveAndFinite());
}

void AddEtag(const Word& word) {
  word.app->add_option("--etag", word.arguments->etag, "Only if the scene still has it");
}

void AddRevision(const Word& word) {
  word.app->add_option("--revision", word.arguments->revision, "Without: the newest");
}

void AddImport(CLI::App* scene, GlobalOptions* options) {
  const Word import = AddWord(scene, options, "import", Import);
  AddName(import, "Make a scene of a folder of meshes and a list of poses");
  import.app->add_option("folder", import.arguments->folder, "Where the meshes are")->required();
  import.app
      ->add_option("poses", import.arguments->file,
                   "JSON: [{\"mesh\": FILE, \"pose\": [x,y,z,qx,qy,qz,qw], \"id\": N}, ...]")
      ->required();
  import.app
      ->add_option("--scale", import.arguments->scale,
                   "Of the meshes' coordinates; 0.001 for millimetres")
      ->check(PositiveAndFinite());
  AddTtl(import);
  AddReplace(import);
}

}  // namespace

void AddSceneCommands(CLI::App* app, GlobalOptions* options) {
  CLI::App* const scene =
      app->add_subcommand("scene", "Scenes: create, change, look at them, ask them");
  scene->require_subcommand(1);
  scene->fallthrough();
  const Word create = AddWord(scene, options, "create", Create);
  AddName(create, "Make a scene");
  create.app->add_option("file", create.arguments->file,
                         "JSON of a clearance.v1.SceneChange; without: an empty scene");
  AddTtl(create);
  AddReplace(create);
  const Word update = AddWord(scene, options, "update", Update);
  AddName(update, "Make the next revision of a scene");
  update.app->add_option("file", update.arguments->file,
                         "JSON of a clearance.v1.SceneChange; without: only renew its ttl");
  AddEtag(update);
  const Word fork = AddWord(scene, options, "fork", Fork);
  fork.app->description("Make a scene of another one");
  fork.app->add_option("source", fork.arguments->source, "The scene to copy")->required();
  fork.app->add_option("name", fork.arguments->name, "The new scene's name")->required();
  AddRevision(fork);
  AddTtl(fork);
  const Word get = AddWord(scene, options, "get", Get);
  AddName(get, "Show a scene");
  get.app->add_flag("--content", get.arguments->with_content, "Also its bodies and rules, as JSON");
  AddRevision(get);
  const Word list = AddWord(scene, options, "list", List);
  list.app->description("List scenes in the order of their names");
  list.app->add_option("prefix", list.arguments->name, "Only names that begin with this");
  const Word remove = AddWord(scene, options, "delete", Delete);
  AddName(remove, "Take a scene away");
  AddEtag(remove);
  AddImport(scene, options);
  AddSceneWatch(scene, options);
  AddSceneQueries(scene, options);
}

}  // namespace clearance::client

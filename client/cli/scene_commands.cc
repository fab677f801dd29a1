// SPDX-License-Identifier: Apache-2.0
//
// scene create, get, list, update, fork, delete.
#include <memory>
#include <optional>
#include <utility>

#include "clearance/scene.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/read_file.h"
#include "client/cli/scene_file.h"
#include "client/cli/scene_output.h"
#include "client/cli/scene_words.h"

namespace clearance::client {
namespace {

// Returns the change in a file; an empty change if no file is named.
absl::StatusOr<SceneChange> ReadChange(const std::string& file) {
  if (file.empty()) return SceneChange();
  const absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) return text.status();
  absl::StatusOr<SceneChange> change = ParseSceneChange(*text);
  return change.ok() ? std::move(change) : InFile(file, change.status());
}

int Create(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<SceneChange> content = ReadChange(arguments.file);
  if (!content.ok()) return ReportError(content.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  return ShowScene(options, MakeScene(*client, arguments, *content));
}

int Update(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<SceneChange> change = ReadChange(arguments.file);
  if (!change.ok()) return ReportError(change.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  return ShowScene(options, SceneClient(*client).Update(arguments.name, *change, arguments.etag));
}

int Fork(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  return ShowScene(
      options, SceneClient(*client).Fork(arguments.name,
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
  options.json ? PrintJson(info) : PrintTable(options, Json::array({info}));
  return kExitFree;
}

int List(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<std::vector<SceneInfo>> scenes = SceneClient(*client).List(arguments.name);
  if (!scenes.ok()) return ReportError(scenes.status());
  Json rows = Json::array();
  for (const SceneInfo& scene : *scenes) rows.push_back(ToJson(scene));
  options.json ? PrintJson(rows) : PrintTable(options, rows);
  return kExitFree;
}

int Delete(const GlobalOptions& options, const SceneArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::Status status = SceneClient(*client).Delete(arguments.name, arguments.etag);
  if (!status.ok()) return ReportError(status);
  const Json answer = {{"name", arguments.name}};
  options.json ? PrintJson(answer) : PrintTable(options, Json::array({answer}));
  return kExitFree;
}

void AddEtag(const SceneWord& word) {
  word.app->add_option("--etag", word.arguments->etag, "Only if the scene still has it");
}

void AddRevision(const SceneWord& word) {
  word.app->add_option("--revision", word.arguments->revision, "Without: the newest");
}

}  // namespace

int ShowScene(const GlobalOptions& options, const absl::StatusOr<SceneInfo>& info) {
  if (!info.ok()) return ReportError(info.status());
  options.json ? PrintJson(ToJson(*info)) : PrintTable(options, Json::array({ToJson(*info)}));
  return kExitFree;
}

absl::StatusOr<SceneInfo> MakeScene(const Client& client, const SceneArguments& arguments,
                                    const SceneChange& content) {
  const SceneClient scenes(client);
  return arguments.is_replacing ? scenes.Replace(arguments.name, content, arguments.ttl())
                                : scenes.Create(arguments.name, content, arguments.ttl());
}

SceneWord AddSceneWord(CLI::App* scene, GlobalOptions* options, const char* word,
                       int (*run)(const GlobalOptions&, const SceneArguments&)) {
  SceneWord added = {scene->add_subcommand(word), std::make_shared<SceneArguments>()};
  added.app->callback(
      [=, arguments = added.arguments] { options->exit_code = run(*options, *arguments); });
  return added;
}

void AddSceneName(const SceneWord& word, const char* description) {
  word.app->description(description);
  word.app->add_option("name", word.arguments->name, "The scene's name")->required();
}

void AddSceneReplace(const SceneWord& word) {
  word.app->add_flag("--replace", word.arguments->is_replacing,
                     "If there is a scene of this name, its next revision has this content");
}

void AddSceneTtl(const SceneWord& word) {
  word.app
      ->add_option("--ttl", word.arguments->ttl_s,
                   "Seconds after its last update that it goes; without: it is kept")
      ->check(PositiveAndFinite());
}

void AddSceneCommands(CLI::App* app, GlobalOptions* options) {
  CLI::App* const scene =
      app->add_subcommand("scene", "Scenes: create, change, look at them, ask them");
  scene->require_subcommand(1);
  scene->fallthrough();
  const SceneWord create = AddSceneWord(scene, options, "create", Create);
  AddSceneName(create, "Make a scene");
  create.app->add_option("file", create.arguments->file,
                         "JSON of a clearance.v1.SceneChange; without: an empty scene");
  AddSceneTtl(create);
  AddSceneReplace(create);
  const SceneWord update = AddSceneWord(scene, options, "update", Update);
  AddSceneName(update, "Make the next revision of a scene");
  update.app->add_option("file", update.arguments->file,
                         "JSON of a clearance.v1.SceneChange; without: only renew its ttl");
  AddEtag(update);
  const SceneWord fork = AddSceneWord(scene, options, "fork", Fork);
  fork.app->description("Make a scene of another one");
  fork.app->add_option("source", fork.arguments->source, "The scene to copy")->required();
  fork.app->add_option("name", fork.arguments->name, "The new scene's name")->required();
  AddRevision(fork);
  AddSceneTtl(fork);
  const SceneWord get = AddSceneWord(scene, options, "get", Get);
  AddSceneName(get, "Show a scene");
  get.app->add_flag("--content", get.arguments->with_content, "Also its bodies and rules, as JSON");
  AddRevision(get);
  const SceneWord list = AddSceneWord(scene, options, "list", List);
  list.app->description("List scenes in the order of their names");
  list.app->add_option("prefix", list.arguments->name, "Only names that begin with this");
  const SceneWord remove = AddSceneWord(scene, options, "delete", Delete);
  AddSceneName(remove, "Take a scene away");
  AddEtag(remove);
  AddSceneImport(scene, options);
  AddSceneWatch(scene, options);
  AddSceneQueries(scene, options);
}

}  // namespace clearance::client

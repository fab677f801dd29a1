// SPDX-License-Identifier: Apache-2.0
//
// register, list, get, delete.
#include <memory>

#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/row_output.h"
#include "client/cli/shape_argument.h"

namespace clearance::client {
namespace {

struct RegisterArguments {
  std::string name;
  std::string file;
  MeshOptions mesh;
  bool replace = false;
  bool validate_only = false;
};

// Puts "-" into the counts of a curved shape, which has no points: a 0 would look like a fault.
Json InTable(Json info) {
  for (const char* const count : {"points", "point_count", "vertex_count"}) {
    if (info.contains(count) && info[count] == 0) info[count] = "-";
  }
  return info;
}

int Register(const GlobalOptions& options, const RegisterArguments& arguments) {
  const absl::StatusOr<Shape> shape = LoadShape(arguments.file, arguments.mesh);
  if (!shape.ok()) return ReportError(shape.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<Registration> done =
      client->Register(arguments.name, *shape,
                       {.replace = arguments.replace, .validate_only = arguments.validate_only});
  if (!done.ok()) return ReportError(done.status());
  if (options.json) {
    PrintJson(
        {{"info", ToJson(done->info)}, {"revision", done->revision}, {"created", done->created}});
  } else {
    PrintTable(options, Json::array({InTable(ToJson(done->info))}));
  }
  return kExitFree;
}

// The members that fit in a line. JSON and wide tables have all.
Json ListedOf(const ShapeInfo& shape) {
  return {{"name", shape.name},
          {"digest", ShortDigest(shape.digest)},
          {"points", shape.point_count},
          {"pieces", shape.piece_count},
          {"bounding_radius", Number(shape.bounding_radius)},
          {"volume", Number(shape.volume)}};
}

int List(const GlobalOptions& options, const std::string& prefix) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<std::vector<ShapeInfo>> shapes = client->List(prefix);
  if (!shapes.ok()) return ReportError(shapes.status());
  Json rows = Json::array();
  const bool has_all = options.json || options.wide;
  for (const ShapeInfo& shape : *shapes) {
    const Json row = has_all ? ToJson(shape) : ListedOf(shape);
    rows.push_back(options.json ? row : InTable(row));
  }
  options.json ? PrintJson(rows) : PrintTable(options, rows);
  return kExitFree;
}

int Get(const GlobalOptions& options, const std::string& key, bool with_content) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const bool is_digest = key.rfind("v1-sha256-", 0) == 0;
  const absl::StatusOr<FoundShape> found =
      client->Get(is_digest ? ShapeKey(ByDigest{key}) : ShapeKey(ByName{key}), with_content);
  if (!found.ok()) return ReportError(found.status());
  Json info = ToJson(found->info);
  if (found->content) info["content"] = ToJson(*found->content);
  options.json ? PrintJson(info) : PrintTable(options, Json::array({InTable(info)}));
  return kExitFree;
}

int Delete(const GlobalOptions& options, const std::string& name, const std::string& etag) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<std::uint64_t> revision = client->Delete(name, etag);
  if (!revision.ok()) return ReportError(revision.status());
  const Json answer = {{"name", name}, {"revision", *revision}};
  options.json ? PrintJson(answer) : PrintTable(options, Json::array({answer}));
  return kExitFree;
}

}  // namespace

void AddShapeCommands(CLI::App* app, GlobalOptions* options) {
  auto arguments = std::make_shared<RegisterArguments>();
  CLI::App* add = app->add_subcommand("register", "Register a shape of a file or of JSON text");
  add->add_option("name", arguments->name, "Its name: [a-z0-9][a-z0-9._/-]{0,127}")->required();
  add->add_option("file", arguments->file, "OBJ, STL, PLY, OFF, JSON file or JSON text")
      ->required();
  AddMeshOptions(add, &arguments->mesh);
  add->add_flag("--replace", arguments->replace, "Let the name take this content");
  add->add_flag("--validate-only", arguments->validate_only, "Check, change nothing");
  add->callback([=] { options->exit_code = Register(*options, *arguments); });

  auto prefix = std::make_shared<std::string>();
  CLI::App* list = app->add_subcommand("list", "List shapes in the order of their names");
  list->add_option("prefix", *prefix, "Only names that begin with this");
  list->callback([=] { options->exit_code = List(*options, *prefix); });

  auto key = std::make_shared<std::string>();
  auto with_content = std::make_shared<bool>(false);
  CLI::App* get = app->add_subcommand("get", "Show one shape by name or digest");
  get->add_option("shape", *key, "Name or digest")->required();
  get->add_flag("--content", *with_content, "Also its content, as JSON");
  get->callback([=] { options->exit_code = Get(*options, *key, *with_content); });

  auto name = std::make_shared<std::string>();
  auto etag = std::make_shared<std::string>();
  CLI::App* remove = app->add_subcommand("delete", "Take a name out of the registry");
  remove->add_option("name", *name, "Its name")->required();
  remove->add_option("--etag", *etag, "Only if the name still has this digest");
  remove->callback([=] { options->exit_code = Delete(*options, *name, *etag); });
}

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// distance, intersect, toc: one pair from the command line, or a batch from a file. Both go through
// a session, which splits what the server would not take in one message.
#include <memory>
#include <utility>
#include <vector>

#include "clearance/session.h"
#include "client/cli/batch_file.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/query_options.h"
#include "client/cli/shape_argument.h"

namespace clearance::client {
namespace {

// The arguments of every query command. Batch holds its own options, as one row.
template <class Batch>
struct QueryArguments {
  std::string shape_a;
  std::string shape_b;
  std::string batch_file;
  MeshOptions mesh;
  Batch batch;
};

template <class Batch>
absl::StatusOr<ShapeTable> ParseShapes(const QueryArguments<Batch>& arguments) {
  if (arguments.shape_a.empty() || arguments.shape_b.empty()) {
    return absl::InvalidArgumentError("two shapes or --batch FILE are needed");
  }
  const std::vector<std::string> shapes = {arguments.shape_a, arguments.shape_b};
  if (absl::Status status = RequireMeshFor(arguments.mesh, shapes); !status.ok()) return status;
  ShapeTable table;
  for (const std::string& argument : shapes) {
    absl::StatusOr<ShapeReference> shape = ParseShapeArgument(argument, arguments.mesh);
    if (!shape.ok()) return shape.status();
    table.shapes.push_back(*std::move(shape));
  }
  return table;
}

template <class Batch>
absl::StatusOr<ShapeTable> ReadQuestion(const QueryArguments<Batch>& arguments, Batch* batch) {
  if (arguments.batch_file.empty()) {
    *batch = arguments.batch;
    batch->pairs.count = 1;
    return ParseShapes(arguments);
  }
  if (absl::Status status = RequireMeshFor(arguments.mesh, {}); !status.ok()) return status;
  ShapeTable table;
  const absl::Status loaded = LoadBatch(arguments.batch_file, &table, batch);
  if (!loaded.ok()) return loaded;
  return table;
}

absl::Status OpenAll(const ShapeTable& table, Session* session) {
  for (std::uint32_t slot = 0; slot < table.shapes.size(); ++slot) {
    const auto opened = session->Open(slot, table.shapes[slot], table.min_revision);
    if (!opened.ok()) return opened.status();
  }
  return absl::OkStatus();
}

template <class Batch>
auto AskIn(Session* session, const ShapeTable& table, const Batch& batch)
    -> decltype(session->Ask(batch)) {
  const absl::Status opened = OpenAll(table, session);
  if (!opened.ok()) return opened;
  return session->Ask(batch);
}

template <class Batch>
int Ask(const GlobalOptions& options, const QueryArguments<Batch>& arguments) {
  Batch batch;
  const absl::StatusOr<ShapeTable> table = ReadQuestion(arguments, &batch);
  if (!table.ok()) return ReportError(table.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const std::unique_ptr<Session> session =
      client->OpenSession({.timeout = absl::Seconds(options.timeout_s),
                           .reopen_within = absl::Seconds(options.timeout_s)});
  const auto result = AskIn(session.get(), *table, batch);
  const absl::Status end = session->Finish();
  if (!result.ok()) return ReportError(result.status());
  if (!end.ok()) return ReportError(end);
  const Json rows = ToJson(*result);
  options.json ? PrintJson(rows) : PrintTable(options, rows);
  return ExitCodeOf(*result);
}

template <class Batch>
void AddQuery(CLI::App* app, GlobalOptions* options, const std::string& name,
              const std::string& text) {
  const auto arguments = std::make_shared<QueryArguments<Batch>>();
  CLI::App* command = app->add_subcommand(name, text);
  command->add_option("a", arguments->shape_a, "Shape A: name, digest, file or JSON text");
  command->add_option("b", arguments->shape_b, "Shape B");
  AddMeshOptions(command, &arguments->mesh);
  AddOptions(command, &arguments->batch);
  command->add_option("--batch", arguments->batch_file, "Questions from a file (proto JSON)")
      ->check(CLI::ExistingFile)
      ->excludes("a")
      ->excludes("b");
  command->callback([=] { options->exit_code = Ask(*options, *arguments); });
}

}  // namespace

void AddQueryCommands(CLI::App* app, GlobalOptions* options) {
  AddQuery<DistanceBatch>(app, options, "distance", "How far apart are two shapes?");
  AddQuery<IntersectionBatch>(app, options, "intersect", "Do two shapes touch?");
  AddQuery<TimeOfCollisionBatch>(app, options, "toc", "When do two moving shapes first meet?");
}

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
//
// distance, intersect, toc: one pair from the command line, or a batch from a file. Both go through
// a session, which splits what the server would not take in one message.
#include <memory>
#include <utility>

#include "clearance/session.h"
#include "client/cli/batch_file.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/shape_argument.h"

namespace clearance::client {
namespace {

// The arguments of every query command. Batch holds its own options, as one row.
template <class Batch>
struct QueryArguments {
  std::string shape_a;
  std::string shape_b;
  std::string batch_file;
  Batch batch;
};

absl::StatusOr<ShapeTable> ParseShapes(const std::string& shape_a, const std::string& shape_b) {
  if (shape_a.empty() || shape_b.empty()) {
    return absl::InvalidArgumentError("two shapes or --batch FILE are needed");
  }
  ShapeTable table;
  for (const std::string& argument : {shape_a, shape_b}) {
    absl::StatusOr<ShapeReference> shape = ParseShapeArgument(argument);
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
    return ParseShapes(arguments.shape_a, arguments.shape_b);
  }
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
      client->OpenSession({.timeout = absl::Seconds(options.timeout_s)});
  const auto result = AskIn(session.get(), *table, batch);
  const absl::Status end = session->Finish();
  if (!result.ok()) return ReportError(result.status());
  if (!end.ok()) return ReportError(end);
  const Json rows = ToJson(*result);
  options.json ? PrintJson(rows) : PrintTable(rows);
  return ExitCodeOf(*result);
}

// The options that every kind of query has.
template <class Batch>
CLI::App* AddQuery(CLI::App* app, const std::string& name, const std::string& text,
                   const std::shared_ptr<QueryArguments<Batch>>& arguments) {
  CLI::App* command = app->add_subcommand(name, text);
  Pairs& pairs = arguments->batch.pairs;
  command->add_option("a", arguments->shape_a, "Shape A: name, digest, file or JSON text");
  command->add_option("b", arguments->shape_b, "Shape B");
  command->add_option("--pose-a", pairs.poses_a, "x y z qx qy qz qw of A")
      ->expected(7)
      ->delimiter(',');
  command->add_option("--pose-b", pairs.poses_b, "x y z qx qy qz qw of B")
      ->expected(7)
      ->delimiter(',');
  command->add_option("--batch", arguments->batch_file, "Questions from a file (proto JSON)")
      ->check(CLI::ExistingFile)
      ->excludes("a")
      ->excludes("b");
  return command;
}

void AddDistance(CLI::App* app, GlobalOptions* options) {
  auto arguments = std::make_shared<QueryArguments<DistanceBatch>>();
  DistanceBatch& batch = arguments->batch;
  CLI::App* command = AddQuery(app, "distance", "How far apart are two shapes?", arguments);
  command->add_option("--max-distance", batch.max_distances, "Only if nearer than this, metres")
      ->expected(1);
  command->add_option("--tolerance", batch.tolerance, "Good enough, metres");
  command->add_flag("--exact", batch.exact, "Exact arithmetic where rounding leaves it open");
  command->add_flag("--points", batch.detail.points, "Also the closest points");
  command->add_flag("--normals", batch.detail.normals, "Also the normal");
  command->add_flag("--witnesses", batch.detail.witnesses, "Also vertices and weights");
  command->add_flag("--iterations", batch.detail.iterations, "Also the solver's iterations");
  command->add_flag("--pieces", batch.detail.pieces, "Also which pieces of compounds are nearest");
  command->add_flag("--contacts", batch.detail.contacts, "Also the corners of the contact area");
  command->add_option("--max-contact-separation", batch.max_contact_separation,
                      "Only contacts nearer than this, metres");
  command->add_flag("--depth-proofs", batch.detail.depth_proofs, "Also why an overlap is so deep");
  command->add_flag("--tolerances", batch.detail.tolerances, "Also what the state is judged by");
  command->callback([=] { options->exit_code = Ask(*options, *arguments); });
}

void AddIntersect(CLI::App* app, GlobalOptions* options) {
  auto arguments = std::make_shared<QueryArguments<IntersectionBatch>>();
  CLI::App* command = AddQuery(app, "intersect", "Do two shapes touch?", arguments);
  command->add_flag("--bounds", arguments->batch.detail.bounds, "Also what was proved of the gap");
  command->add_flag("--exact", arguments->batch.exact,
                    "Exact arithmetic where rounding leaves it open");
  command->callback([=] { options->exit_code = Ask(*options, *arguments); });
}

void AddTimeOfCollision(CLI::App* app, GlobalOptions* options) {
  auto arguments = std::make_shared<QueryArguments<TimeOfCollisionBatch>>();
  TimeOfCollisionBatch& batch = arguments->batch;
  CLI::App* command = AddQuery(app, "toc", "When do two moving shapes first meet?", arguments);
  const auto vector = [command](const char* name, std::vector<double>& column, const char* text) {
    command->add_option(name, column, text)->expected(3)->delimiter(',');
  };
  vector("--displacement-a", batch.displacements_a, "Of A in t = 0 .. 1, metres");
  vector("--displacement-b", batch.displacements_b, "Of B");
  vector("--rotation-a", batch.rotations_a, "Rotation vector of A, radians");
  vector("--rotation-b", batch.rotations_b, "Of B");
  vector("--pivot-a", batch.pivots_a, "What A turns about, metres (default: its origin)");
  vector("--pivot-b", batch.pivots_b, "What B turns about");
  command->add_option("--end-pose-a", batch.end_poses_a, "Pose of A at t = 1 instead")
      ->expected(7)
      ->delimiter(',');
  command->add_option("--end-pose-b", batch.end_poses_b, "Pose of B at t = 1 instead")
      ->expected(7)
      ->delimiter(',');
  command->add_option("--target", batch.target_distances, "Stop this far before contact, metres")
      ->expected(1);
  command->add_flag("--ignore-initial-contact", batch.ignore_initial_contact,
                    "Shapes in contact at t = 0 may leave");
  command->add_flag("--distances", batch.detail.distances, "Also the distance of the contact");
  command->add_flag("--points", batch.detail.points, "Also the closest points of the contact");
  command->add_flag("--normals", batch.detail.normals, "Also the normal of the contact");
  command->add_flag("--proofs", batch.detail.proofs, "Also why it is free before t_free");
  command->add_flag("--pieces", batch.detail.pieces, "Also which pieces of compounds meet");
  command->callback([=] { options->exit_code = Ask(*options, *arguments); });
}

}  // namespace

void AddQueryCommands(CLI::App* app, GlobalOptions* options) {
  AddDistance(app, options);
  AddIntersect(app, options);
  AddTimeOfCollision(app, options);
}

}  // namespace clearance::client

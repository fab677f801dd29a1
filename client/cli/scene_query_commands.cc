// SPDX-License-Identifier: Apache-2.0
//
// scene check, minimum-distance, nearest, overlap, sweep, ray: each asks one question, by a unary
// call.
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "clearance/scene_query.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/places_file.h"
#include "client/cli/read_file.h"
#include "client/cli/scene_output.h"
#include "client/cli/shape_argument.h"

namespace clearance::client {
namespace {

// The two sides of a question: a scene, and one shape or the bodies of a file.
struct Asking {
  OpenScene scene;
  std::string shape;
  std::string bodies_file;
  std::vector<double> pose;
  double margin = 0;
  MeshOptions mesh;
  std::optional<std::uint32_t> id;  // of the one shape
};

// The id of the one shape if none was given: the scene is unlikely to have such a body.
constexpr std::uint32_t kUnsaidId = std::numeric_limits<std::uint32_t>::max();

template <class Batch>
struct SceneQueryArguments {
  Asking asking;
  Batch batch;
};

absl::StatusOr<Places> ReadBodies(const Asking& asking) {
  if (!asking.bodies_file.empty()) return ReadPlaces(asking.bodies_file);
  if (asking.shape.empty()) return absl::InvalidArgumentError("a shape or --bodies FILE is needed");
  Places places = {{{asking.shape, "", {}}}, {}};
  places.content.bodies = {.count = 1,
                           .ids = {asking.id.value_or(kUnsaidId)},
                           .poses = asking.pose,
                           .margins = {asking.margin}};
  return places;
}

// The meshes of the bodies are given like arguments: names, digests, files or JSON.
absl::Status TakeShapes(const Asking& asking, Places* places, ShapeTable* table) {
  std::vector<std::string> files;
  for (const PlacedMesh& mesh : places->meshes) {
    files.push_back(mesh.file);
    if (absl::Status status = RequireMeshFor(mesh.options, {mesh.file}); !status.ok()) {
      return InFile(mesh.file, status);
    }
    absl::StatusOr<ShapeReference> shape =
        ParseShapeArgument(mesh.file, WithDefaults(mesh.options, asking.mesh));
    if (!shape.ok()) return shape.status();
    table->shapes.push_back(*std::move(shape));
  }
  places->content.bodies.shapes.clear();
  return RequireMeshFor(asking.mesh, files);
}

// Repeats the one row of a column for this many bodies.
void RepeatFor(std::uint32_t bodies, std::vector<double>* row) {
  const std::vector<double> one = *row;
  for (std::uint32_t i = 1; i < bodies; ++i) row->insert(row->end(), one.begin(), one.end());
}

// Returns the setting, and sets the parts of the batch that depend on it.
template <class Batch>
absl::StatusOr<SceneSetting> ReadSetting(const Asking& asking, Batch* batch) {
  SceneSetting setting = {.scene = asking.scene};
  if constexpr (std::is_same_v<Batch, RayBatch>) {
    batch->count = 1;
    return setting;
  } else {
    absl::StatusOr<Places> places = ReadBodies(asking);
    if (!places.ok()) return places.status();
    absl::Status status = TakeShapes(asking, &*places, &setting.shapes);
    if (!status.ok()) return status;
    SceneChange* const change = &places->content;
    if constexpr (std::is_same_v<Batch, OverlapBatch>) {
      SceneBodies& bodies = change->bodies;
      batch->count = bodies.count;
      batch->shape_slots = std::move(bodies.shape_slots);
      batch->poses = std::move(bodies.poses);
      batch->margins = std::move(bodies.margins);
    } else {
      if constexpr (std::is_same_v<Batch, SweepBatch>) {
        for (auto* const column : {&batch->displacements, &batch->rotations, &batch->end_poses})
          RepeatFor(change->bodies.count, column);
      }
      setting.bodies = std::move(*change);
      batch->configurations = {.count = 1, .scene_slot = 0};
    }
    return setting;
  }
}

auto Asked(const SceneQueryClient& client, const SceneSetting& setting, const CheckBatch& batch) {
  return client.Check(setting, batch);
}
auto Asked(const SceneQueryClient& client, const SceneSetting& setting,
           const MinimumDistanceBatch& batch) {
  return client.MinimumDistance(setting, batch);
}
auto Asked(const SceneQueryClient& client, const SceneSetting& setting, const NearestBatch& batch) {
  return client.Nearest(setting, batch);
}
auto Asked(const SceneQueryClient& client, const SceneSetting& setting, const OverlapBatch& batch) {
  return client.Overlap(setting, batch);
}
auto Asked(const SceneQueryClient& client, const SceneSetting& setting, const SweepBatch& batch) {
  return client.Sweep(setting, batch);
}
auto Asked(const SceneQueryClient& client, const SceneSetting& setting, const RayBatch& batch) {
  return client.Ray(setting, batch);
}

// An id that the caller did not give is not shown.
void RemoveUnsaidIds(Json* rows) {
  for (Json& row : *rows) {
    if (row.value("body_a", std::uint32_t{0}) == kUnsaidId) row.erase("body_a");
    if (row.contains("pairs")) RemoveUnsaidIds(&row["pairs"]);
  }
}

template <class Batch>
int AskScene(const GlobalOptions& options, const SceneQueryArguments<Batch>& arguments) {
  Batch batch = arguments.batch;
  const absl::StatusOr<SceneSetting> setting = ReadSetting(arguments.asking, &batch);
  if (!setting.ok()) return ReportError(setting.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const auto result = Asked(SceneQueryClient(*client), *setting, batch);
  if (!result.ok()) return ReportError(result.status());
  Json rows = ToJson(*result);
  const Asking& asking = arguments.asking;
  if (asking.bodies_file.empty() && !asking.id) RemoveUnsaidIds(&rows);
  options.json ? PrintJson(rows) : PrintTable(options, WithPairsAsRows(rows));
  return ExitCodeOf(*result);
}

// A subcommand of `scene` that asks a question.
template <class Batch>
struct Question {
  CLI::App* app;
  std::shared_ptr<SceneQueryArguments<Batch>> arguments;

  Batch& batch() const { return arguments->batch; }
};

template <class Batch>
Question<Batch> AddQuestion(CLI::App* scene, GlobalOptions* options, const char* word,
                            const char* description) {
  Question<Batch> question = {scene->add_subcommand(word, description),
                              std::make_shared<SceneQueryArguments<Batch>>()};
  OpenScene& open = question.arguments->asking.scene;
  question.app->add_option("scene", open.name, "The scene's name")->required();
  question.app->add_option("--revision", open.revision, "Without: the newest");
  question.app->add_option("--min-revision", open.min_revision, "At least this one");
  question.app->callback([options, arguments = question.arguments] {
    options->exit_code = AskScene(*options, *arguments);
  });
  return question;
}

template <class Batch>
void AddBodies(const Question<Batch>& question) {
  Asking& asking = question.arguments->asking;
  CLI::App* const app = question.app;
  app->add_option("shape", asking.shape, "Shape of the one body: name, digest, file or JSON text");
  app->add_option("--pose", asking.pose, "x y z qx qy qz qw of the one body")
      ->expected(7)
      ->delimiter(',');
  app->add_option("--margin", asking.margin, "Margin of the one body, metres");
  AddMeshOptions(app, &asking.mesh);
  app->add_option("--bodies", asking.bodies_file,
                  "Bodies in its place, JSON: [{\"mesh\": SHAPE, \"pose\": [...], \"id\": N, "
                  "\"margin\": M}, ...]")
      ->check(CLI::ExistingFile)
      ->excludes("shape")
      ->excludes("--pose")
      ->excludes("--margin");
}

template <class Batch>
void AddPairScope(const Question<Batch>& question) {
  AddBodies(question);
  question.app->add_option("--id", question.arguments->asking.id,
                           "Number of the one body in the answer; not one of the scene's");
}

void AddVector(CLI::App* app, const char* name, std::vector<double>* column, const char* text) {
  app->add_option(name, *column, text)->expected(3)->delimiter(',');
}

void AddCheck(CLI::App* scene, GlobalOptions* options) {
  const auto check = AddQuestion<CheckBatch>(scene, options, "check", "Does anything touch?");
  AddPairScope(check);
  CheckBatch& batch = check.batch();
  batch.detail = {.pairs = true, .bounds = true, .free_radii = true};
  check.app->add_option("--all", batch.max_pairs, "List all that touches, up to so many pairs");
}

void AddMinimumDistance(CLI::App* scene, GlobalOptions* options) {
  const auto minimum = AddQuestion<MinimumDistanceBatch>(scene, options, "minimum-distance",
                                                         "How far apart is everything?");
  AddPairScope(minimum);
  MinimumDistanceBatch& batch = minimum.batch();
  batch.detail = {.pairs = true, .free_radii = true};
  minimum.app->add_option("--max-distance", batch.max_distances, "Only if nearer, metres")
      ->expected(1);
  minimum.app->add_option("--tolerance", batch.tolerance, "Good enough, metres");
  minimum.app->add_flag("--exact", batch.exact, "Exact arithmetic where rounding leaves it open");
  minimum.app->add_flag("--points", batch.detail.points, "Also the closest points");
  minimum.app->add_flag("--normals", batch.detail.normals, "Also the normal");
}

void AddNearest(CLI::App* scene, GlobalOptions* options) {
  const auto nearest =
      AddQuestion<NearestBatch>(scene, options, "nearest", "Which pairs are the nearest?");
  AddPairScope(nearest);
  NearestBatch& batch = nearest.batch();
  nearest.app->add_option("--count", batch.max_pairs, "So many pairs")->capture_default_str();
  nearest.app->add_option("--max-distance", batch.max_distances, "Only if nearer, metres")
      ->expected(1);
  nearest.app->add_option("--tolerance", batch.tolerance, "Good enough, metres");
  nearest.app->add_flag("--points", batch.detail.points, "Also the closest points");
  nearest.app->add_flag("--normals", batch.detail.normals, "Also the normals");
}

void AddOverlap(CLI::App* scene, GlobalOptions* options) {
  constexpr std::uint32_t kPairs = 100;
  const auto overlap =
      AddQuestion<OverlapBatch>(scene, options, "overlap", "What touches these shapes?");
  AddBodies(overlap);
  OverlapBatch& batch = overlap.batch();
  batch.max_pairs = kPairs;
  batch.bounds = true;
  overlap.app->add_option("--count", batch.max_pairs, "List up to so many bodies of each shape")
      ->capture_default_str();
}

void AddSweep(CLI::App* scene, GlobalOptions* options) {
  const auto sweep =
      AddQuestion<SweepBatch>(scene, options, "sweep", "When does a moving body first touch?");
  AddPairScope(sweep);
  SweepBatch& batch = sweep.batch();
  batch.detail = {.pairs = true, .distances = true};
  CLI::Option_group* const motion =
      sweep.app->add_option_group("Motion", "In t = 0 .. 1; at least one of");
  motion->require_option(1, 0);
  AddVector(motion, "--displacement", &batch.displacements, "Metres");
  AddVector(motion, "--rotation", &batch.rotations,
            "Rotation vector, radians: of each body about its own origin");
  motion->add_option("--end-pose", batch.end_poses, "Pose at t = 1 instead")
      ->expected(7)
      ->delimiter(',');
  sweep.app->add_flag("--ignore-initial-contact", batch.ignore_initial_contact,
                      "Let bodies in contact at t = 0 leave");
  sweep.app->add_option("--all", batch.max_pairs, "List all that is met, up to so many pairs");
  sweep.app->add_flag("--points", batch.detail.points, "Also the points of the contact");
  sweep.app->add_flag("--normals", batch.detail.normals, "Also the normal of the contact");
}

void AddRay(CLI::App* scene, GlobalOptions* options) {
  const auto ray = AddQuestion<RayBatch>(scene, options, "ray", "What does a moving point hit?");
  RayBatch& batch = ray.batch();
  batch.detail = {.pairs = true, .points = true, .normals = true};
  AddVector(ray.app, "--origin", &batch.origins, "World, metres");
  AddVector(ray.app, "--displacement", &batch.displacements, "The whole path, metres");
  ray.app->add_option("--radius", batch.radii, "Radius of a ball in place of the point, metres")
      ->expected(1);
  ray.app->add_flag("--any", batch.any, "Any hit will do");
  ray.app->add_option("--all", batch.max_pairs, "List all that is hit, up to so many bodies");
}

}  // namespace

void AddSceneQueries(CLI::App* scene, GlobalOptions* options) {
  AddCheck(scene, options);
  AddMinimumDistance(scene, options);
  AddNearest(scene, options);
  AddOverlap(scene, options);
  AddSweep(scene, options);
  AddRay(scene, options);
}

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
#include "client/cli/batch_file.h"

#include <google/protobuf/util/json_util.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "clearance/v1/query_service.pb.h"
#include "client/cli/read_file.h"
#include "client/cli/shape_argument.h"
#include "internal/columns.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

Pairs ReadPairs(const v1::PairColumns& proto) {
  return {.count = proto.count(),
          .slots_a = ToVector(proto.slots_a()),
          .slots_b = ToVector(proto.slots_b()),
          .poses_a = ToVector(proto.poses_a()),
          .poses_b = ToVector(proto.poses_b())};
}

BatchOptions ReadOptions(const v1::BatchOptions& proto) {
  BatchOptions options;
  options.max_reply_bytes = proto.max_reply_bytes();
  if (proto.has_time_budget()) {
    options.time_budget = absl::Seconds(proto.time_budget().seconds()) +
                          absl::Nanoseconds(proto.time_budget().nanos());
  }
  return options;
}

void ReadBatch(const v1::DistanceBatch& proto, DistanceBatch* batch) {
  batch->max_distances = ToVector(proto.max_distances());
  batch->tolerance = proto.tolerance();
  batch->exact = proto.exact();
  if (proto.has_max_contact_separation())
    batch->max_contact_separation = proto.max_contact_separation();
  if (!proto.has_detail()) return;
  const v1::DistanceDetail& detail = proto.detail();
  batch->detail = {.distances = detail.distances(),
                   .bounds = detail.bounds(),
                   .points = detail.points(),
                   .normals = detail.normals(),
                   .relative_points = detail.relative_points(),
                   .witnesses = detail.witnesses(),
                   .iterations = detail.iterations(),
                   .tolerances = detail.tolerances(),
                   .pieces = detail.pieces(),
                   .contacts = detail.contacts(),
                   .depth_proofs = detail.depth_proofs()};
}

void ReadBatch(const v1::IntersectionBatch& proto, IntersectionBatch* batch) {
  batch->exact = proto.exact();
  batch->detail = {.bounds = proto.detail().bounds(), .iterations = proto.detail().iterations()};
}

void ReadBatch(const v1::TimeOfCollisionBatch& proto, TimeOfCollisionBatch* batch) {
  batch->displacements_a = ToVector(proto.displacements_a());
  batch->displacements_b = ToVector(proto.displacements_b());
  batch->rotations_a = ToVector(proto.rotations_a());
  batch->rotations_b = ToVector(proto.rotations_b());
  batch->pivots_a = ToVector(proto.pivots_a());
  batch->pivots_b = ToVector(proto.pivots_b());
  batch->end_poses_a = ToVector(proto.end_poses_a());
  batch->end_poses_b = ToVector(proto.end_poses_b());
  batch->target_distances = ToVector(proto.target_distances());
  batch->ignore_initial_contact = proto.ignore_initial_contact();
  if (!proto.has_detail()) return;
  const v1::TimeOfCollisionDetail& detail = proto.detail();
  batch->detail = {.times = detail.times(),
                   .points = detail.points(),
                   .normals = detail.normals(),
                   .iterations = detail.iterations(),
                   .distances = detail.distances(),
                   .proofs = detail.proofs(),
                   .pieces = detail.pieces()};
}

absl::Status RequireLengthsOfInlineShapes(const Json& request) {
  if (!request.contains("/shapes"_json_pointer)) return absl::OkStatus();
  for (const Json& reference : request["shapes"]) {
    for (const char* const name : {"inlineShape", "inline_shape"}) {
      if (!reference.contains(name)) continue;
      if (absl::Status status = RequireAllLengths(reference[name]); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

template <class Request, class Batch>
absl::Status Load(const std::string& path, ShapeTable* shapes, Batch* batch) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  Request request;
  const auto status = google::protobuf::util::JsonStringToMessage(*text, &request);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::string(status.message())));
  }
  const Json parsed = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (absl::Status lengths = RequireLengthsOfInlineShapes(parsed); !lengths.ok()) return lengths;
  for (const v1::ShapeReference& proto : request.shapes()) {
    absl::StatusOr<ShapeReference> shape = FromProto(proto);
    if (!shape.ok()) return shape.status();
    shapes->shapes.push_back(*std::move(shape));
  }
  shapes->min_revision = request.min_revision();
  batch->pairs = ReadPairs(request.batch().pairs());
  batch->options = ReadOptions(request.batch().options());
  ReadBatch(request.batch(), batch);
  return absl::OkStatus();
}

}  // namespace

absl::Status LoadBatch(const std::string& path, ShapeTable* shapes, DistanceBatch* batch) {
  return Load<v1::DistanceRequest>(path, shapes, batch);
}

absl::Status LoadBatch(const std::string& path, ShapeTable* shapes, IntersectionBatch* batch) {
  return Load<v1::IntersectionRequest>(path, shapes, batch);
}

absl::Status LoadBatch(const std::string& path, ShapeTable* shapes, TimeOfCollisionBatch* batch) {
  return Load<v1::TimeOfCollisionRequest>(path, shapes, batch);
}

}  // namespace clearance::client

// SPDX-License-Identifier: Apache-2.0
#include "client/cli/batch_file.h"

#include <google/protobuf/util/json_util.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "clearance/v1/query_service.pb.h"
#include "client/cli/read_file.h"
#include "client/cli/shape_argument.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

BatchOptions ReadOptions(const v1::BatchOptions& proto) {
  BatchOptions options;
  options.max_reply_bytes = proto.max_reply_bytes();
  if (proto.has_time_budget()) {
    options.time_budget = absl::Seconds(proto.time_budget().seconds()) +
                          absl::Nanoseconds(proto.time_budget().nanos());
  }
  return options;
}

// Reads all columns and settings of a message. One that the plain struct lacks does not compile.
template <class Proto, class Plain>
// NOLINTNEXTLINE(readability-function-size): a branch for each name of columns.def
void ReadColumns(const Proto& proto, Plain* plain) {
#define QUESTION(name, width, each)                               \
  if constexpr (requires { proto.name(); }) {                     \
    plain->name.assign(proto.name().begin(), proto.name().end()); \
  }
#define SETTING(name)                                   \
  if constexpr (requires { proto.has_##name(); }) {     \
    if (proto.has_##name()) plain->name = proto.name(); \
  } else if constexpr (requires { proto.name(); }) {    \
    plain->name = proto.name();                         \
  }
#include "proto/columns.def"
}

template <class Proto, class Plain>
void ReadDetail(const Proto& proto, Plain* plain) {
#define DETAIL(name) \
  if constexpr (requires { proto.name(); }) plain->name = proto.name();
#include "proto/columns.def"
}

template <class Proto, class Batch>
void ReadBatch(const Proto& proto, Batch* batch) {
  batch->pairs.count = proto.pairs().count();
  ReadColumns(proto.pairs(), &batch->pairs);
  ReadColumns(proto, batch);
  batch->options = ReadOptions(proto.options());
  if (proto.has_detail()) ReadDetail(proto.detail(), &batch->detail);
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

// SPDX-License-Identifier: Apache-2.0
#include "clearance/scene_query.h"

#include <algorithm>

#include "clearance/v1/scene_query_service.grpc.pb.h"
#include "internal/columns.h"
#include "internal/connection.h"
#include "internal/free_rows.h"
#include "internal/query_convert.h"
#include "internal/scene_convert.h"
#include "internal/shape_convert.h"
#include "internal/unary_method.h"

namespace clearance::client {
namespace {

// The questions differ in their types, and in what they are about.
template <class Request, class Batch>
Request MakeQuestion(const SceneSetting& setting, const Batch& batch,
                     const ClientOptions& options) {
  Request request;
  if constexpr (requires { request.add_shapes(); }) {
    for (const ShapeReference& shape : setting.shapes.shapes) ToProto(shape, request.add_shapes());
    request.set_min_revision(setting.shapes.min_revision);
  }
  if (setting.scene) ToProto(*setting.scene, request.mutable_open_scene());
  if constexpr (requires { request.mutable_change_bodies(); }) {
    v1::ChangeBodies& change = *request.mutable_change_bodies();
    ToProto(setting.bodies, change.mutable_change());
    Assign(setting.same_as_scene, change.mutable_same_as_scene());
  }
  ToProto(batch, {0, RowCountOf(batch)}, request.mutable_batch());
  SetReplyLimit(options, request.mutable_batch());
  return request;
}

bool IsVerdictFree(const std::vector<Verdict>& verdicts, std::size_t row) {
  return row < verdicts.size() && verdicts[row] == Verdict::kFree;
}

// NaN is no radius.
double RadiusAt(const std::vector<double>& radii, std::size_t row) {
  return row < radii.size() && radii[row] > 0 ? radii[row] : 0;
}

// No body has moved as far as that. A NaN is no distance that was not reached.
bool IsWithin(absl::Span<const BodyMotion> motions, double radius) {
  return std::all_of(motions.begin(), motions.end(), [radius](const BodyMotion& motion) {
    return LargestDisplacement(motion) < radius;
  });
}

}  // namespace

const char* Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFree:
      return "FREE";
    case Verdict::kTouching:
      return "TOUCHING";
    case Verdict::kUndecided:
      return "UNDECIDED";
    case Verdict::kRefused:
      return "REFUSED";
    case Verdict::kUnspecified:
      break;
  }
  return "UNSPECIFIED";
}

bool ProvedFree(const CheckResult& result, std::size_t row) {
  return IsVerdictFree(result.verdicts, row);
}

bool ProvedFree(const OverlapResult& result, std::size_t row) {
  return IsVerdictFree(result.verdicts, row);
}

bool ProvedFree(const MinimumDistanceResult& result, std::size_t row, double margin) {
  return IsFree(result.states, result.lower_bounds, row, margin);
}

bool ProvedFree(const SweepResult& result, std::size_t row) {
  return row < result.states.size() && result.states[row] == MotionState::kFree;
}

double FreeMotionRadius(const CheckResult& result, std::size_t row) {
  return ProvedFree(result, row) ? RadiusAt(result.free_radii, row) : 0;
}

double FreeMotionRadius(const MinimumDistanceResult& result, std::size_t row) {
  return ProvedFree(result, row) ? RadiusAt(result.free_radii, row) : 0;
}

bool StillFree(const CheckResult& result, std::size_t row, absl::Span<const BodyMotion> motions) {
  return IsWithin(motions, FreeMotionRadius(result, row)) && ProvedFree(result, row);
}

bool StillFree(const MinimumDistanceResult& result, std::size_t row,
               absl::Span<const BodyMotion> motions) {
  return IsWithin(motions, FreeMotionRadius(result, row)) && ProvedFree(result, row);
}

// The calls of the kinds about scenes.
#define CALL_QueryService(name)
#define CALL_SceneQueryService(name)                                                           \
  absl::StatusOr<name##Batch::Result> SceneQueryClient::name(const SceneSetting& setting,      \
                                                             const name##Batch& batch) const { \
    const auto request =                                                                       \
        MakeQuestion<v1::name##Request>(setting, batch, client_.connection_->options);         \
    return TakeResult<name##Batch>(Method{&v1::SceneQueryService::Stub::name}(                 \
        *client_.connection_, request, {client_.timeout_, client_.ids_}));                     \
  }
#define QUERY(name, field, service, label, states) CALL_##service(name)
#include "proto/methods.def"
#undef CALL_QueryService
#undef CALL_SceneQueryService

}  // namespace clearance::client

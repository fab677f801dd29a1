// SPDX-License-Identifier: Apache-2.0

#include "server/service/session_state.h"

#include <string>
#include <utility>

#include "server/convert/rpc_status.h"
#include "server/convert/shape_content.h"
#include "server/guard/refusal.h"
#include "server/service/shape_reference.h"

namespace clearance::server {
namespace {

absl::Status NoKind() {
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.field = "kind",
                 .value = "unset",
                 .limit = "open, close, distance, intersection or time_of_collision",
                 .message = "The message asks for nothing that this server knows."});
}

std::string ReasonOf(const absl::Status& status) {
  const v1::Error error = ErrorOf(status);
  std::string reason = absl::StatusCodeToString(status.code());
  if (!error.field().empty())
    reason.append(" ").append(error.field()).append(" = ").append(error.value());
  return reason.append(": ").append(error.message());
}

}  // namespace

std::uint64_t SessionState::CostOf(const v1::SessionRequest& request) const {
  switch (request.kind_case()) {
    case v1::SessionRequest::kOpen:
      return server::CostOf(request.open().shape());
    case v1::SessionRequest::kDistance:
      return server::CostOf(request.distance(), table_);
    case v1::SessionRequest::kIntersection:
      return server::CostOf(request.intersection(), table_);
    case v1::SessionRequest::kTimeOfCollision:
      return server::CostOf(request.time_of_collision(), table_);
    case v1::SessionRequest::kClose:
    case v1::SessionRequest::KIND_NOT_SET:
      return 0;
  }
  return 0;
}

bool SessionState::Answer(const v1::SessionRequest& request, const StopRule& stop,
                          v1::SessionResponse* response) {
  absl::Status status;
  switch (request.kind_case()) {
    case v1::SessionRequest::kOpen:
      status = Under("open", Open(request.open(), response->mutable_open()));
      break;
    case v1::SessionRequest::kClose:
      status = Under("close", Close(request.close(), response->mutable_close()));
      break;
    case v1::SessionRequest::kDistance:
      status = Under("distance", AnswerPart<DistanceJob>(request.distance(), stop,
                                                         response->mutable_distance()));
      break;
    case v1::SessionRequest::kIntersection:
      status = Under("intersection", AnswerPart<IntersectionJob>(request.intersection(), stop,
                                                                 response->mutable_intersection()));
      break;
    case v1::SessionRequest::kTimeOfCollision:
      status = Under("time_of_collision",
                     AnswerPart<TimeOfCollisionJob>(request.time_of_collision(), stop,
                                                    response->mutable_time_of_collision()));
      break;
    case v1::SessionRequest::KIND_NOT_SET:
      status = NoKind();
      break;
  }
  if (!status.ok()) {
    response->clear_kind();
    FillRpcStatus(status, response->mutable_status());
  }
  response->set_tag(request.tag());
  return std::holds_alternative<std::monostate>(job_);
}

absl::Status SessionState::Open(const v1::OpenShape& open, v1::OpenShapeResult* result) {
  warm_rows_.Forget();
  if (open.slot() >= parts_.limits.max_slots_per_session) {
    return Refuse(
        absl::StatusCode::kResourceExhausted,
        {.field = "slot",
         .value = FormatNumber(std::uint64_t{open.slot()}),
         .limit = "max_slots_per_session: < " + FormatNumber(parts_.limits.max_slots_per_session),
         .message = "The session has no such slot; use a lower one."});
  }
  absl::Status status = OpenChecked(open, result);
  if (!status.ok()) {
    table_.Close(open.slot());
    table_.Poison(open.slot(), ReasonOf(status));
  }
  return status;
}

absl::Status SessionState::OpenChecked(const v1::OpenShape& open, v1::OpenShapeResult* result) {
  if (absl::Status status = parts_.registry.RequireRevision(open.min_revision()); !status.ok())
    return status;
  auto resolved = ResolveShape(open.shape(), parts_);
  if (!resolved.ok()) return Under("shape", resolved.status());
  if (absl::Status status = CheckRoom(open.slot(), resolved->owned_bytes); !status.ok())
    return status;

  const ShapeContent& content = *resolved->shape.content;
  table_.Open(open.slot(), content.body, resolved->owned_bytes, content.digest);
  result->set_slot(open.slot());
  FillShapeInfo(resolved->shape, result->mutable_shape());
  result->set_revision(resolved->revision);
  return absl::OkStatus();
}

absl::Status SessionState::CheckRoom(std::uint32_t slot, std::uint64_t owned_bytes) const {
  const std::uint64_t bytes = table_.owned_bytes() - table_.owned_bytes(slot) + owned_bytes;
  if (bytes <= parts_.limits.max_session_shape_bytes) return absl::OkStatus();
  return Refuse(
      absl::StatusCode::kResourceExhausted,
      {.field = "shape.inline_shape",
       .value = FormatNumber(bytes) + " bytes",
       .limit = "max_session_shape_bytes <= " + FormatNumber(parts_.limits.max_session_shape_bytes),
       .message = "The session holds too many inline shapes; close some, or register them."});
}

absl::Status SessionState::Close(const v1::CloseShape& close, v1::CloseShapeResult* result) {
  warm_rows_.Forget();
  if (!table_.Close(close.slot())) {
    return Refuse(absl::StatusCode::kNotFound,
                  {.field = "slot",
                   .value = FormatNumber(std::uint64_t{close.slot()}),
                   .limit = "an open slot",
                   .message = "There is nothing in this slot to close."});
  }
  result->set_slot(close.slot());
  return absl::OkStatus();
}

template <class Job, class Batch, class Result>
absl::Status SessionState::AnswerPart(const Batch& batch, const StopRule& stop, Result* result) {
  if (!std::holds_alternative<Job>(job_)) {
    auto started = Job::Start(batch, table_, parts_.limits, {parts_.checker, &warm_rows_});
    if (!started.ok()) return started.status();
    job_.template emplace<Job>(*std::move(started));
  }
  Job& job = std::get<Job>(job_);
  job.AnswerPart(stop, result);
  if (job.is_done()) {
    job.Record(parts_.metrics);
    job_.template emplace<std::monostate>();
  }
  return absl::OkStatus();
}

}  // namespace clearance::server

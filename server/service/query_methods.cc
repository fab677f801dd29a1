// SPDX-License-Identifier: Apache-2.0

#include "server/service/query_methods.h"

#include <algorithm>
#include <string>

#include "server/guard/refusal.h"
#include "server/service/batch_job.h"
#include "server/service/shape_reference.h"

namespace clearance::server {
namespace {

using References = google::protobuf::RepeatedPtrField<v1::ShapeReference>;

// Slot i is shapes[i]; `revision` is the lowest that a shape was found at.
struct OpenedShapes {
  ShapeTable table;
  std::uint64_t revision = 0;
};

absl::Status OpenAll(const References& shapes, const ServerParts& parts, const StopRule& stop,
                     OpenedShapes* opened) {
  if (static_cast<std::uint64_t>(shapes.size()) > parts.limits.max_slots_per_session) {
    return Refuse(
        absl::StatusCode::kResourceExhausted,
        {.field = "shapes",
         .value = FormatNumber(static_cast<std::uint64_t>(shapes.size())),
         .limit = "max_slots_per_session <= " + FormatNumber(parts.limits.max_slots_per_session),
         .message = "The call has too many shapes; split it."});
  }
  for (int i = 0; i < shapes.size(); ++i) {
    if (stop.ShouldStop()) return absl::DeadlineExceededError("no time left to open the shapes");
    auto resolved = ResolveShape(shapes[i], parts);
    if (!resolved.ok()) return Under("shapes[" + std::to_string(i) + "]", resolved.status());
    const ShapeContent& content = *resolved->shape.content;
    opened->table.Open(static_cast<std::uint32_t>(i), content.body, resolved->owned_bytes,
                       content.digest);
    opened->revision = std::min(opened->revision, resolved->revision);
  }
  return absl::OkStatus();
}

template <class Job, class Request, class Response>
absl::Status AnswerUnary(const ServerParts& parts, const Request& request, const StopRule& stop,
                         Response* response) {
  if (absl::Status status = parts.registry.RequireRevision(request.min_revision()); !status.ok())
    return status;
  OpenedShapes opened{{}, parts.registry.revision()};
  if (absl::Status status = OpenAll(request.shapes(), parts, stop, &opened); !status.ok())
    return status;
  auto job = Job::Start(request.batch(), opened.table, parts.limits, {parts.checker});
  if (!job.ok()) return Under("batch", job.status());
  if (absl::Status status = job->RequireOneReply(); !status.ok()) return Under("batch", status);
  job->AnswerPart(stop, response->mutable_result());
  job->Record(parts.metrics);
  response->set_revision(opened.revision);
  return absl::OkStatus();
}

// Registered shapes may be large; how large is known only once they are found, so each counts as an
// ordinary one.
template <class Request>
std::uint64_t CostOfUnary(const Request& request) {
  constexpr std::uint64_t kOrdinaryVertices = 4096;
  std::uint64_t cost = CostOf(request.batch(), kOrdinaryVertices, /*pieces=*/1);
  for (const v1::ShapeReference& shape : request.shapes()) cost += CostOf(shape);
  return cost;
}

}  // namespace

absl::Status AnswerDistance(const ServerParts& parts, const v1::DistanceRequest& request,
                            const StopRule& stop, v1::DistanceResponse* response) {
  return AnswerUnary<DistanceJob>(parts, request, stop, response);
}

absl::Status AnswerIntersection(const ServerParts& parts, const v1::IntersectionRequest& request,
                                const StopRule& stop, v1::IntersectionResponse* response) {
  return AnswerUnary<IntersectionJob>(parts, request, stop, response);
}

absl::Status AnswerTimeOfCollision(const ServerParts& parts,
                                   const v1::TimeOfCollisionRequest& request, const StopRule& stop,
                                   v1::TimeOfCollisionResponse* response) {
  return AnswerUnary<TimeOfCollisionJob>(parts, request, stop, response);
}

std::uint64_t CostOf(const v1::DistanceRequest& request) { return CostOfUnary(request); }
std::uint64_t CostOf(const v1::IntersectionRequest& request) { return CostOfUnary(request); }
std::uint64_t CostOf(const v1::TimeOfCollisionRequest& request) { return CostOfUnary(request); }

}  // namespace clearance::server

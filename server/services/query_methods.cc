// SPDX-License-Identifier: Apache-2.0

#include "server/services/query_methods.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/convert/shape_content.h"
#include "server/guard/refusal.h"
#include "server/services/opened_shapes.h"
#include "server/services/unary_question.h"
#include "server/session/batch_job.h"
#include "server/session/job_helpers.h"
#include "server/session/shape_reference.h"

namespace clearance::server {
namespace {

// The size of the work in a step of a solver.
struct Extent {
  std::uint64_t vertices_a_step = 0;
  std::uint64_t pieces = 1;
};

Extent ExtentOf(const v1::Shape& shape) {
  constexpr std::uint64_t kCurvedOrBox = 32;
  const auto pieces =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(shape.compound().pieces_size()));
  return {kCurvedOrBox + HullPointCount(shape) / pieces, pieces};
}

// An unknown shape has no extent, because no question about it is answered.
Extent ExtentOf(const v1::ShapeReference& reference, const CallScope& call) {
  if (reference.has_inline_shape()) return ExtentOf(reference.inline_shape());
  const auto resolved = FindShape(reference, call);
  if (!resolved.ok()) return {};
  const RigidBody& body = *resolved->shape.content->body;
  return {VerticesAPiece(body), body.pieces().size()};
}

// A job and its subject, for as long as a part of it is left.
template <class Job>
struct Question {
  OpenedShapes opened;
  std::optional<Job> job;
};

template <class Job, class Request, class Response>
// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerUnary(const CallScope& call, const Request& request, const StopRule& stop,
                         Response* response, Parts* left) {
  const auto question = std::make_shared<Question<Job>>();
  OpenedShapes& opened = question->opened;
  const ShapesToOpen to_open = {request.shapes(), request.min_revision()};
  if (absl::Status status = OpenAll(call, to_open, stop, &opened); !status.ok()) return status;
  const std::uint64_t cost = CostOf(request.batch(), opened.table);
  auto job = Job::Start(request.batch(), opened.table, call.parts.limits, HelpersFor(call, cost));
  if (!job.ok()) return Under("batch", job.status());
  question->job.emplace(*std::move(job));
  response->set_revision(opened.revision);
  absl::Status status =
      AnswerWhole(call, question, AnswerPlace{stop, response->mutable_result(), left});
  left->cost += CostOfOpening(request.shapes());
  return status;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerDistance(const CallScope& call, const v1::DistanceRequest& request,
                            const StopRule& stop, v1::DistanceResponse* response, Parts* left) {
  return AnswerUnary<DistanceJob>(call, request, stop, response, left);
}

// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerIntersection(const CallScope& call, const v1::IntersectionRequest& request,
                                const StopRule& stop, v1::IntersectionResponse* response,
                                Parts* left) {
  return AnswerUnary<IntersectionJob>(call, request, stop, response, left);
}

// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerTimeOfCollision(const CallScope& call, const v1::TimeOfCollisionRequest& request,
                                   const StopRule& stop, v1::TimeOfCollisionResponse* response,
                                   Parts* left) {
  return AnswerUnary<TimeOfCollisionJob>(call, request, stop, response, left);
}

// Looks up a few shapes. A request with more needs a worker in any case, which finds them.
template <class Request>
std::uint64_t CostOfQuery(const CallScope& call, const Request& request) {
  constexpr int kMostLookups = 64;
  const ShapeReferences& shapes = request.shapes();
  Extent largest;
  for (int i = 0; i < std::min(shapes.size(), kMostLookups); ++i) {
    const Extent extent = ExtentOf(shapes[i], call);
    largest.vertices_a_step = std::max(largest.vertices_a_step, extent.vertices_a_step);
    largest.pieces = std::max(largest.pieces, extent.pieces);
  }
  const std::uint64_t cost =
      CostOfOpening(shapes) + CostOf(request.batch(), largest.vertices_a_step, largest.pieces);
  return shapes.size() > kMostLookups ? std::max(cost, kDear) : cost;
}
template std::uint64_t CostOfQuery(const CallScope&, const v1::DistanceRequest&);
template std::uint64_t CostOfQuery(const CallScope&, const v1::IntersectionRequest&);
template std::uint64_t CostOfQuery(const CallScope&, const v1::TimeOfCollisionRequest&);

}  // namespace clearance::server

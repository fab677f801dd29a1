// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_replace.h"
#include "server/convert/shape_content.h"
#include "server/kinds/kinds.h"
#include "server/services/methods.h"
#include "server/session/batch_job.h"
#include "server/session/session_scenes.h"
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
  const auto pieces = static_cast<std::uint64_t>(std::max(1, shape.compound().pieces_size()));
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

template <class Request>
using KindOfRequest = KindOf<std::decay_t<decltype(std::declval<const Request&>().batch())>>;

// The shapes that a call brings: slot i is its shape i.
struct OpenedShapes {
  ShapeTable table;
  std::uint64_t revision = 0;  // the lowest at which a shape was found
};

// Opens all shapes with the registry at this revision or a later one. Fails as ResolveShape, with
// FAILED_PRECONDITION if the registry is not there yet, DEADLINE_EXCEEDED if no time is left,
// RESOURCE_EXHAUSTED for more than max_slots_per_session.
absl::StatusOr<OpenedShapes> OpenAll(const CallScope& call,
                                     absl::Span<const v1::ShapeReference* const> shapes,
                                     std::uint64_t min_revision, const StopRule& stop) {
  const Registry& registry = call.registry.nameless();
  absl::Status status = registry.RequireRevision(min_revision);
  status.Update(CheckMost(shapes.size(),
                          {"max_slots_per_session", call.parts.limits.max_slots_per_session},
                          {.reason = Reason::kTooManyShapes,
                           .field = "shapes",
                           .message = "The call has too many shapes; split it."}));
  if (!status.ok()) return status;
  OpenedShapes opened = {.table = {}, .revision = registry.revision()};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (stop.ShouldStop()) return absl::DeadlineExceededError("no time left to open the shapes");
    const auto resolved = ResolveShape(*shapes[i], call, stop);
    if (!resolved.ok()) return Under(Indexed("shapes", i), resolved.status());
    const ShapeContent& content = *resolved->shape.content;
    opened.table.Open(static_cast<std::uint32_t>(i), content.body,
                      OwnedBytesOf(*shapes[i], content), content.digest);
    opened.revision = std::min(opened.revision, resolved->revision);
  }
  return opened;
}

// A job and its subject, for as long as a part of it is left.
template <class Kind>
struct Question {
  OpenedShapes opened = {};
  std::optional<SessionScenes> scenes = {};
  std::optional<BatchJob<Kind>> job = {};
};

// Does the parts of a request about a scene that come before its batch.
template <class Request>
absl::Status PrepareScene(const Request& request, const ShapeTable& table, SessionScenes* scenes) {
  if (request.has_open_scene()) {
    v1::OpenSceneResult opened;
    absl::Status status = scenes->Open(request.open_scene(), &opened);
    if (!status.ok()) return Under("open_scene", status);
  }
  if constexpr (requires { request.change_bodies(); }) {
    v1::ChangeBodiesResult changed;
    absl::Status status = scenes->Change(request.change_bodies(), table, &changed);
    if (!status.ok()) return Under("change_bodies", status);
  }
  return absl::OkStatus();
}

// Answers question->job or leaves parts of it. The parts keep the question alive: the job and all
// that it borrows. RESOURCE_EXHAUSTED if the answer does not fit into one reply.
template <class Kind>
absl::Status AnswerWhole(const std::shared_ptr<Question<Kind>>& question, const StopRule& stop,
                         typename Kind::Result* result, Parts* left) {
  if (absl::Status status = question->job->RequireOneReply(); !status.ok())
    return Under("batch", status);
  question->job->AnswerPart(stop, result, left);
  Conclude(left, [question] { question->job->Record(); });
  return absl::OkStatus();
}

// Looks up a few shapes. A request with more needs a worker in any case, which finds them.
template <class Batch>
std::uint64_t CostOfPairs(const CallScope& call, absl::Span<const v1::ShapeReference* const> shapes,
                          const Batch& batch) {
  constexpr std::size_t kMostLookups = 64;
  Extent largest;
  for (const v1::ShapeReference* const shape : shapes.subspan(0, kMostLookups)) {
    const Extent extent = ExtentOf(*shape, call);
    largest.vertices_a_step = std::max(largest.vertices_a_step, extent.vertices_a_step);
    largest.pieces = std::max(largest.pieces, extent.pieces);
  }
  const std::uint64_t cost =
      CostOfOpening(shapes) + CostOf(batch, largest.vertices_a_step, largest.pieces);
  return shapes.size() > kMostLookups ? std::max(cost, kDear) : cost;
}

// A pair's question, as a batch of one row, and its answer.
struct PairQuestion {
  v1::DistanceBatch batch;
  v1::DistanceBatchResult result;
  Question<DistanceKind> distance;
};

void AddPose(const v1::PosedShape& shape, google::protobuf::RepeatedField<double>* column) {
  if (!shape.has_pose()) return;
  const v1::Vector3& p = shape.pose().translation();
  const v1::Quaternion& q = shape.pose().rotation();
  const double w = shape.pose().has_rotation() ? q.w() : 1;
  for (const double number : {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), w}) column->Add(number);
}

v1::DistanceBatch OneRowOf(const v1::PairDistanceRequest& request) {
  v1::DistanceBatch batch;
  batch.mutable_pairs()->set_count(1);
  AddPose(request.a(), batch.mutable_pairs()->mutable_poses_a());
  AddPose(request.b(), batch.mutable_pairs()->mutable_poses_b());
  batch.mutable_detail()->set_distances(true);
  batch.mutable_detail()->set_bounds(true);
  batch.mutable_detail()->set_points(true);
  batch.mutable_detail()->set_normals(true);
  return batch;
}

// Returns the status with the field of the pair's request, instead of a batch's.
absl::Status InPair(const absl::Status& status) {
  return WithField(absl::StrReplaceAll(ErrorOf(status).field(), {{"shapes[0]", "a.shape"},
                                                                 {"shapes[1]", "b.shape"},
                                                                 {"poses_a[0]", "a.pose"},
                                                                 {"poses_b[0]", "b.pose"}}),
                   status);
}

void FillVector(const google::protobuf::RepeatedField<double>& column, v1::Vector3* vector) {
  vector->set_x(column[0]);
  vector->set_y(column[1]);
  vector->set_z(column[2]);
}

void FillPair(const v1::DistanceBatchResult& result, v1::PairDistanceResponse* response) {
  const v1::State state = result.states(0);
  response->set_state(state);
  response->set_intersects(state != v1::STATE_SEPARATED);
  response->set_lower_bound(result.lower_bounds(0));
  response->set_upper_bound(result.upper_bounds(0));
  if (state == v1::STATE_UNDECIDED) {
    response->set_undecided_reason(result.undecided(0).reason());
    return;
  }
  response->set_distance(result.distances(0));
  FillVector(result.points_a(), response->mutable_point_a());
  FillVector(result.points_b(), response->mutable_point_b());
  FillVector(result.normals(), response->mutable_normal());
}

}  // namespace

std::uint64_t CostOfOpening(absl::Span<const v1::ShapeReference* const> shapes) {
  std::uint64_t cost = 0;
  for (const v1::ShapeReference* const shape : shapes) cost += CostOf(*shape);
  return cost;
}

template <class Request, class Response>
// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status UnaryQuery<Request, Response>::Answer(const CallScope& call, const Request& request,
                                                   const StopRule& stop, Response* response,
                                                   Parts* left) {
  using Kind = KindOfRequest<Request>;
  const auto question = std::make_shared<Question<Kind>>();
  if constexpr (requires { request.shapes(); }) {
    auto opened = OpenAll(call, request.shapes(), request.min_revision(), stop);
    if (!opened.ok()) return opened.status();
    question->opened = *std::move(opened);
  }
  const ShapeTable& table = question->opened.table;
  if constexpr (kIsAboutScene<Kind>) {
    absl::Status status = PrepareScene(request, table, &question->scenes.emplace(call));
    if (!status.ok()) return status;
  }
  const SessionScenes* const scenes = question->scenes ? &*question->scenes : nullptr;
  auto job = BatchJob<Kind>::Start({call, table, scenes}, request.batch());
  if (!job.ok()) return Under("batch", job.status());
  question->job.emplace(*std::move(job));
  if constexpr (requires { request.shapes(); }) response->set_revision(question->opened.revision);
  absl::Status status = AnswerWhole<Kind>(question, stop, response->mutable_result(), left);
  if constexpr (requires { request.shapes(); }) left->cost += CostOfOpening(request.shapes());
  return status;
}

template <class Request, class Response>
std::uint64_t UnaryQuery<Request, Response>::CostOf(const CallScope& call, const Request& request) {
  if constexpr (!kIsAboutScene<KindOfRequest<Request>>) {
    return CostOfPairs(call, request.shapes(), request.batch());
  } else {
    AskedSize asked;
    std::uint64_t cost = 0;
    if constexpr (requires { request.shapes(); }) cost += CostOfOpening(request.shapes());
    if (request.has_open_scene()) {
      const v1::OpenScene& open = request.open_scene();
      const auto found = ScenesOf(call).Find(open.name(), "name", open.revision());
      if (found.ok()) asked.scene_bodies = found->scene->size();
    }
    if constexpr (requires { request.change_bodies(); }) {
      const auto& bodies = request.change_bodies().change().bodies();
      asked.query_bodies = static_cast<std::uint64_t>(bodies.ids_size());
      cost += SessionScenes(call).CostOf(request.change_bodies(), ShapeTable());
    }
    return cost + server::CostOf(request.batch(), asked);
  }
}

#define QUERY(name, field, service, label, states) \
  template struct UnaryQuery<v1::name##Request, v1::name##Response>;
#include "proto/methods.def"

// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerPairDistance(const CallScope& call, const v1::PairDistanceRequest& request,
                                const StopRule& stop, v1::PairDistanceResponse* response,
                                Parts* left) {
  const auto asked = std::make_shared<PairQuestion>();
  asked->batch = OneRowOf(request);
  const std::shared_ptr<Question<DistanceKind>> question(asked, &asked->distance);
  const std::array shapes = {&request.a().shape(), &request.b().shape()};
  auto opened = OpenAll(call, shapes, request.min_revision(), stop);
  if (!opened.ok()) return InPair(opened.status());
  question->opened = *std::move(opened);
  auto job = BatchJob<DistanceKind>::Start({call, question->opened.table}, asked->batch);
  if (!job.ok()) return InPair(job.status());
  question->job.emplace(*std::move(job));
  absl::Status status = question->job->RequireNoFault();
  if (!status.ok()) return InPair(status);
  response->set_revision(question->opened.revision);
  status = AnswerWhole<DistanceKind>(question, stop, &asked->result, left);
  if (!status.ok()) return InPair(status);
  left->cost += CostOfOpening(shapes);
  Conclude(left, [asked, response] { FillPair(asked->result, response); });
  return absl::OkStatus();
}

std::uint64_t CostOfPairDistance(const CallScope& call, const v1::PairDistanceRequest& request) {
  v1::DistanceBatch one;
  one.mutable_pairs()->set_count(1);
  return CostOfPairs(call, {&request.a().shape(), &request.b().shape()}, one);
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/services/scene_query_methods.h"

#include <memory>
#include <optional>
#include <utility>

#include "server/guard/refusal.h"
#include "server/registry/caller_scenes.h"
#include "server/services/opened_shapes.h"
#include "server/services/unary_question.h"
#include "server/session/scene_job.h"
#include "server/session/session_scenes.h"

namespace clearance::server {
namespace {

// Not every question is about shapes, or has own bodies.
template <class Request>
concept HasShapes = requires(const Request& request) {
  request.shapes();
};
template <class Request>
concept HasOwnBodies = requires(const Request& request) {
  request.change_bodies();
};

template <class Request>
struct JobOf;
template <>
struct JobOf<v1::CheckRequest> {
  using Type = CheckJob;
};
template <>
struct JobOf<v1::ClearanceRequest> {
  using Type = ClearanceJob;
};
template <>
struct JobOf<v1::NearestRequest> {
  using Type = NearestJob;
};
template <>
struct JobOf<v1::OverlapRequest> {
  using Type = OverlapJob;
};
template <>
struct JobOf<v1::MotionRequest> {
  using Type = MotionJob;
};
template <>
struct JobOf<v1::RayRequest> {
  using Type = RayJob;
};

// A job and its subject, for as long as a part of it is left.
template <class Job>
struct SceneQuestion {
  explicit SceneQuestion(const CallScope& call) : scenes(call, SessionScenes::Lifetime::kOneCall) {}

  OpenedShapes opened;
  SessionScenes scenes;
  std::optional<Job> job;
};

// Does the parts of the request that come before its batch.
template <class Job, class Request>
absl::Status Prepare(const CallScope& call, const Request& request, const StopRule& stop,
                     SceneQuestion<Job>* question) {
  if constexpr (HasShapes<Request>) {
    absl::Status status =
        OpenAll(call, {request.shapes(), request.min_revision()}, stop, &question->opened);
    if (!status.ok()) return status;
  }
  if (request.has_open_scene()) {
    v1::OpenSceneResult opened;
    absl::Status status = question->scenes.Open(request.open_scene(), &opened);
    if (!status.ok()) return Under("open_scene", status);
  }
  if constexpr (HasOwnBodies<Request>) {
    v1::ChangeBodiesResult changed;
    absl::Status status =
        question->scenes.Change(request.change_bodies(), question->opened.table, &changed);
    if (!status.ok()) return Under("change_bodies", status);
  }
  return absl::OkStatus();
}

std::uint64_t BodiesOf(const CallScope& call, const v1::OpenScene& open) {
  const CallerScenes scenes(*call.parts.scenes, call.caller, call.parts.audit);
  const auto found = scenes.Find(open.name(), "name", open.revision());
  return found.ok() ? found->scene->size() : 0;
}

}  // namespace

template <class Request, class Response>
// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerSceneQuery(const CallScope& call, const Request& request, const StopRule& stop,
                              Response* response, Parts* left) {
  using Job = typename JobOf<Request>::Type;
  const auto question = std::make_shared<SceneQuestion<Job>>(call);
  if (absl::Status status = Prepare(call, request, stop, question.get()); !status.ok())
    return status;
  auto job = StartSceneJob<Job>(call, request.batch(), {question->scenes, question->opened.table});
  if (!job.ok()) return Under("batch", job.status());
  question->job.emplace(*std::move(job));
  if constexpr (HasShapes<Request>) response->set_revision(question->opened.revision);
  absl::Status status =
      AnswerWhole(call, question, AnswerPlace{stop, response->mutable_result(), left});
  if constexpr (HasShapes<Request>) left->cost += CostOfOpening(request.shapes());
  return status;
}

template <class Request>
std::uint64_t CostOfSceneQuery(const CallScope& call, const Request& request) {
  AskedSize asked;
  std::uint64_t cost = 0;
  if (request.has_open_scene()) asked.scene_bodies = BodiesOf(call, request.open_scene());
  if constexpr (HasShapes<Request>) cost += CostOfOpening(request.shapes());
  if constexpr (HasOwnBodies<Request>) {
    const auto& bodies = request.change_bodies().change().bodies();
    asked.own_bodies = static_cast<std::uint64_t>(bodies.ids_size());
    cost += SessionScenes(call).CostOf(request.change_bodies(), ShapeTable());
  }
  return cost + CostOf(request.batch(), asked);
}

template absl::Status AnswerSceneQuery(const CallScope&, const v1::CheckRequest&, const StopRule&,
                                       v1::CheckResponse*, Parts*);
template std::uint64_t CostOfSceneQuery(const CallScope&, const v1::CheckRequest&);
template absl::Status AnswerSceneQuery(const CallScope&, const v1::ClearanceRequest&,
                                       const StopRule&, v1::ClearanceResponse*, Parts*);
template std::uint64_t CostOfSceneQuery(const CallScope&, const v1::ClearanceRequest&);
template absl::Status AnswerSceneQuery(const CallScope&, const v1::NearestRequest&, const StopRule&,
                                       v1::NearestResponse*, Parts*);
template std::uint64_t CostOfSceneQuery(const CallScope&, const v1::NearestRequest&);
template absl::Status AnswerSceneQuery(const CallScope&, const v1::OverlapRequest&, const StopRule&,
                                       v1::OverlapResponse*, Parts*);
template std::uint64_t CostOfSceneQuery(const CallScope&, const v1::OverlapRequest&);
template absl::Status AnswerSceneQuery(const CallScope&, const v1::MotionRequest&, const StopRule&,
                                       v1::MotionResponse*, Parts*);
template std::uint64_t CostOfSceneQuery(const CallScope&, const v1::MotionRequest&);
template absl::Status AnswerSceneQuery(const CallScope&, const v1::RayRequest&, const StopRule&,
                                       v1::RayResponse*, Parts*);
template std::uint64_t CostOfSceneQuery(const CallScope&, const v1::RayRequest&);

}  // namespace clearance::server

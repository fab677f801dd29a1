// SPDX-License-Identifier: Apache-2.0

#include "server/transport/methods.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "server/convert/wire_errors.h"
#include "server/schedule/work.h"
#include "server/services/query_methods.h"
#include "server/services/scene_methods.h"
#include "server/services/server_info.h"
#include "server/services/shape_methods.h"
#include "server/session/batch_job.h"
#include "server/session/shape_reference.h"
#include "server/transport/scene_watch.h"
#include "server/transport/session.h"
#include "server/transport/unary.h"

namespace clearance::server {
namespace {

// Asks gRPC for the next call of a raw method of the service.
template <class Service, class Request>
auto Requesting(Service& service, Request request) {
  return [&service, request](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
    (service.*request)(context, bytes, writer, queue, queue, tag);
  };
}

// Wraps an answer that leaves nothing to be done.
template <class Request, class Response>
auto AtOnce(absl::Status (*answer)(const CallScope&, const Request&, const StopRule&, Response*)) {
  return [answer](const CallScope& call, const Request& request, const StopRule& stop,
                  Response* response,
                  Parts* /*left*/) { return answer(call, request, stop, response); };
}

// Return costs that follow from the request alone, or that no worker is spared.
template <class Request>
std::uint64_t OwnCost(const CallScope& /*call*/, const Request& request) {
  return CostOf(request);
}
template <class Request>
std::uint64_t AlwaysDear(const CallScope& /*call*/, const Request& /*request*/) {
  return kDear;
}

// The methods that ask questions differ in their messages alone.
template <class Request, class Response>
UnaryMethod<Request, Response> QueryMethod(
    RpcMethod rpc, decltype(UnaryMethod<Request, Response>::request_call) request_call) {
  UnaryMethod<Request, Response> method = {
      .rpc = rpc,
      .request_call = std::move(request_call),
      .cost = UnaryQuery<Request, Response>::CostOf,
      .reply_bytes = [](const Request& request,
                        const Limits& limits) { return MostReplyBytes(request.batch(), limits); },
      .answer = UnaryQuery<Request, Response>::Answer};
  if constexpr (requires(const Request& request) { request.batch().pairs().count(); })
    method.whole_cost = [](const Request& request) { return CostOfOpening(request.shapes()); };
  return method;
}

// The methods that change a scene differ in their costs besides.
template <class Request, class Response>
UnaryMethod<Request, Response> ChangeMethod(
    RpcMethod rpc, decltype(UnaryMethod<Request, Response>::request_call) request_call,
    std::uint64_t (*cost)(const CallScope&, const Request&)) {
  return {.rpc = rpc,
          .request_call = std::move(request_call),
          .cost = cost,
          .answer_or_plan = SceneChangeMethod<Request, Response>::Plan,
          .conclude = SceneChangeMethod<Request, Response>::Conclude};
}

}  // namespace

Methods::Methods(ServerParts& parts, HealthBoard& health, bool shows_reflection)
    : parts_(parts), shows_reflection_(shows_reflection) {
  AddQueryMethods();
  AddShapeMethods();
  AddSceneMethods();
  AddSceneChangeMethods();
  AddSceneQueryMethods();
  Add(UnaryMethod<v1::GetServerInfoRequest, v1::GetServerInfoResponse>{
      .rpc = RpcMethod::kGetServerInfo,
      .request_call = Requesting(server_, &Server::RequestGetServerInfo),
      .answer = AtOnce(GetServerInfo)});
  serve_.emplace_back([this, &health](Poller& poller) {
    ServeHealthChecks(health, health_, poller);
    ServeHealthWatches(health, health_, poller);
  });
  if (shows_reflection_)
    serve_.emplace_back([this](Poller& poller) { ServeReflection(reflection_, poller); });
}

void Methods::RegisterWith(grpc::ServerBuilder* builder) {
  builder->RegisterService(&query_);
  builder->RegisterService(&shape_);
  builder->RegisterService(&scene_);
  builder->RegisterService(&scene_query_);
  builder->RegisterService(&server_);
  builder->RegisterService(&health_);
  if (shows_reflection_) builder->RegisterService(&reflection_);
}

void Methods::ServeOn(Poller& poller) const {
  for (const auto& serve : serve_) serve(poller);
}

template <class Method>
void Methods::Add(Method method) {
  const auto kept = std::make_shared<const Method>(std::move(method));
  serve_.emplace_back([this, kept](Poller& poller) { ServeUnary(parts_, *kept, poller); });
}

void Methods::AddQueryMethods() {
  Add(UnaryMethod<v1::PairDistanceRequest, v1::PairDistanceResponse>{
      .rpc = RpcMethod::kPairDistance,
      .request_call = Requesting(query_, &Query::RequestPairDistance),
      .cost = CostOfPairDistance,
      .whole_cost =
          [](const auto& request) {
            return CostOf(request.a().shape()) + CostOf(request.b().shape());
          },
      .answer = AnswerPairDistance});
  Add(QueryMethod<v1::DistanceRequest, v1::DistanceResponse>(
      RpcMethod::kDistance, Requesting(query_, &Query::RequestDistance)));
  Add(QueryMethod<v1::IntersectionRequest, v1::IntersectionResponse>(
      RpcMethod::kIntersection, Requesting(query_, &Query::RequestIntersection)));
  Add(QueryMethod<v1::TimeOfCollisionRequest, v1::TimeOfCollisionResponse>(
      RpcMethod::kTimeOfCollision, Requesting(query_, &Query::RequestTimeOfCollision)));
  const auto request = std::make_shared<const RequestSession>(
      [this](auto* context, auto* stream, auto* queue, void* tag) {
        query_.RequestSession(context, stream, queue, queue, tag);
      });
  serve_.emplace_back([this, request](Poller& poller) { ServeSessions(parts_, *request, poller); });
}

// Work that may build a hull is never cheap.
void Methods::AddShapeMethods() {
  Add(UnaryMethod<v1::RegisterShapeRequest, v1::RegisterShapeResponse>{
      .rpc = RpcMethod::kRegisterShape,
      .request_call = Requesting(shape_, &Shape::RequestRegisterShape),
      .cost = OwnCost<v1::RegisterShapeRequest>,
      .plan = AtOnce(PlanRegisterShape),
      .conclude = ConcludeRegisterShape});
  Add(UnaryMethod<v1::BatchRegisterHullsRequest, v1::BatchRegisterHullsResponse>{
      .rpc = RpcMethod::kBatchRegisterHulls,
      .request_call = Requesting(shape_, &Shape::RequestBatchRegisterHulls),
      .cost = OwnCost<v1::BatchRegisterHullsRequest>,
      .whole_cost = [](const auto& /*request*/) { return std::uint64_t{0}; },
      .reply_bytes =
          [](const auto& request, const Limits&) {
            return kMaxRowErrorBytes * static_cast<std::uint64_t>(request.names_size());
          },
      .plan = PlanBatchRegisterHulls,
      .conclude = ConcludeBatchRegisterHulls});
  Add(UnaryMethod<v1::GetShapeRequest, v1::GetShapeResponse>{
      .rpc = RpcMethod::kGetShape,
      .request_call = Requesting(shape_, &Shape::RequestGetShape),
      .answer = AtOnce(GetShape)});
  Add(UnaryMethod<v1::ListShapesRequest, v1::ListShapesResponse>{
      .rpc = RpcMethod::kListShapes,
      .request_call = Requesting(shape_, &Shape::RequestListShapes),
      .answer = AtOnce(ListShapes)});
  Add(UnaryMethod<v1::DeleteShapeRequest, v1::DeleteShapeResponse>{
      .rpc = RpcMethod::kDeleteShape,
      .request_call = Requesting(shape_, &Shape::RequestDeleteShape),
      .plan = AtOnce(PlanDeleteShape),
      .conclude = ConcludeDeleteShape});
}

void Methods::AddSceneMethods() {
  Add(ChangeMethod<v1::CreateSceneRequest, v1::CreateSceneResponse>(
      RpcMethod::kCreateScene, Requesting(scene_, &Scene::RequestCreateScene),
      OwnCost<v1::CreateSceneRequest>));
  Add(UnaryMethod<v1::GetSceneRequest, v1::GetSceneResponse>{
      .rpc = RpcMethod::kGetScene,
      .request_call = Requesting(scene_, &Scene::RequestGetScene),
      .cost = OwnCost<v1::GetSceneRequest>,
      .answer = AtOnce(GetScene)});
  Add(UnaryMethod<v1::ListScenesRequest, v1::ListScenesResponse>{
      .rpc = RpcMethod::kListScenes,
      .request_call = Requesting(scene_, &Scene::RequestListScenes),
      .answer = AtOnce(ListScenes)});
  const auto request =
      std::make_shared<const RequestWatchScene>(Requesting(scene_, &Scene::RequestWatchScene));
  serve_.emplace_back(
      [this, request](Poller& poller) { ServeSceneWatches(parts_, *request, poller); });
}

void Methods::AddSceneChangeMethods() {
  Add(ChangeMethod<v1::UpdateSceneRequest, v1::UpdateSceneResponse>(
      RpcMethod::kUpdateScene, Requesting(scene_, &Scene::RequestUpdateScene),
      OwnCost<v1::UpdateSceneRequest>));
  Add(ChangeMethod<v1::ForkSceneRequest, v1::ForkSceneResponse>(
      RpcMethod::kForkScene, Requesting(scene_, &Scene::RequestForkScene),
      AlwaysDear<v1::ForkSceneRequest>));
  // The call that removes the scene also gives up all that it held.
  Add(ChangeMethod<v1::DeleteSceneRequest, v1::DeleteSceneResponse>(
      RpcMethod::kDeleteScene, Requesting(scene_, &Scene::RequestDeleteScene),
      AlwaysDear<v1::DeleteSceneRequest>));
}

void Methods::AddSceneQueryMethods() {
  Add(QueryMethod<v1::CheckRequest, v1::CheckResponse>(
      RpcMethod::kCheck, Requesting(scene_query_, &SceneQuery::RequestCheck)));
  Add(QueryMethod<v1::MinimumDistanceRequest, v1::MinimumDistanceResponse>(
      RpcMethod::kMinimumDistance, Requesting(scene_query_, &SceneQuery::RequestMinimumDistance)));
  Add(QueryMethod<v1::NearestRequest, v1::NearestResponse>(
      RpcMethod::kNearest, Requesting(scene_query_, &SceneQuery::RequestNearest)));
  Add(QueryMethod<v1::OverlapRequest, v1::OverlapResponse>(
      RpcMethod::kOverlap, Requesting(scene_query_, &SceneQuery::RequestOverlap)));
  Add(QueryMethod<v1::SweepRequest, v1::SweepResponse>(
      RpcMethod::kSweep, Requesting(scene_query_, &SceneQuery::RequestSweep)));
  Add(QueryMethod<v1::RayRequest, v1::RayResponse>(
      RpcMethod::kRay, Requesting(scene_query_, &SceneQuery::RequestRay)));
}

}  // namespace clearance::server

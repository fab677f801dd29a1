// SPDX-License-Identifier: Apache-2.0

#include "server/transport/methods.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "server/convert/wire_errors.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/services/query_methods.h"
#include "server/services/scene_methods.h"
#include "server/services/server_info.h"
#include "server/services/shape_methods.h"
#include "server/session/batch_job.h"
#include "server/session/call_scope.h"
#include "server/session/shape_reference.h"
#include "server/transport/scene_watch.h"
#include "server/transport/session.h"
#include "server/transport/unary.h"

namespace clearance::server {
namespace {

using ServeOnPoller = std::function<void(Poller&)>;

template <class Request, class Response>
ServeOnPoller Serving(ServerParts& parts, UnaryMethod<Request, Response> method) {
  const auto kept = std::make_shared<const UnaryMethod<Request, Response>>(std::move(method));
  return [&parts, kept](Poller& poller) { ServeUnary(parts, *kept, poller); };
}

// Wraps an answer that leaves nothing to be done.
template <class Request, class Response>
auto AtOnce(absl::Status (*answer)(const CallScope&, const Request&, const StopRule&, Response*)) {
  return [answer](const CallScope& call, const Request& request, const StopRule& stop,
                  Response* response,
                  Parts* /*left*/) { return answer(call, request, stop, response); };
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

}  // namespace

Methods::Methods(ServerParts& parts, HealthBoard& health, bool shows_reflection)
    : shows_reflection_(shows_reflection) {
  AddQueryMethods(parts);
  AddShapeMethods(parts);
  AddSceneMethods(parts);
  AddSceneChangeMethods(parts);
  AddSceneQueryMethods(parts);
  AddSceneWatches(parts);
  AddServerMethods(parts);
  AddHealthMethods(health);
  if (shows_reflection_) AddReflection();
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
  for (const ServeOnPoller& serve : serve_) serve(poller);
}

void Methods::AddQueryMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::PairDistanceRequest, v1::PairDistanceResponse>{
                 .rpc = RpcMethod::kPairDistance,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       query_.RequestPairDistance(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = CostOfPairDistance,
                 .whole_cost =
                     [](const auto& request) {
                       return CostOf(request.a().shape()) + CostOf(request.b().shape());
                     },
                 .answer = AnswerPairDistance}));
  serve_.push_back(
      Serving(parts, QueryMethod<v1::DistanceRequest, v1::DistanceResponse>(
                         RpcMethod::kDistance,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           query_.RequestDistance(context, bytes, writer, queue, queue, tag);
                         })));
  serve_.push_back(
      Serving(parts, QueryMethod<v1::IntersectionRequest, v1::IntersectionResponse>(
                         RpcMethod::kIntersection,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           query_.RequestIntersection(context, bytes, writer, queue, queue, tag);
                         })));
  serve_.push_back(
      Serving(parts, QueryMethod<v1::TimeOfCollisionRequest, v1::TimeOfCollisionResponse>(
                         RpcMethod::kTimeOfCollision,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           query_.RequestTimeOfCollision(context, bytes, writer, queue, queue, tag);
                         })));
  const auto request = std::make_shared<const RequestSession>(
      [this](auto* context, auto* stream, auto* queue, void* tag) {
        query_.RequestSession(context, stream, queue, queue, tag);
      });
  serve_.emplace_back(
      [&parts, request](Poller& poller) { ServeSessions(parts, *request, poller); });
}

// Work that may build a hull is never cheap.
void Methods::AddShapeMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::RegisterShapeRequest, v1::RegisterShapeResponse>{
                 .rpc = RpcMethod::kRegisterShape,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestRegisterShape(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const CallScope&,
                            const v1::RegisterShapeRequest& request) { return CostOf(request); },
                 .plan = AtOnce(PlanRegisterShape),
                 .conclude = ConcludeRegisterShape}));
  serve_.push_back(Serving(
      parts,
      UnaryMethod<v1::BatchRegisterHullsRequest, v1::BatchRegisterHullsResponse>{
          .rpc = RpcMethod::kBatchRegisterHulls,
          .request_call =
              [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                shape_.RequestBatchRegisterHulls(context, bytes, writer, queue, queue, tag);
              },
          .cost = [](const CallScope&,
                     const v1::BatchRegisterHullsRequest& request) { return CostOf(request); },
          .whole_cost = [](const v1::BatchRegisterHullsRequest&) { return std::uint64_t{0}; },
          .reply_bytes =
              [](const auto& request, const Limits&) {
                return kMaxRowErrorBytes * static_cast<std::uint64_t>(request.names_size());
              },
          .plan = PlanBatchRegisterHulls,
          .conclude = ConcludeBatchRegisterHulls}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::GetShapeRequest, v1::GetShapeResponse>{
                 .rpc = RpcMethod::kGetShape,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestGetShape(context, bytes, writer, queue, queue, tag);
                     },
                 .answer = AtOnce(GetShape)}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::ListShapesRequest, v1::ListShapesResponse>{
                 .rpc = RpcMethod::kListShapes,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestListShapes(context, bytes, writer, queue, queue, tag);
                     },
                 .answer = AtOnce(ListShapes)}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::DeleteShapeRequest, v1::DeleteShapeResponse>{
                 .rpc = RpcMethod::kDeleteShape,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestDeleteShape(context, bytes, writer, queue, queue, tag);
                     },
                 .plan = AtOnce(PlanDeleteShape),
                 .conclude = ConcludeDeleteShape}));
}

void Methods::AddSceneMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts,
      UnaryMethod<v1::CreateSceneRequest, v1::CreateSceneResponse>{
          .rpc = RpcMethod::kCreateScene,
          .request_call =
              [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                scene_.RequestCreateScene(context, bytes, writer, queue, queue, tag);
              },
          .cost = [](const CallScope&,
                     const v1::CreateSceneRequest& request) { return CostOf(request); },
          .answer_or_plan =
              SceneChangeMethod<v1::CreateSceneRequest, v1::CreateSceneResponse>::Plan,
          .conclude =
              SceneChangeMethod<v1::CreateSceneRequest, v1::CreateSceneResponse>::Conclude}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::GetSceneRequest, v1::GetSceneResponse>{
                 .rpc = RpcMethod::kGetScene,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       scene_.RequestGetScene(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const CallScope&,
                            const v1::GetSceneRequest& request) { return CostOf(request); },
                 .answer = AtOnce(GetScene)}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::ListScenesRequest, v1::ListScenesResponse>{
                 .rpc = RpcMethod::kListScenes,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       scene_.RequestListScenes(context, bytes, writer, queue, queue, tag);
                     },
                 .answer = AtOnce(ListScenes)}));
}

void Methods::AddSceneChangeMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts,
      UnaryMethod<v1::UpdateSceneRequest, v1::UpdateSceneResponse>{
          .rpc = RpcMethod::kUpdateScene,
          .request_call =
              [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                scene_.RequestUpdateScene(context, bytes, writer, queue, queue, tag);
              },
          .cost = [](const CallScope&,
                     const v1::UpdateSceneRequest& request) { return CostOf(request); },
          .answer_or_plan =
              SceneChangeMethod<v1::UpdateSceneRequest, v1::UpdateSceneResponse>::Plan,
          .conclude =
              SceneChangeMethod<v1::UpdateSceneRequest, v1::UpdateSceneResponse>::Conclude}));
  serve_.push_back(Serving(
      parts,
      UnaryMethod<v1::ForkSceneRequest, v1::ForkSceneResponse>{
          .rpc = RpcMethod::kForkScene,
          .request_call =
              [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                scene_.RequestForkScene(context, bytes, writer, queue, queue, tag);
              },
          .cost = [](const CallScope&, const v1::ForkSceneRequest&) { return kDear; },
          .answer_or_plan = SceneChangeMethod<v1::ForkSceneRequest, v1::ForkSceneResponse>::Plan,
          .conclude = SceneChangeMethod<v1::ForkSceneRequest, v1::ForkSceneResponse>::Conclude}));
  serve_.push_back(Serving(
      parts,
      UnaryMethod<v1::DeleteSceneRequest, v1::DeleteSceneResponse>{
          .rpc = RpcMethod::kDeleteScene,
          .request_call =
              [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                scene_.RequestDeleteScene(context, bytes, writer, queue, queue, tag);
              },
          // The call that removes the scene also gives up all that it held.
          .cost = [](const CallScope&, const v1::DeleteSceneRequest&) { return kDear; },
          .answer_or_plan =
              SceneChangeMethod<v1::DeleteSceneRequest, v1::DeleteSceneResponse>::Plan,
          .conclude =
              SceneChangeMethod<v1::DeleteSceneRequest, v1::DeleteSceneResponse>::Conclude}));
}

void Methods::AddSceneQueryMethods(ServerParts& parts) {
  serve_.push_back(
      Serving(parts, QueryMethod<v1::CheckRequest, v1::CheckResponse>(
                         RpcMethod::kCheck,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           scene_query_.RequestCheck(context, bytes, writer, queue, queue, tag);
                         })));
  serve_.push_back(Serving(
      parts, QueryMethod<v1::MinimumDistanceRequest, v1::MinimumDistanceResponse>(
                 RpcMethod::kMinimumDistance,
                 [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                   scene_query_.RequestMinimumDistance(context, bytes, writer, queue, queue, tag);
                 })));
  serve_.push_back(
      Serving(parts, QueryMethod<v1::NearestRequest, v1::NearestResponse>(
                         RpcMethod::kNearest,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           scene_query_.RequestNearest(context, bytes, writer, queue, queue, tag);
                         })));
  serve_.push_back(
      Serving(parts, QueryMethod<v1::OverlapRequest, v1::OverlapResponse>(
                         RpcMethod::kOverlap,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           scene_query_.RequestOverlap(context, bytes, writer, queue, queue, tag);
                         })));
  serve_.push_back(
      Serving(parts, QueryMethod<v1::SweepRequest, v1::SweepResponse>(
                         RpcMethod::kSweep,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           scene_query_.RequestSweep(context, bytes, writer, queue, queue, tag);
                         })));
  serve_.push_back(
      Serving(parts, QueryMethod<v1::RayRequest, v1::RayResponse>(
                         RpcMethod::kRay,
                         [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                           scene_query_.RequestRay(context, bytes, writer, queue, queue, tag);
                         })));
}

void Methods::AddSceneWatches(ServerParts& parts) {
  const auto request = std::make_shared<const RequestWatchScene>(
      [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
        scene_.RequestWatchScene(context, bytes, writer, queue, queue, tag);
      });
  serve_.emplace_back(
      [&parts, request](Poller& poller) { ServeSceneWatches(parts, *request, poller); });
}

void Methods::AddServerMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::GetServerInfoRequest, v1::GetServerInfoResponse>{
                 .rpc = RpcMethod::kGetServerInfo,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       server_.RequestGetServerInfo(context, bytes, writer, queue, queue, tag);
                     },
                 .answer = AtOnce(GetServerInfo)}));
}

void Methods::AddHealthMethods(HealthBoard& health) {
  serve_.emplace_back([this, &health](Poller& poller) {
    ServeHealthChecks(health, health_, poller);
    ServeHealthWatches(health, health_, poller);
  });
}

void Methods::AddReflection() {
  serve_.emplace_back([this](Poller& poller) { ServeReflection(reflection_, poller); });
}

}  // namespace clearance::server

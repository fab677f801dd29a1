// SPDX-License-Identifier: Apache-2.0

#include "server/service/methods.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "server/service/query_methods.h"
#include "server/service/server_info.h"
#include "server/service/session.h"
#include "server/service/shape_methods.h"
#include "server/service/unary.h"

namespace clearance::server {
namespace {

using ServeOnPoller = std::function<void(Poller&)>;

template <class Request, class Response>
ServeOnPoller Serving(ServerParts& parts, UnaryMethod<Request, Response> method) {
  const auto kept = std::make_shared<const UnaryMethod<Request, Response>>(std::move(method));
  return [&parts, kept](Poller& poller) { ServeUnary(parts, *kept, poller); };
}

}  // namespace

Methods::Methods(ServerParts& parts) {
  AddQueryMethods(parts);
  AddShapeMethods(parts);
  AddServerMethods(parts);
}

void Methods::RegisterWith(grpc::ServerBuilder* builder) {
  builder->RegisterService(&query_);
  builder->RegisterService(&shape_);
  builder->RegisterService(&server_);
}

void Methods::ServeOn(Poller& poller) const {
  for (const ServeOnPoller& serve : serve_) serve(poller);
}

void Methods::AddQueryMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::DistanceRequest, v1::DistanceResponse>{
                 .rpc = RpcMethod::kDistance,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       query_.RequestDistance(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::DistanceRequest& request) { return CostOf(request); },
                 .answer = AnswerDistance}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::IntersectionRequest, v1::IntersectionResponse>{
                 .rpc = RpcMethod::kIntersection,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       query_.RequestIntersection(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::IntersectionRequest& request) { return CostOf(request); },
                 .answer = AnswerIntersection}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::TimeOfCollisionRequest, v1::TimeOfCollisionResponse>{
                 .rpc = RpcMethod::kTimeOfCollision,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       query_.RequestTimeOfCollision(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::TimeOfCollisionRequest& request) { return CostOf(request); },
                 .answer = AnswerTimeOfCollision}));
  const auto request = std::make_shared<const RequestSession>(
      [this](auto* context, auto* stream, auto* queue, void* tag) {
        query_.RequestSession(context, stream, queue, queue, tag);
      });
  serve_.emplace_back(
      [&parts, request](Poller& poller) { ServeSessions(parts, *request, poller); });
}

// Whatever may build a hull is never cheap.
void Methods::AddShapeMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::RegisterShapeRequest, v1::RegisterShapeResponse>{
                 .rpc = RpcMethod::kRegisterShape,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestRegisterShape(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::RegisterShapeRequest&) { return kDear; },
                 .answer = RegisterShape}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::BatchRegisterShapesRequest, v1::BatchRegisterShapesResponse>{
                 .rpc = RpcMethod::kBatchRegisterShapes,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestBatchRegisterShapes(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::BatchRegisterShapesRequest&) { return kDear; },
                 .answer = BatchRegisterShapes}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::GetShapeRequest, v1::GetShapeResponse>{
                 .rpc = RpcMethod::kGetShape,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestGetShape(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::GetShapeRequest&) { return std::uint64_t{0}; },
                 .answer = GetShape}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::ListShapesRequest, v1::ListShapesResponse>{
                 .rpc = RpcMethod::kListShapes,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestListShapes(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::ListShapesRequest&) { return std::uint64_t{0}; },
                 .answer = ListShapes}));
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::DeleteShapeRequest, v1::DeleteShapeResponse>{
                 .rpc = RpcMethod::kDeleteShape,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       shape_.RequestDeleteShape(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::DeleteShapeRequest&) { return std::uint64_t{0}; },
                 .answer = DeleteShape}));
}

void Methods::AddServerMethods(ServerParts& parts) {
  serve_.push_back(Serving(
      parts, UnaryMethod<v1::GetServerInfoRequest, v1::GetServerInfoResponse>{
                 .rpc = RpcMethod::kGetServerInfo,
                 .request_call =
                     [this](auto* context, auto* bytes, auto* writer, auto* queue, void* tag) {
                       server_.RequestGetServerInfo(context, bytes, writer, queue, queue, tag);
                     },
                 .cost = [](const v1::GetServerInfoRequest&) { return std::uint64_t{0}; },
                 .answer = GetServerInfo}));
}

}  // namespace clearance::server

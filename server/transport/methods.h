// SPDX-License-Identifier: Apache-2.0
//
// The services and the table of the methods' handlers.

#pragma once

#include <grpcpp/server_builder.h>

#include <functional>
#include <tuple>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/scene_query_service.grpc.pb.h"
#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "server/session/call_scope.h"
#include "server/transport/health.h"
#include "server/transport/poller.h"
#include "server/transport/streams.h"

namespace clearance::server {

// clearance's services, by their full names.
inline constexpr const char* kServices[] = {
    v1::QueryService::service_full_name(), v1::SceneService::service_full_name(),
    v1::SceneQueryService::service_full_name(), v1::ServerService::service_full_name(),
    v1::ShapeService::service_full_name()};

template <class Request>
struct UnaryMethod;

// Must outlive the server that it is registered with.
class Methods {
 public:
  // `parts` and `health` outlive this.
  Methods(ServerParts& parts, HealthBoard& health, bool shows_reflection);

  void RegisterWith(grpc::ServerBuilder* builder);

  // Lets a call of each method wait on the poller. Requires: the server runs, the poller's thread
  // does not run yet.
  void ServeOn(Poller& poller) const;

 private:
  template <class Request>
  void Add(UnaryMethod<Request> method);
  void AddQueryMethods();
  void AddShapeMethods();
  void AddSceneMethods();

  ServerParts& parts_;
  std::tuple<RawService<v1::QueryService>, RawService<v1::SceneService>,
             RawService<v1::SceneQueryService>, RawService<v1::ServerService>,
             RawService<v1::ShapeService>>
      services_;
  HealthService health_;
  ReflectionService reflection_;
  const bool shows_reflection_;
  std::vector<std::function<void(Poller&)>> serve_;
};

}  // namespace clearance::server

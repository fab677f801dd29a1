// SPDX-License-Identifier: Apache-2.0
//
// The generated services and the table of the methods' handlers. In clearance's services every
// method is raw, so that a message's size is known before it is parsed.

#pragma once

#include <grpcpp/server_builder.h>

#include <functional>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/scene_query_service.grpc.pb.h"
#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "server/session/call_scope.h"
#include "server/transport/health.h"
#include "server/transport/poller.h"
#include "server/transport/reflection.h"

namespace clearance::server {

// clearance's services, by their full names.
inline constexpr const char* kServices[] = {
    v1::QueryService::service_full_name(), v1::SceneService::service_full_name(),
    v1::SceneQueryService::service_full_name(), v1::ServerService::service_full_name(),
    v1::ShapeService::service_full_name()};

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
  using Query = v1::QueryService::WithRawMethod_PairDistance<
      v1::QueryService::WithRawMethod_Distance<v1::QueryService::WithRawMethod_Intersection<
          v1::QueryService::WithRawMethod_TimeOfCollision<
              v1::QueryService::WithRawMethod_Session<v1::QueryService::Service>>>>>;
  using Shape = v1::ShapeService::WithRawMethod_RegisterShape<
      v1::ShapeService::WithRawMethod_BatchRegisterHulls<
          v1::ShapeService::WithRawMethod_GetShape<v1::ShapeService::WithRawMethod_ListShapes<
              v1::ShapeService::WithRawMethod_DeleteShape<v1::ShapeService::Service>>>>>;
  using Scene =
      v1::SceneService::WithRawMethod_CreateScene<v1::SceneService::WithRawMethod_GetScene<
          v1::SceneService::WithRawMethod_ListScenes<v1::SceneService::WithRawMethod_UpdateScene<
              v1::SceneService::WithRawMethod_ForkScene<v1::SceneService::WithRawMethod_DeleteScene<
                  v1::SceneService::WithRawMethod_WatchScene<v1::SceneService::Service>>>>>>>;
  using SceneQuery = v1::SceneQueryService::WithRawMethod_Check<
      v1::SceneQueryService::WithRawMethod_MinimumDistance<
          v1::SceneQueryService::WithRawMethod_Nearest<v1::SceneQueryService::WithRawMethod_Overlap<
              v1::SceneQueryService::WithRawMethod_Sweep<
                  v1::SceneQueryService::WithRawMethod_Ray<v1::SceneQueryService::Service>>>>>>;
  using Server = v1::ServerService::WithRawMethod_GetServerInfo<v1::ServerService::Service>;

  template <class Method>
  void Add(Method method);
  void AddQueryMethods();
  void AddShapeMethods();
  void AddSceneMethods();
  void AddSceneChangeMethods();
  void AddSceneQueryMethods();

  ServerParts& parts_;
  Query query_;
  Shape shape_;
  Scene scene_;
  SceneQuery scene_query_;
  Server server_;
  HealthService health_;
  ReflectionService reflection_;
  const bool shows_reflection_;
  std::vector<std::function<void(Poller&)>> serve_;
};

}  // namespace clearance::server

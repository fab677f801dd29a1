// SPDX-License-Identifier: Apache-2.0
//
// The services, their streaming methods and the table of the methods' handlers. Health and
// reflection use the server's own queues too. gRPC's ready-made services would bring their own
// threads, which poll every connection. A message that one of them reads must be handed to the
// thread that answers it, which doubles the cost of a message of one row.

#pragma once

#include <grpcpp/server_builder.h>

#include <functional>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/scene_query_service.grpc.pb.h"
#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/session/call_scope.h"
#include "server/transport/call.h"
#include "server/transport/poller.h"

namespace clearance::server {

// clearance's services, by their full names.
inline constexpr const char* kServices[] = {
    v1::QueryService::service_full_name(), v1::SceneService::service_full_name(),
    v1::SceneQueryService::service_full_name(), v1::ServerService::service_full_name(),
    v1::ShapeService::service_full_name()};

using Health = grpc::health::v1::HealthCheckResponse::ServingStatus;

// Which services are healthy. Thread-safe.
class HealthBoard {
 public:
  // Returns SERVICE_UNKNOWN for a service that was never set. "" is the server as a whole.
  Health Of(const std::string& service);

  // No effect once all are unhealthy for good.
  void Set(const std::string& service, bool is_healthy);
  // Makes all unhealthy for good.
  void TurnUnhealthy();

 private:
  std::mutex mutex_;  // guards the rest
  absl::flat_hash_map<std::string, Health> services_;
  bool is_unhealthy_ = false;
};

using HealthService = RawService<grpc::health::v1::Health>;
using ReflectionService = RawService<grpc::reflection::v1alpha::ServerReflection>;

// Each of these coroutines waits for a call on the poller, serves it to its end and meanwhile lets
// another one wait. It ends when the server shuts down. All references outlive it.

// QueryService.Session.
Detached ServeSessions(ServerParts& parts, RawService<v1::QueryService>& service, Poller& poller);

// SceneService.WatchScene. A watcher sleeps until the registry tells it of news. The next message
// is made when the previous one was taken, so nothing piles up for a slow watcher.
Detached ServeSceneWatches(ServerParts& parts, RawService<v1::SceneService>& service,
                           Poller& poller);

// grpc.health.v1, for any client. A watch looks at the board whenever the poller looks again. One
// that is open when the server drains is told so and ends with UNAVAILABLE.
Detached ServeHealthChecks(HealthBoard& board, HealthService& service, Poller& poller);
Detached ServeHealthWatches(HealthBoard& board, HealthService& service, Poller& poller);

// grpc.reflection.v1alpha: describes the services to tools like grpcurl, for any client. Streams
// end with UNAVAILABLE when the server drains.
Detached ServeReflection(ReflectionService& service, Poller& poller);

// Returns the answer to one question. Any number of threads may call it.
grpc::reflection::v1alpha::ServerReflectionResponse AnswerReflection(
    const grpc::reflection::v1alpha::ServerReflectionRequest& request);

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

// SPDX-License-Identifier: Apache-2.0
//
// The generated services with every method raw, so that a message's size is known before it is
// parsed, and the table of what answers each.

#ifndef CLEARANCE_SERVER_SERVICE_METHODS_H_
#define CLEARANCE_SERVER_SERVICE_METHODS_H_

#include <grpcpp/server_builder.h>

#include <functional>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "server/service/call.h"
#include "server/service/poller.h"

namespace clearance::server {

// Must outlive the server that it is registered with.
class Methods {
 public:
  // `parts` outlives this.
  explicit Methods(ServerParts& parts);
  Methods(const Methods&) = delete;
  Methods& operator=(const Methods&) = delete;

  void RegisterWith(grpc::ServerBuilder* builder);

  // Lets a call of each method wait on the poller. Requires: the server runs, the poller's thread
  // does not yet.
  void ServeOn(Poller& poller) const;

 private:
  using Query = v1::QueryService::WithRawMethod_Distance<
      v1::QueryService::WithRawMethod_Intersection<v1::QueryService::WithRawMethod_TimeOfCollision<
          v1::QueryService::WithRawMethod_Session<v1::QueryService::Service>>>>;
  using Shape = v1::ShapeService::WithRawMethod_RegisterShape<
      v1::ShapeService::WithRawMethod_BatchRegisterShapes<
          v1::ShapeService::WithRawMethod_GetShape<v1::ShapeService::WithRawMethod_ListShapes<
              v1::ShapeService::WithRawMethod_DeleteShape<v1::ShapeService::Service>>>>>;
  using Server = v1::ServerService::WithRawMethod_GetServerInfo<v1::ServerService::Service>;

  void AddQueryMethods(ServerParts& parts);
  void AddShapeMethods(ServerParts& parts);
  void AddServerMethods(ServerParts& parts);

  Query query_;
  Shape shape_;
  Server server_;
  std::vector<std::function<void(Poller&)>> serve_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_METHODS_H_

// SPDX-License-Identifier: Apache-2.0
//
// The streaming methods. Each of these coroutines waits for a call on the poller, serves it to its
// end and meanwhile lets another one wait. It ends when the server shuts down. All references
// outlive it.

#pragma once

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/scene_service.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/session/call_scope.h"
#include "server/transport/call.h"

namespace clearance::server {

// QueryService.Session.
Detached ServeSessions(ServerParts& parts, RawService<v1::QueryService>& service, Poller& poller);

// SceneService.WatchScene. A watcher sleeps until the registry tells it of news. The next message
// is made when the previous one was taken, so nothing piles up for a slow watcher.
Detached ServeSceneWatches(ServerParts& parts, RawService<v1::SceneService>& service,
                           Poller& poller);

// grpc.reflection.v1alpha: describes the services to tools like grpcurl, for any client. Runs on
// the server's own queues for the reason in health.h, and so that a stream costs no thread. Streams
// end with UNAVAILABLE when the server drains.
using ReflectionService = RawService<grpc::reflection::v1alpha::ServerReflection>;
Detached ServeReflection(ReflectionService& service, Poller& poller);

// Returns the answer to one question. Any number of threads may call it.
grpc::reflection::v1alpha::ServerReflectionResponse AnswerReflection(
    const grpc::reflection::v1alpha::ServerReflectionRequest& request);

}  // namespace clearance::server

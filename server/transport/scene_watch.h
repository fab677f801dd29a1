// SPDX-License-Identifier: Apache-2.0
//
// SceneService.WatchScene: a coroutine for each watcher, which sleeps until the registry tells it
// of news. The next message is made when the previous one was taken, so nothing piles up for a slow
// watcher.

#pragma once

#include <grpcpp/support/async_stream.h>

#include <functional>

#include "server/session/call_scope.h"
#include "server/transport/call.h"

namespace clearance::server {

using SceneWriter = grpc::ServerAsyncWriter<grpc::ByteBuffer>;

// Asks gRPC for the next call: the generated service's RequestWatchScene.
using RequestWatchScene = std::function<void(grpc::ServerContext*, grpc::ByteBuffer*, SceneWriter*,
                                             grpc::ServerCompletionQueue*, void* tag)>;

// Waits for a watcher on this poller, tells it of its scene to the end and meanwhile lets another
// one wait. Ends when the server shuts down. All references outlive it.
Detached ServeSceneWatches(ServerParts& parts, const RequestWatchScene& request, Poller& poller);

}  // namespace clearance::server

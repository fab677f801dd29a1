// SPDX-License-Identifier: Apache-2.0
//
// The Session stream: one coroutine per session.

#pragma once

#include <grpcpp/support/async_stream.h>

#include <functional>

#include "server/session/call_scope.h"
#include "server/transport/call.h"

namespace clearance::server {

using SessionStream = grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

// Asks gRPC for the next session: the generated service's RequestSession.
using RequestSession = std::function<void(grpc::ServerContext*, SessionStream*,
                                          grpc::ServerCompletionQueue*, void* tag)>;

// Waits for a session on this poller, serves it to its end and meanwhile lets another one wait.
// Ends when the server shuts down. All references outlive it.
Detached ServeSessions(ServerParts& parts, const RequestSession& request, Poller& poller);

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// Ends calls that gRPC 1.51 would forget. While Server::Shutdown() begins, there is a moment when
// nothing waits for calls any more but calls are still queued. A call that comes then is never
// reported, and its caller waits until the deadline. The server ends such queued calls whenever one
// of its channels goes (Server::MaybeFinishShutdown), so this makes some channels that go.

#pragma once

#include <grpcpp/server.h>

#include <chrono>

#include "server/observe/periodic_thread.h"

namespace clearance::server {

// Lives from before a server's Shutdown() until after it. The calls end with CANCELLED, unserved.
class LateCalls {
 public:
  explicit LateCalls(grpc::Server* server)
      : thread_(kInterval, [server](bool /*is_asked*/) { server->InProcessChannel({}); }) {}

 private:
  // The longest time that a call may be forgotten.
  static constexpr std::chrono::milliseconds kInterval{50};

  PeriodicThread thread_;
};

}  // namespace clearance::server

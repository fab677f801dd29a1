// SPDX-License-Identifier: Apache-2.0
//
// Ends calls that gRPC 1.51 would forget. While Server::Shutdown() begins, there is a moment when
// nothing waits for calls any more but calls are still queued. A call that comes then is never
// reported, and its caller waits until the deadline. The server ends such queued calls whenever one
// of its channels goes (Server::MaybeFinishShutdown), so this makes some channels that go.

#pragma once

#include <grpcpp/server.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace clearance::server {

// Lives from before a server's Shutdown() until after it. The calls end with CANCELLED, unserved.
class LateCalls {
 public:
  explicit LateCalls(grpc::Server* server) : thread_([this, server] { EndThem(server); }) {}
  ~LateCalls();
  LateCalls(const LateCalls&) = delete;
  LateCalls& operator=(const LateCalls&) = delete;

 private:
  void EndThem(grpc::Server* server);

  std::mutex mutex_;  // guards the next
  bool is_over_ = false;
  std::condition_variable changed_;
  std::thread thread_;  // the last: it uses the rest
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// The gRPC server: its port, its completion queues with one polling thread each, its workers, and
// the methods of the three services. With grpc.health.v1 and reflection.

#ifndef CLEARANCE_SERVER_SERVICE_GRPC_SERVER_H_
#define CLEARANCE_SERVER_SERVICE_GRPC_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/config/limits.h"
#include "server/engine/answer_check.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"

namespace clearance::server {

struct GrpcServerOptions {
  std::string listen_address = "127.0.0.1:0";  // port 0: any free one
  int polling_threads = 2;                     // one a core
  int worker_threads = 2;                      // for hulls and large batches
  AnswerChecker* checker = nullptr;            // outlives the server; null: no answer is checked
};

// Thread-compatible.
class GrpcServer {
 public:
  // Serves at once. The references outlive the server. UNAVAILABLE where the address cannot be
  // bound.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           const Limits& limits, Registry& registry,
                                                           Metrics& metrics);
  // As Shutdown at once.
  ~GrpcServer();

  int port() const;

  // Health turns to NOT_SERVING for good; everything is served as before, until balancers notice.
  void TurnUnhealthy();

  // Health turns to NOT_SERVING, and each session ends with UNAVAILABLE after the message it is on.
  // Unary calls go on being answered until Shutdown. Has an effect once.
  void BeginDrain();

  // Accepts nothing more, waits for calls until the deadline, cancels what is left then, and joins
  // every thread.
  void Shutdown(absl::Time deadline);

 private:
  class Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_GRPC_SERVER_H_

// SPDX-License-Identifier: Apache-2.0
//
// The gRPC server: its port, its completion queues with one polling thread each, its workers, and
// the methods of the five services. Also serves grpc.health.v1 and reflection.

#pragma once

#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/authenticator.h"
#include "server/config/server_config.h"
#include "server/engine/answer_check.h"
#include "server/schedule/accept_loop.h"
#include "server/storage/shape_ledger.h"
#include "server/transport/tls_certificates.h"

namespace clearance::server {

// The settings, of which the numbers of threads are not 0 and `reflection` is not kAuto, and the
// parts that outlive the server.
struct GrpcServerOptions {
  const ServerConfig& config;              // need not outlive Start()
  AcceptLoop* accept_loop = nullptr;       // null: gRPC listens on config.listen itself
  TlsCertificates* tls = nullptr;          // null: plain text
  AnswerChecker* checker = nullptr;        // null: no answer is checked
  Authenticator* authenticator = nullptr;  // null: any call may do everything
  Log* log = nullptr;                      // null: nothing is logged
  ShapeLedger* ledger = nullptr;           // knows scenes; null: shapes and scenes live in memory
  Liveness* liveness = nullptr;            // watches the server's loops
};

// Thread-compatible.
class GrpcServer {
 public:
  // Serves at once. The references outlive the server. UNAVAILABLE if the address cannot be bound.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           Registry& registry, Metrics& metrics);
  // As Shutdown() with no patience.
  virtual ~GrpcServer() = default;

  virtual int port() const = 0;

  // Returns a new channel inside the process, for a few calls: it becomes idle, and ends, as
  // connections do. Its calls take the path of all others, as calls of a separate address. A larger
  // reply is RESOURCE_EXHAUSTED. Thread-safe, until Shutdown.
  virtual std::shared_ptr<grpc::Channel> ChannelToItself(std::uint64_t most_reply_bytes) = 0;

  // Turns health to NOT_SERVING for good; everything is served as before, until balancers notice.
  virtual void TurnUnhealthy() = 0;

  // Turns health to NOT_SERVING, and ends each session with UNAVAILABLE after the message it is on.
  // Unary calls are answered until Shutdown. Has an effect once.
  virtual void BeginDrain() = 0;

  // Stops accepting, waits that long for calls, cancels those left then, and joins every thread.
  virtual void Shutdown(absl::Duration patience) = 0;
};

}  // namespace clearance::server

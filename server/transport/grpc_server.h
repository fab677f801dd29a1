// SPDX-License-Identifier: Apache-2.0
//
// The gRPC server: its port, its completion queues with one polling thread each, its workers, and
// the methods of the five services. Also serves grpc.health.v1 and reflection.

#pragma once

#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/authenticator.h"
#include "server/config/limits.h"
#include "server/engine/answer_check.h"
#include "server/observe/liveness.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/schedule/accept_loop.h"
#include "server/storage/shape_ledger.h"
#include "server/transport/tls_certificates.h"

namespace clearance::server {

struct GrpcServerOptions {
  // Accepts connections, and outlives the server. Null: gRPC listens on listen_address itself.
  AcceptLoop* accept_loop = nullptr;
  std::string listen_address = "127.0.0.1:0";       // host:port or unix:path
  TlsCertificates* tls = nullptr;                   // outlives the server; null: plain text
  bool reflection = true;                           // shows the services to any client
  std::uint64_t max_streams_per_connection = 1024;  // as gRPC tells clients
  absl::Duration first_message_timeout = absl::InfiniteDuration();  // of a session
  absl::Duration max_connection_idle = absl::Minutes(5);
  absl::Duration max_connection_age = absl::InfiniteDuration();
  absl::Duration max_connection_age_grace = absl::InfiniteDuration();  // then its calls end
  int polling_threads = 2;                                             // for small messages
  int worker_threads = 2;                              // for hulls and large batches
  int worker_niceness = 0;                             // to other threads: RunNicely()
  absl::Duration max_pending_work = absl::Minutes(2);  // of messages at workers, by estimate
  std::uint64_t max_total_bytes_in_flight = kGibibyte;
  std::uint64_t max_total_session_bytes = 2 * kGibibyte;
  AnswerChecker* checker = nullptr;        // outlives the server; null: no answer is checked
  Authenticator* authenticator = nullptr;  // outlives the server; null: any call may do everything
  Log* log = nullptr;                      // outlives the server; null: nothing is logged
  // Outlives the server, and knows scenes; null: shapes and scenes live in memory.
  ShapeLedger* ledger = nullptr;
  bool healthy_without_store = true;  // as a whole; false: only while changes can be stored
  Liveness* liveness = nullptr;       // outlives the server; watches its loops
};

// Thread-compatible.
class GrpcServer {
 public:
  // Serves at once. The references outlive the server. UNAVAILABLE if the address cannot be bound.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           const Limits& limits, Registry& registry,
                                                           Metrics& metrics);
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

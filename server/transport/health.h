// SPDX-License-Identifier: Apache-2.0
//
// grpc.health.v1 on the server's own queues. gRPC's ready-made service would bring its own threads,
// which poll every connection too. A message that one of them reads must be handed to the thread
// that answers it, which doubles the cost of a message of one row.

#pragma once

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/transport/call.h"
#include "server/transport/poller.h"

namespace clearance::server {

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

// Answer any client, and let a call wait on the poller, until the server shuts down. A watch looks
// at the board whenever the poller looks again. One that is open when the server drains is told so
// and ends with UNAVAILABLE. All references outlive them.
Detached ServeHealthChecks(HealthBoard& board, HealthService& service, Poller& poller);
Detached ServeHealthWatches(HealthBoard& board, HealthService& service, Poller& poller);

}  // namespace clearance::server

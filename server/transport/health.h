// SPDX-License-Identifier: Apache-2.0
//
// grpc.health.v1 on the server's own queues. gRPC's ready-made service would bring its own threads,
// which poll every connection too. A message that one of them reads must be handed to the thread
// that answers it, which doubles the cost of a message of one row.

#pragma once

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/transport/call.h"
#include "server/transport/poller.h"

namespace clearance::server {

using Health = grpc::health::v1::HealthCheckResponse::ServingStatus;

// Which services are healthy, and the watches that wait for a change. Thread-safe.
class HealthBoard {
 public:
  // Returns SERVICE_UNKNOWN for a service that was never set. "" is the server as a whole.
  Health Of(const std::string& service);

  // No effect once all are unhealthy for good.
  void Set(const std::string& service, bool is_healthy);
  // Makes all unhealthy for good.
  void TurnUnhealthy();

  // Wakes the signal at each change, until it is removed.
  void Add(Signal* watch);
  void Remove(Signal* watch);

 private:
  void WakeAll();  // requires: mutex_ is held

  std::mutex mutex_;  // guards the rest
  absl::flat_hash_map<std::string, Health> services_;
  absl::flat_hash_set<Signal*> watches_;
  bool is_unhealthy_ = false;
};

using HealthService = RawService<grpc::health::v1::Health>;

// Answer any client, and let a call wait on the poller, until the server shuts down. A watch that
// is open when the server drains is told so and ends with UNAVAILABLE. All references outlive them.
Detached ServeHealthChecks(HealthBoard& board, HealthService& service, Poller& poller);
Detached ServeHealthWatches(HealthBoard& board, HealthService& service, Poller& poller);

}  // namespace clearance::server

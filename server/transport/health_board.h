// SPDX-License-Identifier: Apache-2.0
//
// Which services are healthy, and the watches that wait for a change.

#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "grpc/health/v1/health.pb.h"
#include "server/transport/completion.h"

namespace clearance::server {

using Health = grpc::health::v1::HealthCheckResponse::ServingStatus;

class HealthWatch;

// Thread-safe; outlives its watches.
class HealthBoard {
 public:
  // Returns SERVICE_UNKNOWN for a service that was never set. "" is the server as a whole.
  Health Of(const std::string& service);

  // No effect once all are unhealthy for good.
  void Set(const std::string& service, bool is_healthy);
  // Makes all unhealthy for good.
  void TurnUnhealthy();

 private:
  friend class HealthWatch;
  void WakeAll();

  std::mutex mutex_;  // guards the rest
  absl::flat_hash_map<std::string, Health> services_;
  absl::flat_hash_set<HealthWatch*> waiting_;
  bool is_unhealthy_ = false;
};

// Lets one coroutine wait for the next change of the board: Start(), look at the board, await
// changed(). Used on the queue's polling thread alone.
class HealthWatch {
 public:
  HealthWatch(HealthBoard& board, grpc::CompletionQueue* queue) : board_(board), queue_(queue) {}
  // Requires: changed() is not pending.
  ~HealthWatch() = default;
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;

  // From here on every change is noticed.
  void Start();
  // Completes changed() even if nothing changes.
  void Stop();

  Operation& changed() { return changed_; }

 private:
  friend class HealthBoard;
  void Wake();  // requires: the board's mutex is held

  HealthBoard& board_;
  grpc::CompletionQueue* const queue_;
  Operation changed_;
  grpc::Alarm alarm_;
};

}  // namespace clearance::server

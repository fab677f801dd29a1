// SPDX-License-Identifier: Apache-2.0

#include "server/transport/health_board.h"

#include <grpc/support/time.h>

namespace clearance::server {

using grpc::health::v1::HealthCheckResponse;

Health HealthBoard::Of(const std::string& service) {
  const std::lock_guard lock(mutex_);
  const auto found = services_.find(service);
  return found == services_.end() ? HealthCheckResponse::SERVICE_UNKNOWN : found->second;
}

void HealthBoard::Set(const std::string& service, bool is_healthy) {
  const std::lock_guard lock(mutex_);
  if (is_unhealthy_) return;
  services_[service] = is_healthy ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
  WakeAll();
}

void HealthBoard::TurnUnhealthy() {
  const std::lock_guard lock(mutex_);
  is_unhealthy_ = true;
  for (auto& [service, health] : services_) health = HealthCheckResponse::NOT_SERVING;
  WakeAll();
}

void HealthBoard::WakeAll() {
  for (HealthWatch* const watch : waiting_) watch->Wake();
  waiting_.clear();
}

void HealthWatch::Start() {
  if (changed_.is_pending()) return;
  changed_.Start();
  const std::lock_guard lock(board_.mutex_);
  board_.waiting_.insert(this);
}

void HealthWatch::Stop() {
  const std::lock_guard lock(board_.mutex_);
  if (board_.waiting_.erase(this) > 0) Wake();
}

void HealthWatch::Wake() {
  alarm_.Set(queue_, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(&changed_));
}

}  // namespace clearance::server

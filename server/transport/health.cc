// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "server/transport/methods.h"

namespace clearance::server {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// Longer than any name of a service.
constexpr std::size_t kMaxHealthBytes = 256;

grpc::ByteBuffer ResponseOf(Health health) {
  HealthCheckResponse response;
  response.set_status(health);
  return SerializeMessage(response);
}

// Sleeps until its own end, which the poller interrupts when there may be news.
struct HealthWatch : RawCall<StreamWriter> {
  explicit HealthWatch(Poller& poller) : on_look(poller, [this] { end.Interrupt(); }) {}

  CallEnd end{context};
  Poller::Hook on_look;
};

}  // namespace

Health HealthBoard::Of(const std::string& service) {
  const std::lock_guard lock(mutex_);
  const auto found = services_.find(service);
  return found == services_.end() ? HealthCheckResponse::SERVICE_UNKNOWN : found->second;
}

void HealthBoard::Set(const std::string& service, bool is_healthy) {
  const std::lock_guard lock(mutex_);
  if (is_unhealthy_) return;
  services_[service] = is_healthy ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

void HealthBoard::TurnUnhealthy() {
  const std::lock_guard lock(mutex_);
  is_unhealthy_ = true;
  for (auto& [service, health] : services_) health = HealthCheckResponse::NOT_SERVING;
}

Detached ServeHealthChecks(HealthBoard& board, HealthService& service, Poller& poller) {
  const Poller::Presence presence(poller);
  RawCall<UnaryWriter> call;
  service.Request(service.IndexOf("Check"), &call, poller.queue());
  if (!co_await call.requested) co_return;
  ServeHealthChecks(board, service, poller);

  HealthCheckRequest request;
  grpc::Status status = TakeShort(&call.incoming, kMaxHealthBytes, &request);
  const Health health = board.Of(request.service());
  if (status.ok() && health == HealthCheckResponse::SERVICE_UNKNOWN) {
    status = grpc::Status(grpc::StatusCode::NOT_FOUND, "unknown service");
  }
  call.stream.Finish(ResponseOf(health), status, call.finished.Start());
  co_await call.finished;
}

Detached ServeHealthWatches(HealthBoard& board, HealthService& service, Poller& poller) {
  const Poller::Presence presence(poller);
  HealthWatch call(poller);
  call.end.Await();
  service.Request(service.IndexOf("Watch"), &call, poller.queue());
  if (!co_await call.requested) co_return;
  ServeHealthWatches(board, service, poller);

  HealthCheckRequest request;
  grpc::Status status = TakeShort(&call.incoming, kMaxHealthBytes, &request);
  std::optional<Health> told;
  while (status.ok() && call.end.is_pending()) {
    if (const Health health = board.Of(request.service()); health != told) {
      told = health;
      call.stream.Write(ResponseOf(health), call.written.Start());
      if (!co_await call.written) break;
    } else if (poller.is_draining()) {
      status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining");
    } else {
      co_await call.end;
    }
  }
  call.stream.Finish(status, call.finished.Start());
  co_await call.finished;
  while (call.end.is_pending()) co_await call.end;
}

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0

#include "server/transport/health_methods.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>

#include <optional>
#include <string>

#include "server/transport/call.h"

namespace clearance::server {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// Longer than any name of a service.
constexpr std::size_t kMaxHealthBytes = 256;

struct CheckCall {
  grpc::ServerContext context;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> writer{&context};
  Operation requested, finished;
  grpc::ByteBuffer request;
};

struct WatchCall {
  WatchCall(HealthBoard& board, Poller& poller)
      : watch(board, poller.queue()),
        end(context, &watch.changed()),
        on_drain(poller, watch.changed()) {}

  grpc::ServerContext context;
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer{&context};
  HealthWatch watch;
  CallEnd end;
  Operation requested, written, finished;
  Poller::Watch on_drain;
  grpc::ByteBuffer request;
};

// Takes the name of the requested service.
grpc::Status TakeService(grpc::ByteBuffer* bytes, std::string* service) {
  HealthCheckRequest request;
  if (bytes->Length() > kMaxHealthBytes) {
    bytes->Clear();
    return {grpc::StatusCode::INVALID_ARGUMENT, "the service's name is longer than any"};
  }
  if (!ParseMessage(bytes, &request)) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "malformed HealthCheckRequest"};
  }
  *service = request.service();
  return grpc::Status::OK;
}

grpc::ByteBuffer ResponseOf(Health health) {
  HealthCheckResponse response;
  response.set_status(health);
  return SerializeMessage(response);
}

}  // namespace

Detached ServeHealthChecks(HealthBoard& board, HealthService& service, Poller& poller) {
  const Poller::Presence presence(poller);
  CheckCall call;
  service.RequestCheck(&call.context, &call.request, &call.writer, poller.queue(), poller.queue(),
                       call.requested.Start());
  if (!co_await call.requested) co_return;
  ServeHealthChecks(board, service, poller);

  std::string name;
  grpc::Status status = TakeService(&call.request, &name);
  const Health health = board.Of(name);
  if (status.ok() && health == HealthCheckResponse::SERVICE_UNKNOWN) {
    status = grpc::Status(grpc::StatusCode::NOT_FOUND, "unknown service");
  }
  call.writer.Finish(ResponseOf(health), status, call.finished.Start());
  co_await call.finished;
}

Detached ServeHealthWatches(HealthBoard& board, HealthService& service, Poller& poller) {
  const Poller::Presence presence(poller);
  WatchCall call(board, poller);
  call.end.Await();
  service.RequestWatch(&call.context, &call.request, &call.writer, poller.queue(), poller.queue(),
                       call.requested.Start());
  if (!co_await call.requested) co_return;
  ServeHealthWatches(board, service, poller);

  std::string name;
  grpc::Status status = TakeService(&call.request, &name);
  std::optional<Health> told;
  Operation& changed = call.watch.changed();
  while (status.ok() && call.end.is_pending()) {
    call.watch.Start();
    const bool is_last = poller.is_draining();
    const Health health = board.Of(name);
    if (health != told) {
      told = health;
      call.writer.Write(ResponseOf(health), call.written.Start());
      if (!co_await call.written) break;
    }
    if (is_last) status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining");
    // Does not wait for an event that happened during the write.
    if (!is_last && !poller.is_draining() && call.end.is_pending()) co_await changed;
  }
  call.watch.Stop();
  // An interrupt may come before the completion does.
  while (changed.is_pending()) co_await changed;
  call.writer.Finish(status, call.finished.Start());
  co_await call.finished;
  co_await call.end;
}

}  // namespace clearance::server

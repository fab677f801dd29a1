// SPDX-License-Identifier: Apache-2.0
//
// Unary methods: one coroutine serves them all, whatever their messages.

#ifndef CLEARANCE_SERVER_SERVICE_UNARY_H_
#define CLEARANCE_SERVER_SERVICE_UNARY_H_

#include <google/protobuf/arena.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <functional>
#include <string>

#include "server/guard/refusal.h"
#include "server/service/call.h"
#include "server/service/completion.h"
#include "server/service/poller.h"

namespace clearance::server {

using UnaryWriter = grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>;

// One method: how gRPC is asked for its next call, what a call costs (in units of kMaxCheapCost),
// and its answer.
template <class Request, class Response>
struct UnaryMethod {
  RpcMethod rpc;
  std::function<void(grpc::ServerContext*, grpc::ByteBuffer*, UnaryWriter*,
                     grpc::ServerCompletionQueue*, void* tag)>
      request_call;
  std::function<std::uint64_t(const Request&)> cost;
  std::function<absl::Status(const ServerParts&, const Request&, const StopRule&, Response*)>
      answer;
};

// One call: its operations and its bytes.
struct UnaryCall {
  grpc::ServerContext context;
  UnaryWriter writer{&context};
  CallEnd end{context};
  Operation requested, finished;
  grpc::ByteBuffer incoming;
};

template <class Request>
absl::Status TakeRequest(grpc::ByteBuffer* bytes, const Limits& limits, Request* request) {
  if (absl::Status status = CheckSize(*bytes, limits); !status.ok()) return status;
  if (ParseMessage(bytes, request)) return absl::OkStatus();
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.field = "",
                 .value = "",
                 .limit = "a " + std::string(request->GetTypeName()),
                 .message = "The bytes are no message of this method."});
}

// Waits for calls of the method on this poller, serves them and lets another wait meanwhile. Ends
// when the server shuts down. All references outlive it.
template <class Request, class Response>
Detached ServeUnary(ServerParts& parts, const UnaryMethod<Request, Response>& method,
                    Poller& poller) {
  const Poller::Presence presence(poller);
  UnaryCall call;
  call.end.Await();
  method.request_call(&call.context, &call.incoming, &call.writer, poller.queue(),
                      call.requested.Start());
  if (!co_await call.requested) co_return;
  ServeUnary(parts, method, poller);

  CallAccount account(parts.metrics.Rpc(method.rpc));
  account.MessageReceived();
  const absl::Time deadline = absl::FromChrono(call.context.deadline());
  const StopRule stop(call.end, absl::Now(), deadline);
  google::protobuf::Arena arena;
  auto* const request = google::protobuf::Arena::CreateMessage<Request>(&arena);
  auto* const response = google::protobuf::Arena::CreateMessage<Response>(&arena);
  absl::Status status = TakeRequest(&call.incoming, parts.limits, request);
  if (status.ok()) {
    Placed answering({parts.workers, poller.queue(), method.cost(*request) <= kMaxCheapCost},
                     [&] { status = method.answer(parts, *request, stop, response); });
    co_await answering;
  }
  if (status.ok()) {
    call.writer.Finish(SerializeMessage(*response), grpc::Status::OK, call.finished.Start());
  } else {
    call.writer.FinishWithError(ToGrpcStatus(status), call.finished.Start());
  }
  if (co_await call.finished && status.ok()) account.MessageSent();
  co_await call.end;
  account.EndsWith(EndCode(call.end, deadline, status.code()));
}

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_UNARY_H_

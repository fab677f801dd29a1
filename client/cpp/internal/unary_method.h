// SPDX-License-Identifier: Apache-2.0
//
// A unary method as a callable, which repeats the call if the connection is set to.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "internal/backoff.h"
#include "internal/connection.h"
#include "internal/poll_channel.h"
#include "internal/query_convert.h"
#include "internal/status_convert.h"
#include "internal/steady_clock.h"

namespace clearance::client {

// The common terms of all calls of one handle.
struct Terms {
  absl::Duration timeout;
  const CallIds& ids;
};

// One blocking call of a generated stub's method.
template <class Stub, class Request, class Response>
struct Method {
  grpc::Status (Stub::*call)(grpc::ClientContext*, const Request&, Response*);

  // Repeats the call if the connection is set to.
  absl::StatusOr<Response> operator()(const Connection& connection, const Request& request,
                                      const Terms& terms) const {
    if (!connection.options.retry) return Once(connection, request, terms);
    const SteadyTime deadline = SteadyNow() + terms.timeout;
    Backoff backoff(terms.timeout);
    while (true) {
      absl::StatusOr<Response> response =
          Once(connection, request, {deadline - SteadyNow(), terms.ids});
      if (!IsWorthRepeating(response.status())) return response;
      const std::optional<absl::Duration> wait = backoff.AfterFailure(SteadyNow());
      if (!wait || SteadyNow() + *wait >= deadline) return response;
      PollChannelUntil(SteadyNow() + *wait, *connection.channel, [] { return false; });
    }
  }

  absl::StatusOr<Response> Once(const Connection& connection, const Request& request,
                                const Terms& terms) const {
    Stub& stub = connection.stub<Stub>();
    grpc::ClientContext context;
    connection.Prepare(terms.timeout, terms.ids, &context);
    Response response;
    const grpc::Status status = (stub.*call)(&context, request, &response);
    if (!status.ok()) return FromGrpc(status, context);
    return response;
  }
};

template <class Stub, class Request, class Response>
Method(grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*))
    -> Method<Stub, Request, Response>;

// Returns the answer to a batch that was sent whole.
template <class Batch, class Response>
absl::StatusOr<typename Batch::Result> TakeResult(const absl::StatusOr<Response>& response) {
  if (!response.ok()) return response.status();
  typename Batch::Result result;
  AppendRows<Batch>(response->result(), 0, &result);
  return result;
}

}  // namespace clearance::client

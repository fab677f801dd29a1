// SPDX-License-Identifier: Apache-2.0
//
// Every call passes here, and only here, before anything is done for it. The file also has what all
// calls hold while they are served.

#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "server/access/authenticator.h"
#include "server/guard/caller.h"
#include "server/guard/share_ledger.h"
#include "server/observe/metrics.h"
#include "server/session/call_scope.h"
#include "server/transport/call.h"
#include "server/transport/offload.h"

namespace clearance::server {

// Finds out who calls, whether their role allows the method, and under which id the call goes.
// Thread-compatible; everything it is made with outlives it.
class Admission {
 public:
  // Identifies the caller. Requires: nothing was sent yet, since the call's id goes out with its
  // first metadata.
  Admission(const ServerParts& parts, RpcMethod method, grpc::ServerContext& context);

  const Caller& caller() const { return caller_; }

  // Returns OK, or why the caller is refused: UNAUTHENTICATED or PERMISSION_DENIED. An admitted
  // call that goes on asks again for each message; while the rules are the same, that is one atomic
  // load.
  const absl::Status& Check() { return Check(false); }

  // Returns whether there are newer rules than those of the last answer.
  bool is_outdated() const {
    return parts_.authenticator != nullptr && parts_.authenticator->generation() != generation_;
  }
  // As Check() for a call that workers may be working on: they read caller(), so it stays as it is.
  const absl::Status& CheckAside() { return Check(true); }

  const absl::Status& status() const { return status_; }

 private:
  const absl::Status& Check(bool is_aside);

  const ServerParts& parts_;
  const RpcMethod method_;
  Caller caller_;
  Credentials credentials_;
  std::uint64_t generation_ = 0;  // of the rules that status_ follows from; 0: of none
  absl::Status status_;
};

// The common part of all calls of clearance's services while they are served. Counts the call in
// the metrics. For the polling thread, except for the caller and the work.
class ServedCall {
 public:
  // `context` is of a call that has begun.
  ServedCall(ServerParts& parts, RpcMethod method, grpc::ServerContext& context, Poller& where);
  ~ServedCall() { series.Handled(code_, SteadyNow() - arrival); }

  // Awaited before work on a message begins.
  Poller::Turn Turn(bool is_refused) {
    return Poller::Turn(poller, scope.caller.group(), is_refused);
  }
  // Returns where work of this cost is done.
  Offload::Where Place(std::uint64_t cost, std::uint64_t whole_cost = 0,
                       PendingWork* pending = nullptr) {
    return {workers, scope.caller.group(), poller.queue(), cost, whole_cost, pending};
  }
  // Takes room for more bytes; a refusal is counted.
  absl::Status TakeBytes(std::uint64_t more) {
    return CountShed(scope.parts.metrics, bytes.Take(more));
  }
  // Awaits a view of a shared registry in which every name is as new as it was on any server when
  // the wait began; OK, or the refusal of a call that cannot be answered. Null: nothing is awaited.
  Awaited<absl::Status> WhenFresh(SharedRegistry* freshness) const;

  // Sets the code of the call's end: `code` unless it was cancelled, by its deadline or otherwise.
  void EndsWith(const CallEnd& end, absl::StatusCode code);

  RpcSeries& series;
  const SteadyTime arrival = SteadyNow();
  const SteadyTime deadline;
  Admission admission;
  CallerRegistry registry;
  const CallScope scope;
  Poller& poller;
  WorkerPool::Account workers;
  Arrears arrears;
  ByteAccount bytes;

 private:
  int code_ = static_cast<int>(absl::StatusCode::kCancelled);
};

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// Every call passes here, and only here, before anything is done for it. Finds out who calls,
// whether their role allows the method, and under which id the call goes.

#pragma once

#include <grpcpp/server_context.h>

#include <cstdint>

#include "absl/status/status.h"
#include "server/access/authenticator.h"
#include "server/guard/caller.h"
#include "server/guard/share_ledger.h"
#include "server/observe/rpc_series.h"
#include "server/session/call_scope.h"
#include "server/transport/call.h"

namespace clearance::server {

// One call's admission. Thread-compatible; everything it is made with outlives it.
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

  // Takes a place among the server's sessions, and among those of the caller's principal.
  absl::Status TakeSessionPlace(ShareLedger::Part* place) const;

  // Returns the last answer.
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

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// Every call passes here, and only here, before anything is done for it: who calls, whether their
// role allows the method, and under which id the call goes.

#ifndef CLEARANCE_SERVER_TRANSPORT_ADMISSION_H_
#define CLEARANCE_SERVER_TRANSPORT_ADMISSION_H_

#include <grpcpp/server_context.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/guard/authenticator.h"
#include "server/guard/caller.h"
#include "server/observe/rpc_series.h"
#include "server/session/call_scope.h"
#include "server/transport/call.h"

namespace clearance::server {

// What a method takes at least.
Role RoleFor(RpcMethod method);

// One call's. Thread-compatible; everything it is made with outlives it.
class Admission {
 public:
  // Finds out who calls. Requires: nothing was sent yet; the call's id goes out with its first
  // metadata.
  Admission(const ServerParts& parts, RpcMethod method, grpc::ServerContext& context);

  const Caller& caller() const { return caller_; }

  // OK, or why the caller may not come in: UNAUTHENTICATED or PERMISSION_DENIED. Once let in, a
  // call that goes on asks again for each message; as long as the rules are the same that is one
  // atomic load.
  const absl::Status& Check();

  // Whether there are newer rules than those of the last answer.
  bool is_outdated() const {
    return parts_.authenticator != nullptr && parts_.authenticator->generation() != generation_;
  }
  // The same for a call that workers may be at, who read caller(): that stays as it is.
  const absl::Status& CheckAside();

  // The last answer.
  const absl::Status& status() const { return status_; }

 private:
  absl::Status StatusOf(const absl::StatusOr<PrincipalPtr>& principal) const;
  void Take(absl::Status status);

  const ServerParts& parts_;
  const RpcMethod method_;
  Caller caller_;
  Credentials credentials_;
  std::uint64_t generation_ = 0;  // of the rules that status_ follows from; 0: of none
  absl::Status status_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_TRANSPORT_ADMISSION_H_

// SPDX-License-Identifier: Apache-2.0

#include "server/session/call_scope.h"

#include <utility>

#include "server/convert/rpc_status.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"

namespace clearance::server {

absl::Status CountShed(Metrics& metrics, absl::Status status) {
  if (!status.ok()) metrics.shed(ShedReason::kBytes).Increment();
  return status;
}

void CountRefusal(Metrics& metrics, const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return;
  metrics.limit_refusals(ErrorOf(status).limit()).Increment();
}

absl::Status RequireProcessorTime(const CallScope& call) {
  absl::Status status = RequireProcessorTime(call.caller);
  if (!status.ok()) call.parts.metrics.principal_refusals(PrincipalLimit::kCores).Increment();
  return status;
}

}  // namespace clearance::server

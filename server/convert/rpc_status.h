// SPDX-License-Identifier: Apache-2.0
//
// A status in its wire form: in the reply of a session, and as the details of a call's status.

#pragma once

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace clearance::server {

// Fills a status. Its details hold one clearance.v1.Error, then the same for libraries that know no
// Error: a google.rpc.ErrorInfo and, if the Error says when to repeat, a google.rpc.RetryInfo.
void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status);

}  // namespace clearance::server

// SPDX-License-Identifier: Apache-2.0
//
// A status in its wire form: in the reply of a session, and as the details of a call's status.

#ifndef CLEARANCE_SERVER_CONVERT_RPC_STATUS_H_
#define CLEARANCE_SERVER_CONVERT_RPC_STATUS_H_

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace clearance::server {

// Fills a status. Its details hold one clearance.v1.Error, then the same for libraries that know no
// Error: a google.rpc.ErrorInfo and, if the Error says when to repeat, a google.rpc.RetryInfo.
void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_RPC_STATUS_H_

// SPDX-License-Identifier: Apache-2.0
//
// A status in its wire form: in the reply of a session, and as the details of a call's status.

#ifndef CLEARANCE_SERVER_CONVERT_RPC_STATUS_H_
#define CLEARANCE_SERVER_CONVERT_RPC_STATUS_H_

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace clearance::server {

// The details hold one clearance.v1.Error and, where that says when to repeat, a
// google.rpc.RetryInfo that says the same to libraries that know no Error.
void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_RPC_STATUS_H_

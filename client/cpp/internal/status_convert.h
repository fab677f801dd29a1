// SPDX-License-Identifier: Apache-2.0
//
// Errors as they travel and as callers see them. The clearance.v1.Error of a status becomes a
// payload of the absl::Status, from where ErrorDetail (error.h) takes it.

#ifndef CLEARANCE_INTERNAL_STATUS_CONVERT_H_
#define CLEARANCE_INTERNAL_STATUS_CONVERT_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "clearance/error.h"
#include "clearance/v1/error.pb.h"
#include "google/rpc/status.pb.h"

namespace clearance::client {

absl::Status FromGrpc(const grpc::Status& status);
absl::Status FromProto(const google::rpc::Status& status);
Error FromProto(const v1::Error& error);

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_STATUS_CONVERT_H_

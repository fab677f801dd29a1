// SPDX-License-Identifier: Apache-2.0
//
// Errors as they travel and as callers see them. The clearance.v1.Error of a status becomes a
// payload of the absl::Status, from where ErrorDetail (error.h) takes it.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "clearance/error.h"
#include "clearance/v1/error.pb.h"
#include "google/rpc/status.pb.h"

namespace clearance::client {

// The metadata that carries CallIds, there and back.
inline constexpr char kRequestIdKey[] = "x-request-id";
inline constexpr char kTraceParentKey[] = "traceparent";

// Those of the reply. Requires: its initial metadata was read, or the call has ended.
CallIds IdsOf(const grpc::ClientContext& context);
// A failure gets them as payloads.
void AddIds(const CallIds& ids, absl::Status* status);

absl::Status FromGrpc(const grpc::Status& status);
// With the ids of the call, which has ended.
absl::Status FromGrpc(const grpc::Status& status, const grpc::ClientContext& context);
// The message names the field, value and limit of the Error.
absl::Status FromProto(const google::rpc::Status& status);
Error FromProto(const v1::Error& error);

}  // namespace clearance::client

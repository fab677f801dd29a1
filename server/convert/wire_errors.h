// SPDX-License-Identifier: Apache-2.0
//
// Refusals in their wire form: the status of a session's reply, which is also the details of a
// call's status, and the errors of the rows that a reply refuses.

#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "clearance/v1/error.pb.h"
#include "google/rpc/status.pb.h"
#include "server/engine/row_check.h"
#include "server/engine/shape_table.h"

namespace clearance::server {

// Fills a status. Its details hold one clearance.v1.Error, then the same for libraries that know no
// Error: a google.rpc.ErrorInfo and, if the Error says when to repeat, a google.rpc.RetryInfo.
void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status);

// No Error of a row takes more bytes of a reply than this.
inline constexpr std::uint64_t kMaxRowErrorBytes = 512;

// Fills the Error of a fault. Requires: the fault was found with `table`, which is unchanged since.
void FillRowError(const RowFault& fault, const ShapeTable& table, v1::Error* error);

}  // namespace clearance::server

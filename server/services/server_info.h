// SPDX-License-Identifier: Apache-2.0
//
// The method of ServerService.

#pragma once

#include "absl/status/status.h"
#include "clearance/v1/server_service.pb.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

absl::Status GetServerInfo(const CallScope& call, const v1::GetServerInfoRequest& request,
                           const StopRule& stop, v1::GetServerInfoResponse* response);

}  // namespace clearance::server
